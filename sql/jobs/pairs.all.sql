-- pairs.all
--
-- Step of a job: expands pairs of distinct texts or vectors to the pairs of their copies.
SELECT id_a, id_b, similarity
FROM row_pairs((SELECT id, ids FROM texts WHERE compared), similar)
ORDER BY id_a, id_b
