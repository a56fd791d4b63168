-- near_duplicates.ordered(input)
--
-- near_duplicates with a keep order other than that of ids: rows are resolved by their rank in keep order, and ranks
-- are mapped back to ids.
SELECT
  resolved.id,
  CASE
    WHEN $resolution = 'components' THEN min(resolved.id) OVER (PARTITION BY resolved.representative)
    ELSE representatives.id
  END AS cluster_id,
  representatives.id AS representative_id,
  resolved.similarity,
  resolved.representative IS NOT DISTINCT FROM resolved.rank AS kept,
  CASE
    WHEN resolved.representative IS NULL THEN 1
    ELSE count(*) OVER (PARTITION BY resolved.representative)
  END AS cluster_size
FROM resolved_duplicates(
  input,
  normalize => $normalize,
  resolution => $resolution,
  measure => $measure,
  method => $method,
  threshold => $threshold,
  shingle => $shingle,
  target_recall => $target_recall,
  num_hashes => $num_hashes,
  bits => $bits,
  seed => $seed,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  group_rule => $group_rule
) AS resolved
LEFT JOIN input AS representatives ON resolved.representative = representatives.rank
