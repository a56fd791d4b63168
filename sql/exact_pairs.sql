-- exact_pairs(input)
--
-- Finds pairs of rows whose shingle sets are similar, by an exact prefix-filter join (Chaudhuri et al. 2006;
-- Bayardo et al. 2007). A building block: jaccard_join adds the handling of ids and copies.
--
-- Inputs
--   input: side, id, text, group_value
-- Parameters
--   threshold
--   shingle
--   max_bucket_pairwise.block
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two shingle sets
-- Guarantees
--   Complete if max_bucket_pairwise is 0, or if no more rows than that have the same prefix token.
WITH sets AS (
  SELECT side, id, group_value, text, shingle_hashes(text, $shingle) AS tokens
  FROM input
),
frequencies AS (
  SELECT token_frequencies(tokens) AS sketch
  FROM sets
)
SELECT id_a, id_b, similarity
FROM prefix_pairs(
  sets,
  frequencies,
  threshold => $threshold,
  shingle => $shingle,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
