-- similar_pairs.standard(input)
--
-- The pairs of similar_pairs by standard operators, for sessions that lack ours; exact verification.
-- Every two rows that share a key become a row before they are verified.
--
-- Inputs
--   input: side, id, across, keys, tokens
WITH keyed AS (
  SELECT side, id, across, UNNEST(keys) AS key
  FROM input
),
placed AS (
  SELECT side, id, across, key, row_number() OVER (PARTITION BY key ORDER BY id) AS place
  FROM keyed
),
members AS (
  SELECT side, id, across, key
  FROM placed
  WHERE $max_bucket = 0 OR place <= $max_bucket
),
candidates AS (
  SELECT a.id AS id_a, b.id AS id_b
  FROM members AS a
  JOIN members AS b ON a.key = b.key
  WHERE (($sides = 1 AND a.id < b.id) OR ($sides = 2 AND a.side = 0 AND b.side = 1))
    AND (NOT $differ OR a.across <> b.across)
  GROUP BY a.id, b.id
),
counted AS (
  SELECT
    candidates.id_a,
    candidates.id_b,
    cardinality(array_intersect(a.tokens, b.tokens)) AS common,
    cardinality(a.tokens) + cardinality(b.tokens) AS both_sizes
  FROM candidates
  JOIN input AS a ON candidates.id_a = a.id
  JOIN input AS b ON candidates.id_b = b.id
  WHERE $sides = 1 OR (a.side = 0 AND b.side = 1)
),
verified AS (
  SELECT id_a, id_b, CAST(common AS DOUBLE) / CAST(both_sizes - common AS DOUBLE) AS similarity
  FROM counted
)
SELECT id_a, id_b, similarity
FROM verified
WHERE similarity >= $threshold
