-- distinct_items.vectors(input)
--
-- distinct_items of vectors: each distinct vector that is not zero once.
SELECT
  min(side) AS side,
  min(id) AS id,
  across,
  vector AS item,
  array_agg(id) AS ids
FROM unique_vectors((SELECT side, id, item AS vector, across FROM input))
GROUP BY vector, across
