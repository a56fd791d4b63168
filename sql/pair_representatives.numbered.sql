-- pair_representatives(pairs)
--
-- pair_representatives under a memory limit: sorts, which spill, number the ids, and one bit for each id is in memory.
SELECT id, representative_id, similarity
FROM numbered_representatives(
  (
    SELECT id, number
    FROM numbered_ids(input)
  ),
  input
)
