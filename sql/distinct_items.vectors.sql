-- distinct_items.vectors(input)
--
-- distinct_items of vectors: each distinct vector that is not zero once.
SELECT
  min(side) AS side,
  min(id) AS id,
  group_value,
  vector AS item,
  array_agg(id) AS ids
FROM unique_vectors((SELECT side, id, item AS vector, group_value FROM input), group_rule => $group_rule)
WHERE $group_rule = 'any' OR group_value IS NOT NULL
GROUP BY vector, group_value
