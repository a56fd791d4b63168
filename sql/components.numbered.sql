-- components(input)
--
-- components where sorts, which spill, give the ids consecutive numbers: four bytes for each id are held in memory.
SELECT id, cluster_id, cluster_size
FROM numbered_components(
  (
    SELECT id, number
    FROM numbered_ids(input)
  ),
  input
)
