-- pair_representatives(pairs)
--
-- pair_representatives where sorts, which spill, give the ids consecutive numbers: one bit for each id is held in memory.
SELECT id, representative_id, similarity
FROM numbered_representatives(
  (
    SELECT id, number
    FROM numbered_ids(input)
  ),
  input
)
