-- frequencies
--
-- Step of a job: counts how frequent tokens are, as one sketch.
SELECT token_frequencies(shingle_hashes(text, $shingle)) AS sketch
FROM texts
WHERE compared
