-- pairs.exact.all
--
-- Step of a job: every pair of rows by the exact join. Distinct texts are joined, and each pair of
-- texts stands for the pairs of their copies.
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
),
members AS (
  SELECT id AS text_id, UNNEST(ids) AS id
  FROM texts
  WHERE compared
),
copies AS (
  SELECT id AS text_id, UNNEST(ids) AS id
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
SELECT least(a.id, b.id) AS id_a, greatest(a.id, b.id) AS id_b, similar.similarity
FROM similar
JOIN members AS a ON similar.id_a = a.text_id
JOIN members AS b ON similar.id_b = b.text_id
UNION ALL
SELECT a.id AS id_a, b.id AS id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM copies AS a
JOIN copies AS b ON a.text_id = b.text_id AND a.id < b.id
ORDER BY id_a, id_b
