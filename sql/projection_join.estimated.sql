-- projection_join.estimated(input)
--
-- projection_join without verification: the cosine is estimated from the distance of the signatures.
WITH signed AS (
  SELECT side, id, group_value, random_projection(vector, $bits, $seed) AS signature
  FROM unique_vectors(input, group_rule => $group_rule)
)
SELECT id_a, id_b, hamming_to_cosine(similarity, $bits) AS similarity
FROM signature_pairs(
  (
    SELECT side, id, group_value, signature, CAST(NULL AS BYTEA) AS vector
    FROM signed
  ),
  method => $method,
  verify => 'hamming',
  max_distance => $max_distance,
  bits => $bits,
  tables => $tables,
  key_bits => $key_bits,
  window => $window,
  chunk => $chunk,
  seed => $seed,
  groups => $groups,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
