-- removed.vectors
--
-- Part of a step of a job that compares vectors: lists each removed row with the kept row that represents it, and the reason for its removal.
WITH copies AS (
  SELECT id AS node, UNNEST(ids) AS id
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
SELECT
  clusters.id,
  clusters.representative_id,
  clusters.similarity,
  CASE
    WHEN own.node = others.node THEN 'copy'
    WHEN clusters.similarity >= $threshold THEN 'similar'
    ELSE 'component'
  END AS reason,
  clusters.cluster_id
FROM clusters
LEFT JOIN copies AS own ON clusters.id = own.id
LEFT JOIN copies AS others ON clusters.representative_id = others.id
WHERE NOT clusters.kept
