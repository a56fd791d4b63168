-- pairs.exact.linked
--
-- Step of a job: finds pairs of similar distinct texts by the exact join, and adds one pair for each copy.
WITH sets AS (
  SELECT
    CAST(0 AS TINYINT) AS side,
    id,
    CAST(0 AS TINYINT) AS across,
    shingle_hashes(text, $shingle) AS tokens
  FROM texts
  WHERE compared
)
SELECT id_a, id_b, max(similarity) AS similarity
FROM prefix_pairs(
  sets,
  frequencies,
  threshold => $threshold,
  bucket_pairs => $bucket_pairs,
  parts => $parts
)
GROUP BY id_a, id_b
UNION ALL
SELECT id_a, id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM (
  SELECT id AS id_a, UNNEST(ids) AS id_b
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
WHERE id_a <> id_b
ORDER BY id_a, id_b
