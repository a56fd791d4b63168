-- node_pairs.minhash(input)
--
-- node_pairs by MinHash bands, verified exactly.
SELECT id_a, id_b, max(similarity) AS similarity
FROM minhash_pairs(
  input,
  threshold => $threshold,
  shingle => $shingle,
  num_hashes => $num_hashes,
  seed => $seed,
  bands => $bands,
  rows => $rows,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts
)
GROUP BY id_a, id_b
