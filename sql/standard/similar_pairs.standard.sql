-- similar_pairs.standard(input)
--
-- similar_pairs by standard operators, for sessions without the operator: compares rows that share a key by exact
-- Jaccard similarity, or by the share of the tokens of side 0. All candidates are materialised before they are verified.
--
-- Inputs
--   input: side, id, group_value, keys, tokens
WITH candidates AS (
  SELECT id_a, id_b
  FROM candidate_pairs(input, max_bucket => $max_bucket, sides => $sides, group_rule => $group_rule)
),
counted AS (
  SELECT
    candidates.id_a,
    candidates.id_b,
    cardinality(array_intersect(a.tokens, b.tokens)) AS common,
    cardinality(a.tokens) AS size_a,
    cardinality(b.tokens) AS size_b
  FROM candidates
  JOIN input AS a ON candidates.id_a = a.id
  JOIN input AS b ON candidates.id_b = b.id
  WHERE $sides = 1 OR (a.side = 0 AND b.side = 1)
),
verified AS (
  SELECT
    id_a,
    id_b,
    CAST(common AS DOUBLE) / CAST(
      CASE $verify WHEN 'containment' THEN size_a ELSE size_a + size_b - common END AS DOUBLE
    ) AS similarity
  FROM counted
)
SELECT id_a, id_b, similarity
FROM verified
WHERE similarity >= $threshold
