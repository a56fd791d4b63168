-- pairs.exact.all
--
-- Step of a job: finds every pair of similar rows by the exact join. Distinct texts are joined, and their pairs are
-- expanded to the pairs of their copies.
WITH sets AS (
  SELECT
    CAST(0 AS TINYINT) AS side,
    id,
    CAST(0 AS TINYINT) AS across,
    shingle_hashes(text, $shingle) AS tokens
  FROM texts
  WHERE compared
),
similar AS (
  SELECT id_a, id_b, similarity
  FROM prefix_pairs(
    sets,
    frequencies,
    threshold => $threshold,
    parts => $parts
  )
)
SELECT id_a, id_b, similarity
FROM row_pairs((SELECT id, ids FROM texts WHERE compared), similar)
ORDER BY id_a, id_b
