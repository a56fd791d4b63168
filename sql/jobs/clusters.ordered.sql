-- clusters.ordered
--
-- Step of a job: finds the representative of each row, with a keep order that is given as ranks.
WITH items AS (
  SELECT min(ranks.rank) AS id, members.text AS item, array_agg(ranks.rank) AS ids, members.node
  FROM (
    SELECT id AS node, text, UNNEST(ids) AS id
    FROM texts
    WHERE compared
  ) AS members
  JOIN ranks ON members.id = ranks.id
  GROUP BY members.node, members.text
),
edges AS (
  SELECT least(a.id, b.id) AS id_a, greatest(a.id, b.id) AS id_b, pairs.similarity
  FROM pairs
  JOIN items AS a ON pairs.id_a = a.node
  JOIN items AS b ON pairs.id_b = b.node
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
joined AS (
  SELECT
    ranks.id,
    ranks.rank,
    coalesce(resolved.representative, ranks.rank) AS representative,
    resolved.similarity
  FROM ranks
  LEFT JOIN resolved ON ranks.rank = resolved.id
)
SELECT
  joined.id,
  CASE
    WHEN $resolution = 'components' THEN min(joined.id) OVER (PARTITION BY joined.representative)
    ELSE representatives.id
  END AS cluster_id,
  representatives.id AS representative_id,
  joined.similarity,
  joined.representative = joined.rank AS kept,
  count(*) OVER (PARTITION BY joined.representative) AS cluster_size
FROM joined
JOIN ranks AS representatives ON joined.representative = representatives.rank
UNION ALL
SELECT
  id,
  id AS cluster_id,
  id AS representative_id,
  CAST(NULL AS DOUBLE) AS similarity,
  true AS kept,
  CAST(1 AS BIGINT) AS cluster_size
FROM documents
WHERE id IS NULL
