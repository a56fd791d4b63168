-- item_pairs(input [, frequencies])
--
-- Finds pairs of similar distinct items by the requested method. A building block of near_duplicates and of jobs. The
-- exact join counts the frequencies of the tokens unless they are given.
--
-- Inputs
--   input: side, id, item, group_value
--   input_b: sketch
-- Parameters
--   measure
--   method | how pairs are found; with 'projection' an item is a packed vector, else a text
--   resolution
--   threshold
--   shingle
--   target_recall
--   num_hashes
--   bits
--   seed
--   max_bucket_pairwise.block
--   parts
--   group_rule
-- Columns
--   id_a: as id | the smaller id
--   id_b: as id | the other id
--   similarity: Float64 | exact similarity by the measure; with 'containment' the share of the set of the larger id that is in that of the smaller one
-- Guarantees
--   Each pair is reported once, and the pairs do not depend on the number of parts.
--   With measure 'containment', the set of id_a contains at least the share threshold of the set of id_b.
--   With 'projection' and resolution 'components', the pairs may depend on the number of parts; their connected components do not.
SELECT id_a, id_b, max(similarity) AS similarity
FROM exact_pairs(
  (SELECT side, id, item AS text, group_value FROM input),
  threshold => $threshold,
  shingle => $shingle,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  group_rule => $group_rule
)
GROUP BY id_a, id_b
