-- sample
--
-- Step of a job: selects a sample of the distinct texts: those whose ids have the smallest hashes, so that each run
-- selects the same ones.
SELECT id, text, group_value
FROM texts
WHERE compared
ORDER BY md5(CAST(id AS VARCHAR)), id
LIMIT $sample
