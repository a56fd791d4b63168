-- item_pairs.projection(input)
--
-- item_pairs of vectors: compares the random projection signatures of all pairs, and verifies by the exact cosine.
SELECT id_a, id_b, similarity
FROM signature_pairs(
  (
    SELECT side, id, group_value, item AS vector, random_projection(item, $bits, $seed) AS signature
    FROM input
  ),
  verify => 'cosine',
  threshold => $threshold,
  max_distance => $max_distance,
  bits => $bits,
  max_bucket_pairwise => $max_bucket_pairwise,
  groups => $groups,
  parts => $parts,
  group_rule => $group_rule
)
