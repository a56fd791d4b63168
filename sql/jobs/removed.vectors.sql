-- removed.vectors
--
-- Step of a job that compares vectors: lists the removed rows, each with the kept row that represents it and the reason
-- for its removal. Vectors have no class.
WITH copies AS (
  SELECT id AS node, UNNEST(ids) AS id
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
SELECT
  removed.id,
  removed.representative_id,
  removed.similarity,
  CASE
    WHEN removed.is_repeated THEN 'repeated id'
    WHEN own.node = others.node THEN 'copy'
    WHEN removed.similarity >= $threshold THEN 'similar'
    ELSE 'component'
  END AS reason,
  arrow_cast(NULL, 'Utf8View') AS class,
  arrow_cast(NULL, 'Utf8View') AS differs,
  removed.cluster_id
FROM removed_rows AS removed
LEFT JOIN copies AS own ON removed.id = own.id
LEFT JOIN copies AS others ON removed.representative_id = others.id
ORDER BY id, reason
