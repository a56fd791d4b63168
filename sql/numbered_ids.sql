-- numbered_ids(pairs)
--
-- Numbers the ids of pairs in ascending order, from 0. A building block of components and of pair_representatives under a
-- memory limit.
--
-- Inputs
--   input: id_a, id_b
-- Columns
--   id: as id | an id of a pair of which neither id is NULL
--   number: Int64 | its number
-- Guarantees
--   Integers are in the order of their values, texts in that of their bytes.
--   Equal ids are found by sorting, which spills, and not by grouping, which holds all ids.
SELECT id, CAST(row_number() OVER (ORDER BY id) AS BIGINT) - 1 AS number
FROM (
  SELECT id, lag(id) OVER (ORDER BY id) AS previous_id
  FROM (
    SELECT id_a AS id
    FROM input
    WHERE id_a IS NOT NULL AND id_b IS NOT NULL
    UNION ALL
    SELECT id_b AS id
    FROM input
    WHERE id_a IS NOT NULL AND id_b IS NOT NULL
  )
)
WHERE previous_id IS DISTINCT FROM id
