-- item_pairs.minhash(input)
--
-- item_pairs by MinHash bands, verified exactly.
SELECT id_a, id_b, max(similarity) AS similarity
FROM minhash_pairs(
  (SELECT side, id, item AS text, group_value FROM input),
  threshold => $threshold,
  shingle => $shingle,
  num_hashes => $num_hashes,
  seed => $seed,
  bands => $bands,
  rows => $rows,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  group_rule => $group_rule
)
GROUP BY id_a, id_b
