-- clusters.first
--
-- Step of a job: finds the representative of each row, with ids as keep order.
WITH items AS (
  SELECT id, text AS item, ids
  FROM texts
  WHERE compared
),
edges AS (
  SELECT pairs.id_a, pairs.id_b, pairs.similarity
  FROM pairs
  LEFT SEMI JOIN items AS a ON pairs.id_a = a.id
  LEFT SEMI JOIN items AS b ON pairs.id_b = b.id
),
resolved AS (
  SELECT id, representative, similarity
  FROM resolved_items(
    items,
    edges,
    resolution => $resolution,
    measure => $measure,
    shingle => $shingle
  )
),
every_id AS (
  SELECT DISTINCT id
  FROM documents
  WHERE id IS NOT NULL
  UNION ALL
  SELECT id
  FROM documents
  WHERE id IS NULL
),
joined AS (
  SELECT
    every_id.id,
    coalesce(resolved.representative, every_id.id) AS representative,
    resolved.similarity
  FROM every_id
  LEFT JOIN resolved ON every_id.id = resolved.id
)
SELECT
  id,
  CASE
    WHEN $resolution = 'components' THEN min(id) OVER (PARTITION BY representative)
    ELSE representative
  END AS cluster_id,
  representative AS representative_id,
  similarity,
  representative IS NOT DISTINCT FROM id AS kept,
  CASE WHEN id IS NULL THEN 1 ELSE count(*) OVER (PARTITION BY representative) END AS cluster_size
FROM joined
