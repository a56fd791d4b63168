-- resolved_items.components(items, edges)
--
-- resolved_items where the first id of a connected component represents all of its ids, including those that are less
-- similar to it than the threshold.
WITH clusters AS (
  SELECT id AS node, cluster_id AS representative
  FROM components(input_b)
),
compared AS (
  SELECT
    clusters.node,
    clusters.representative,
    item_similarity(own.item, representatives.item, $shingle, $measure) AS similarity
  FROM clusters
  JOIN input AS own ON clusters.node = own.id
  JOIN input AS representatives ON clusters.representative = representatives.id
),
members AS (
  SELECT id AS node, UNNEST(ids) AS id
  FROM input
)
SELECT
  members.id,
  coalesce(compared.representative, members.node) AS representative,
  CASE
    WHEN compared.representative <> members.node THEN compared.similarity
    WHEN members.id <> members.node THEN 1.0
  END AS similarity
FROM members
LEFT JOIN compared ON members.node = compared.node
