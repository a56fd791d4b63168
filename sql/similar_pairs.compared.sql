-- similar_pairs.compared(input)
--
-- The pairs of similar_pairs by standard operators, for sessions that lack ours; signatures or vectors of rows that
-- share a key.
--
-- Inputs
--   input: side, id, across, keys, signature, vector
WITH candidates AS (
  SELECT id_a, id_b
  FROM candidate_pairs(input, max_bucket => $max_bucket, sides => $sides, differ => $differ)
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
