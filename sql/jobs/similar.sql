-- similar
--
-- View or step of a job: finds pairs of similar items and verifies them. max_bucket_pairwise is 0 if all pairs are wanted.
SELECT id_a, id_b, similarity
FROM item_pairs(
  items,
  frequencies,
  measure => $measure,
  method => $method,
  resolution => $resolution,
  threshold => $threshold,
  shingle => $shingle,
  target_recall => $target_recall,
  num_hashes => $num_hashes,
  bits => $bits,
  seed => $seed,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  group_rule => $group_rule
)
