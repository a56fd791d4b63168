-- components(input)
--
-- components under a memory limit: sorts, which spill, number the ids, and four bytes for each id are in memory.
SELECT id, cluster_id, cluster_size
FROM numbered_components(
  (
    SELECT id, number
    FROM numbered_ids(input)
  ),
  input
)
