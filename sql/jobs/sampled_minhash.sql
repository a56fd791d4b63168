-- sampled_minhash
--
-- Step of a job: finds the pairs of a text of the sample and another text by MinHash.
SELECT id_a, id_b, max(similarity) AS similarity
FROM minhash_pairs(
  sampled_items,
  threshold => $threshold,
  shingle => $shingle,
  num_hashes => $num_hashes,
  seed => $seed,
  bands => $bands,
  rows => $rows,
  parts => $parts,
  sides => 2,
  group_rule => $group_rule
)
WHERE id_a <> id_b
GROUP BY id_a, id_b
