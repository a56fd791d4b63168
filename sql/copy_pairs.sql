-- copy_pairs(texts)
--
-- Pairs each distinct text with its copies: one pair of the smallest id with each other id. A building block of jobs and
-- of the linked joins.
--
-- Inputs
--   input: id, ids
-- Columns
--   id_a: as id | the smallest id of a text
--   id_b: as id | the id of a copy
--   similarity: Float64 | 1
-- Guarantees
--   A text of k copies gives k - 1 pairs.
SELECT id_a, id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM (
  SELECT id AS id_a, UNNEST(ids) AS id_b
  FROM input
  WHERE cardinality(ids) > 1
)
WHERE id_a <> id_b
