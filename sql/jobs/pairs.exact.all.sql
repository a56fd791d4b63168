-- pairs.exact.all
--
-- Step of a job: every pair of rows by the exact join.
WITH sets AS (
  SELECT CAST(0 AS TINYINT) AS side, UNNEST(ids) AS id, CAST(0 AS TINYINT) AS across, tokens
  FROM (
    SELECT ids, shingle_hashes(text, $shingle) AS tokens
    FROM texts
    WHERE shingles > 0
  )
)
SELECT id_a, id_b, similarity
FROM prefix_pairs(
  sets,
  frequencies,
  threshold => $threshold,
  parts => $parts
)
ORDER BY id_a, id_b
