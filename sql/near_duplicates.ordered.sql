-- near_duplicates.ordered(input)
--
-- near_duplicates with a keep order of its own: rows carry their rank in it, and ranks become ids again.
SELECT
  resolved.id,
  CASE
    WHEN $resolution = 'components' THEN min(resolved.id) OVER (PARTITION BY resolved.representative)
    ELSE owners.id
  END AS cluster_id,
  owners.id AS representative_id,
  resolved.similarity,
  resolved.representative = resolved.rank AS kept,
  count(*) OVER (PARTITION BY resolved.representative) AS cluster_size
FROM resolved_duplicates(
  input,
  normalize => $normalize,
  resolution => $resolution,
  method => $method,
  threshold => $threshold,
  shingle => $shingle,
  target_recall => $target_recall,
  num_hashes => $num_hashes,
  seed => $seed,
  bucket_pairs => $bucket_pairs,
  parts => $parts
) AS resolved
JOIN (
  SELECT rank, min(id) AS id
  FROM input
  GROUP BY rank
) AS owners ON resolved.representative = owners.rank
