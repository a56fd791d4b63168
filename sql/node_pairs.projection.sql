-- node_pairs.projection(input)
--
-- node_pairs of vectors: compares the random projection signatures of all pairs, and verifies by the exact cosine.
SELECT id_a, id_b, similarity
FROM signature_pairs(
  (
    SELECT side, id, across, text AS vector, random_projection(text, $bits, $seed) AS signature
    FROM input
  ),
  verify => 'cosine',
  threshold => $threshold,
  max_distance => $max_distance,
  bits => $bits,
  bucket_pairs => $bucket_pairs,
  groups => $groups,
  parts => $parts
)
