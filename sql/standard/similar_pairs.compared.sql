-- similar_pairs.compared(input)
--
-- similar_pairs by standard operators, for sessions without the operator: compares the signatures or vectors of rows
-- that share a key.
--
-- Inputs
--   input: side, id, group_value, keys, signature, vector
WITH candidates AS (
  SELECT id_a, id_b
  FROM candidate_pairs(input, max_bucket => $max_bucket, sides => $sides, group_rule => $group_rule)
)
SELECT id_a, id_b, similarity
FROM compared_pairs(
  input,
  candidates,
  verify => $verify,
  threshold => $threshold,
  max_distance => $max_distance,
  sides => $sides
)
