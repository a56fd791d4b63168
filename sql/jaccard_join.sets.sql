-- jaccard_join.sets(input [, input_b])
--
-- jaccard_join of lists, whose elements are the members of the sets.
SELECT id_a, id_b, similarity
FROM set_pairs(
  (SELECT side, id, group_value, tokens FROM unique_sets(input, group_rule => $group_rule)),
  threshold => $threshold,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
