-- containment_sides.one(input)
--
-- containment_sides of one relation: each set is looked for in each other one, and of the two shares of a pair the
-- larger one is that of the smaller set.
SELECT id_a, id_b, max(similarity) AS similarity
FROM (
  SELECT least(id_a, id_b) AS id_a, greatest(id_a, id_b) AS id_b, similarity
  FROM containment_pairs(
    (
      SELECT CAST(0 AS TINYINT) AS side, id, group_value, tokens
      FROM input
      UNION ALL
      SELECT CAST(1 AS TINYINT) AS side, id, group_value, tokens
      FROM input
    ),
    threshold => $threshold,
    parts => $parts,
    group_rule => $group_rule
  )
  WHERE id_a <> id_b
)
GROUP BY id_a, id_b
