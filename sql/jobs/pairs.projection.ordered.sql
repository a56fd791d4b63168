-- pairs.projection.ordered
--
-- pairs.projection.linked with vectors ordered by rank in keep order instead of by id, so that the predecessors of a
-- row precede it in keep order.
WITH documents AS (
  SELECT CAST(0 AS TINYINT) AS side, places.rank AS id, texts.text, CAST(0 AS TINYINT) AS across
  FROM texts
  JOIN places ON texts.id = places.id
),
similar AS (
  SELECT id_a, id_b, similarity
  FROM node_pairs(
    documents,
    method => 'projection',
    resolution => $resolution,
    threshold => $threshold,
    target_recall => $target_recall,
    bits => $bits,
    seed => $seed,
    bucket_pairs => $bucket_pairs,
    parts => $parts
  )
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
