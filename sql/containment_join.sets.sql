-- containment_join.sets(input [, input_b])
--
-- containment_join of lists, whose elements are the members of the sets.
SELECT id_a, id_b, similarity
FROM containment_sides(
  (SELECT side, id, group_value, tokens FROM unique_sets(input, group_rule => $group_rule)),
  share_of => $share_of,
  threshold => $threshold,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
