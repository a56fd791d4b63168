-- item_pairs.first(input)
--
-- item_pairs.projection where each vector is paired only with its first similar predecessors, independently of the
-- number of parts. Each part reports the first predecessors among its own rows, and further pairs that keep components
-- connected; the outer filter selects the overall first ones.
WITH pairs AS (
  SELECT id_a, id_b, similarity, row_number() OVER (PARTITION BY id_b ORDER BY id_a) AS row_no
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
)
SELECT id_a, id_b, similarity
FROM pairs
WHERE row_no <= $predecessors
