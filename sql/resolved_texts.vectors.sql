-- resolved_texts.vectors(texts, edges)
--
-- resolved_texts.components of packed vectors: the first id of a connected component stands for all of it, also for those that
-- are less similar to it than the threshold.
WITH clusters AS (
  SELECT id AS node, cluster_id AS representative
  FROM components(input_b)
),
compared AS (
  SELECT
    clusters.node,
    clusters.representative,
    cosine_similarity(own.text, leader.text) AS similarity
  FROM clusters
  JOIN input AS own ON clusters.node = own.id
  JOIN input AS leader ON clusters.representative = leader.id
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
