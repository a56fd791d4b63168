-- item_pairs.containment(input)
--
-- item_pairs by containment, exact: each set is looked for in those of smaller ids.
SELECT id_b AS id_a, id_a AS id_b, similarity
FROM containment_pairs(
  (
    SELECT CAST(0 AS TINYINT) AS side, id, group_value, shingle_hashes(item, $shingle) AS tokens
    FROM input
    UNION ALL
    SELECT CAST(1 AS TINYINT) AS side, id, group_value, shingle_hashes(item, $shingle) AS tokens
    FROM input
  ),
  threshold => $threshold,
  parts => $parts,
  group_rule => $group_rule
)
WHERE id_b < id_a
