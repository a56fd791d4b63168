-- item_pairs.frequencies(input, frequencies)
--
-- item_pairs by the exact join with token frequencies that were counted before.
SELECT id_a, id_b, max(similarity) AS similarity
FROM prefix_pairs(
  (
    SELECT side, id, group_value, item AS text, shingle_hashes(item, $shingle) AS tokens
    FROM input
  ),
  input_b,
  threshold => $threshold,
  shingle => $shingle,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  group_rule => $group_rule
)
GROUP BY id_a, id_b
