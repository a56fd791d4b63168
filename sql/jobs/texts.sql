-- texts
--
-- Step of a job: each distinct normalised text once, with the ids of its copies and its number of shingles.
SELECT id, text, ids, CAST(cardinality(shingle_hashes(text, $shingle)) AS BIGINT) AS shingles
FROM distinct_texts(documents, normalize => $normalize)
