-- item_pairs.edit(input)
--
-- item_pairs by edit similarity, exact.
SELECT id_a, id_b, similarity
FROM edit_pairs(
  (SELECT side, id, group_value, item AS text FROM input),
  threshold => $threshold,
  parts => $parts,
  group_rule => $group_rule
)
