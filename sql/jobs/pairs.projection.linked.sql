-- pairs.projection.linked
--
-- Step of a job: finds pairs of similar distinct vectors by random projection, verifies them by their cosine, and adds
-- one pair for each copy.
WITH documents AS (
  SELECT CAST(0 AS TINYINT) AS side, id, text, CAST(0 AS TINYINT) AS across
  FROM texts
  WHERE compared
)
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
UNION ALL
SELECT id_a, id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM (
  SELECT id AS id_a, UNNEST(ids) AS id_b
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
WHERE id_a <> id_b
ORDER BY id_a, id_b
