-- clusters.ordered
--
-- Step of a job: which row stands for which, in a keep order of its own, given as ranks.
WITH firsts AS (
  SELECT id, min(rank) AS rank
  FROM ranks
  WHERE id IS NOT NULL
  GROUP BY id
),
ranked AS (
  SELECT ranks.id, coalesce(firsts.rank, ranks.rank) AS rank
  FROM ranks
  LEFT JOIN firsts ON ranks.id = firsts.id
),
nodes AS (
  SELECT min(firsts.rank) AS id, members.text, array_agg(firsts.rank) AS ids, members.node
  FROM (
    SELECT id AS node, text, UNNEST(ids) AS id
    FROM texts
    WHERE shingles > 0
  ) AS members
  JOIN firsts ON members.id = firsts.id
  GROUP BY members.node, members.text
),
edges AS (
  SELECT least(a.id, b.id) AS id_a, greatest(a.id, b.id) AS id_b, pairs.similarity
  FROM pairs
  JOIN nodes AS a ON pairs.id_a = a.node
  JOIN nodes AS b ON pairs.id_b = b.node
),
resolved AS (
  SELECT id, representative, similarity
  FROM resolved_texts(nodes, edges, resolution => $resolution, shingle => $shingle)
),
joined AS (
  SELECT
    ranked.id,
    ranked.rank,
    coalesce(resolved.representative, ranked.rank) AS representative,
    resolved.similarity
  FROM ranked
  LEFT JOIN resolved ON ranked.rank = resolved.id
)
SELECT
  joined.id,
  CASE
    WHEN $resolution = 'components' THEN min(joined.id) OVER (PARTITION BY joined.representative)
    ELSE owners.id
  END AS cluster_id,
  owners.id AS representative_id,
  joined.similarity,
  joined.representative = joined.rank AS kept,
  count(*) OVER (PARTITION BY joined.representative) AS cluster_size
FROM joined
JOIN ranks AS owners ON joined.representative = owners.rank
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
