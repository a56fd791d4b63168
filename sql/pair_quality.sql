-- pair_quality(found, truth)
--
-- Computes precision, recall and F1 of found pairs against true pairs, such as those of an exact join, labelled pairs,
-- or the pairs of another run; then F1 is the agreement of the two runs. Pairs are unordered, and repeated pairs count
-- once.
--
-- Inputs
--   input: id_a, id_b
--   input_b: id_a, id_b
-- Parameters
--   id_a | the id of one row of a pair, in both relations
--   id_b.relations
-- Columns
--   found: Int64 | distinct pairs found
--   truth: Int64 | distinct true pairs
--   correct: Int64 | pairs in both
--   precision: Float64 | correct / found; NULL if there are no found pairs
--   recall: Float64 | correct / truth; NULL if there are no true pairs
--   f1: Float64 | harmonic mean of precision and recall
--   precision_low: Float64 | lower end of the 95 % confidence interval of the precision, with the found pairs as trials (see wilson_interval)
--   precision_high: Float64 | its upper end
--   recall_low: Float64 | lower end of the 95 % confidence interval of the recall, with the true pairs as trials
--   recall_high: Float64 | its upper end
-- Guarantees
--   Always one row, even for empty relations. A pair of an id with itself and one with NULL do not count.
-- Example
--   WITH found AS (SELECT * FROM (VALUES (1, 2), (4, 3), (1, 9)) AS v (id_a, id_b)),
--   truth AS (SELECT * FROM (VALUES (1, 2), (3, 4), (5, 6), (7, 8)) AS v (id_a, id_b))
--   SELECT * FROM pair_quality(found, truth)
WITH marked AS (
  SELECT least(id_a, id_b) AS a, greatest(id_a, id_b) AS b, 1 AS in_found, 0 AS in_truth
  FROM input
  UNION ALL
  SELECT least(id_a, id_b) AS a, greatest(id_a, id_b) AS b, 0 AS in_found, 1 AS in_truth
  FROM input_b
),
pairs AS (
  SELECT max(in_found) AS in_found, max(in_truth) AS in_truth
  FROM marked
  WHERE a <> b
  GROUP BY a, b
),
counts AS (
  SELECT
    coalesce(sum(in_found), 0) AS found,
    coalesce(sum(in_truth), 0) AS truth,
    coalesce(sum(in_found * in_truth), 0) AS correct
  FROM pairs
),
intervals AS (
  SELECT
    found,
    truth,
    correct,
    wilson_interval(correct, found) AS of_precision,
    wilson_interval(correct, truth) AS of_recall
  FROM counts
)
SELECT
  found,
  truth,
  correct,
  CAST(correct AS DOUBLE) / nullif(found, 0) AS precision,
  CAST(correct AS DOUBLE) / nullif(truth, 0) AS recall,
  2.0 * correct / nullif(found + truth, 0) AS f1,
  of_precision['low'] AS precision_low,
  of_precision['high'] AS precision_high,
  of_recall['low'] AS recall_low,
  of_recall['high'] AS recall_high
FROM intervals
