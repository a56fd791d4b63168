-- signature_pairs.keys(input)
--
-- signature_pairs of rows that share a key: a block of the signature, or the bits that a table samples.
WITH keyed AS (
  SELECT side, id, across, signature, vector, signature_keys(signature, $bits, $tables, $key_bits, $seed) AS keys
  FROM input
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, across, signature, vector, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  verify => $verify,
  threshold => $threshold,
  max_distance => $max_distance,
  bucket_pairs => $bucket_pairs,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
