-- pairs.exact.ordered
--
-- pairs.exact.linked with texts ordered by rank in keep order instead of by id, so that the pivots of oversized buckets
-- are rows that are likely to be kept.
WITH sets AS (
  SELECT
    CAST(0 AS TINYINT) AS side,
    places.rank AS id,
    CAST(0 AS TINYINT) AS across,
    shingle_hashes(texts.text, $shingle) AS tokens
  FROM texts
  JOIN places ON texts.id = places.id
),
similar AS (
  SELECT id_a, id_b, max(similarity) AS similarity
  FROM prefix_pairs(
    sets,
    frequencies,
    threshold => $threshold,
    bucket_pairs => $bucket_pairs,
    parts => $parts
  )
  GROUP BY id_a, id_b
)
SELECT least(a.id, b.id) AS id_a, greatest(a.id, b.id) AS id_b, similar.similarity
FROM similar
JOIN places AS a ON similar.id_a = a.rank
JOIN places AS b ON similar.id_b = b.rank
UNION ALL
SELECT id_a, id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM (
  SELECT id AS id_a, UNNEST(ids) AS id_b
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
WHERE id_a <> id_b
ORDER BY id_a, id_b
