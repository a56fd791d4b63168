-- recall_by_similarity(found, truth)
--
-- Measures the recall of found pairs by similarity, with confidence intervals: the share of the true pairs that is among
-- the found ones. True pairs are those of an exact join, such as one of a sample of rows with all rows.
--
-- Inputs
--   input: id_a, id_b
--   input_b: id_a, id_b, similarity
-- Parameters
--   id_a | the id of one row of a pair, in both relations; of a true pair that of the row of the sample
--   id_b.relations
--   similarity: column = similarity | the similarity of a true pair, from 0 to 1
--   bins: integer in [1, 1000] = 20 | number of equal bins of similarities between 0 and 1
-- Columns
--   similarity_from: Float64 | lower end of the bin; NULL in the row of all bins
--   similarity_to: Float64 | upper end of the bin, which belongs to the next one; NULL in the row of all bins
--   sampled: Int64 | distinct rows of the sample that have true pairs in the bin
--   pairs: Int64 | distinct true pairs
--   found: Int64 | those that are among the found pairs
--   recall: Float64 | found / pairs
--   recall_low: Float64 | lower end of the 95 % confidence interval of the recall
--   recall_high: Float64 | its upper end
-- Guarantees
--   A row for each bin that has true pairs, and one for all of them together if there are any.
--   Pairs are unordered, and repeated pairs count once; a true pair of an id with itself and one with NULL do not count.
--   The interval is Wilson's, for (sum n)^2 / sum n^2 trials, where n are the numbers of pairs of the rows of the sample (Kish 1965): the pairs of a row count as one trial if they are all of its bin. A pair of two rows of the sample belongs to the smaller one.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'The old mill by the river burned down in 1897'),
--     (3, 'The old mill by the river burned down in 1896.'),
--     (4, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT * FROM recall_by_similarity(
--     (SELECT * FROM minhash_join(docs, threshold => 0.5, shingle => 'char:5')),
--     (SELECT * FROM jaccard_join((SELECT * FROM docs WHERE id < 3), docs, threshold => 0.5, shingle => 'char:5')),
--     bins => 5
--   ) ORDER BY similarity_from
WITH truth AS (
  SELECT
    least(id_a, id_b) AS a,
    greatest(id_a, id_b) AS b,
    min(id_a) AS sampled,
    max(similarity) AS similarity
  FROM input_b
  WHERE id_a <> id_b AND similarity IS NOT NULL
  GROUP BY least(id_a, id_b), greatest(id_a, id_b)
),
found AS (
  SELECT least(id_a, id_b) AS a, greatest(id_a, id_b) AS b, 1 AS one
  FROM input
  WHERE id_a <> id_b
  GROUP BY least(id_a, id_b), greatest(id_a, id_b)
),
marked AS (
  SELECT
    truth.sampled,
    coalesce(found.one, 0) AS matched,
    -- 0.29 * 100 is a little less than 29. The number $bins means all bins.
    UNNEST(make_array(
      least(greatest(CAST(floor(truth.similarity * $bins + 1e-9) AS BIGINT), 0), $bins - 1),
      CAST($bins AS BIGINT)
    )) AS bin
  FROM truth
  LEFT JOIN found ON truth.a = found.a AND truth.b = found.b
),
by_row AS (
  SELECT bin, sampled, CAST(count(*) AS DOUBLE) AS pairs, sum(matched) AS found
  FROM marked
  GROUP BY bin, sampled
),
by_bin AS (
  SELECT
    bin,
    count(*) AS sampled,
    sum(pairs) AS pairs,
    CAST(sum(found) AS BIGINT) AS found,
    sum(pairs * pairs) AS squares
  FROM by_row
  GROUP BY bin
),
shares AS (
  SELECT
    CASE WHEN bin < $bins THEN CAST(bin AS DOUBLE) / $bins END AS similarity_from,
    CASE WHEN bin < $bins THEN (bin + 1.0) / $bins END AS similarity_to,
    sampled,
    pairs,
    found,
    wilson_interval(found * pairs / squares, pairs * pairs / squares) AS ends
  FROM by_bin
)
SELECT
  similarity_from,
  similarity_to,
  sampled,
  CAST(pairs AS BIGINT) AS pairs,
  found,
  found / pairs AS recall,
  ends['low'] AS recall_low,
  ends['high'] AS recall_high
FROM shares
