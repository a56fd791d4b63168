-- pairs.projection.all
--
-- Step of a job: finds pairs of similar rows by random projection and verifies them by the cosine of their vectors.
-- Distinct vectors are joined, and their pairs are expanded to the pairs of their copies.
WITH documents AS (
  SELECT CAST(0 AS TINYINT) AS side, id, text, CAST(0 AS TINYINT) AS across
  FROM texts
  WHERE compared
),
similar AS (
  SELECT id_a, id_b, similarity
  FROM node_pairs(
    documents,
    method => 'projection',
    threshold => $threshold,
    target_recall => $target_recall,
    bits => $bits,
    seed => $seed,
    parts => $parts
  )
)
SELECT id_a, id_b, similarity
FROM row_pairs((SELECT id, ids FROM texts WHERE compared), similar)
ORDER BY id_a, id_b
