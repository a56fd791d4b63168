-- signature_pairs.keys(input)
--
-- signature_pairs of rows that share a key: a block of the signature, or the bits that a table samples.
WITH keyed AS (
  SELECT
    side,
    id,
    group_value,
    signature,
    vector,
    keys_within(
      signature_keys(signature, $bits, $tables, $key_bits, $seed),
      CASE WHEN $group_rule = 'agree' THEN CAST(group_value AS VARCHAR) ELSE '' END
    ) AS keys
  FROM input
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, group_value, signature, vector, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  verify => $verify,
  threshold => $threshold,
  max_distance => $max_distance,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
