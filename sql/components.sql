-- components(input)
--
-- Computes the connected components of a relation of pairs.
--
-- Inputs
--   input: id_a, id_b
-- Parameters
--   id_a
--   id_b.end
-- Columns
--   id: as id | an id that occurs in a pair
--   cluster_id: as id | the smallest id of its component
--   cluster_size: Int64 | number of ids in the component
-- Guarantees
--   Each partition reduces its pairs to a spanning forest before the partitions are merged.
-- Example
--   SELECT * FROM components((SELECT * FROM (VALUES (1, 2), (2, 3), (7, 8)) AS v (id_a, id_b))) ORDER BY id
SELECT id, cluster_id, count(*) OVER (PARTITION BY cluster_id) AS cluster_size
FROM (
  SELECT member['id'] AS id, member['cluster_id'] AS cluster_id
  FROM (
    SELECT UNNEST(connected_components(id_a, id_b)) AS member
    FROM input
  )
)
