-- distinct_nodes.vectors(input)
--
-- distinct_nodes of vectors: each distinct vector that is not zero once.
SELECT
  min(side) AS side,
  min(id) AS id,
  across,
  vector AS text,
  array_agg(id) AS ids
FROM unique_vectors((SELECT side, id, text AS vector, across FROM input))
GROUP BY vector, across
