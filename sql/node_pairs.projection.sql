-- node_pairs.projection(input)
--
-- node_pairs of vectors: signatures by random projection, all with all others, and the exact cosine.
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
