-- similar_pairs.estimated(input)
--
-- similar_pairs by standard operators, for sessions without the operator: compares rows that share a key by
-- signatures, or not at all. All candidates are materialised before they are verified.
--
-- Inputs
--   input: side, id, group_value, keys, signature
WITH candidates AS (
  SELECT id_a, id_b
  FROM candidate_pairs(input, max_bucket => $max_bucket, sides => $sides, group_rule => $group_rule)
),
verified AS (
  SELECT
    candidates.id_a,
    candidates.id_b,
    CASE $verify WHEN 'estimate' THEN minhash_similarity(a.signature, b.signature) END AS similarity
  FROM candidates
  JOIN input AS a ON candidates.id_a = a.id
  JOIN input AS b ON candidates.id_b = b.id
  WHERE $sides = 1 OR (a.side = 0 AND b.side = 1)
)
SELECT id_a, id_b, similarity
FROM verified
WHERE $verify = 'none' OR similarity >= $threshold
