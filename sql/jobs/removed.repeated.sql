-- removed.repeated
--
-- Part of a step of a job: lists the rows that were removed because another row has their id. They are compared as one
-- row, so they have the representative of that row.
WITH repeated AS (
  SELECT id, count(*) AS rows
  FROM documents
  WHERE id IS NOT NULL
  GROUP BY id
  HAVING count(*) > 1
)
SELECT id, representative_id, similarity, true AS is_repeated, cluster_id
FROM (
  -- The list is expanded above the join: below it, the engine takes the id for unique and keeps one row of it.
  SELECT
    clusters.id,
    clusters.representative_id,
    clusters.similarity,
    clusters.cluster_id,
    UNNEST(range(1, repeated.rows)) AS row_no
  FROM clusters
  JOIN repeated ON clusters.id = repeated.id
)
