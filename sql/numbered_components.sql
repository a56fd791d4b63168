-- numbered_components(ids, pairs)
--
-- Computes the connected components of a relation of pairs whose ids are numbered in ascending order. A building block
-- of components under a memory limit.
--
-- Inputs
--   input: id, number
--   input_b: id_a, id_b
-- Columns
--   id: as id | the id
--   cluster_id: as id | the smallest id of its component
--   cluster_size: Int64 | number of ids in the component
-- Guarantees
--   The list of component_numbers is the only state that does not spill.
SELECT
  id,
  min(id) OVER (PARTITION BY component) AS cluster_id,
  count(*) OVER (PARTITION BY component) AS cluster_size
FROM (
  SELECT
    id,
    number_at(
      (
        SELECT component_numbers(a.number, b.number)
        FROM input_b AS pairs
        JOIN input AS a ON pairs.id_a = a.id
        JOIN input AS b ON pairs.id_b = b.id
      ),
      number
    ) AS component
  FROM input
)
