-- pairs.linked
--
-- Step of a job: selects the pairs of distinct texts or vectors, and one pair for each copy.
SELECT id_a, id_b, similarity
FROM similar
UNION ALL
SELECT id_a, id_b, similarity
FROM copy_pairs((SELECT id, ids FROM texts WHERE compared))
ORDER BY id_a, id_b
