-- signature_pairs.windows(input)
--
-- signature_pairs of rows that are near in the sorted order of permuted bits. A pair that is found in several tables is
-- reported once.
SELECT id_a, id_b, max(similarity) AS similarity
FROM similar_pairs(
  (
    SELECT side, id, group_value, signature, vector, UNNEST(range(0, $parts)) AS part
    FROM input
  ),
  candidates => 'windows',
  verify => $verify,
  threshold => $threshold,
  max_distance => $max_distance,
  bits => $bits,
  tables => $tables,
  window => $window,
  chunk => $chunk,
  seed => $seed,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
GROUP BY id_a, id_b
