-- node_pairs.first(input)
--
-- node_pairs.projection where each vector is paired with its first similar predecessors only, however the work is
-- divided: a part reports the first that it sees, and pairs that connect what would come apart.
WITH pairs AS (
  SELECT id_a, id_b, similarity, row_number() OVER (PARTITION BY id_b ORDER BY id_a) AS place
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
)
SELECT id_a, id_b, similarity
FROM pairs
WHERE place <= $predecessors
