-- minhash_pairs.draws(input)
--
-- minhash_pairs with the keys of the published systems: hash values drawn with replacement from the
-- signature, the same draws for every text (Ayhan, Bradley and Weissman).
WITH sets AS (
  SELECT side, id, group_value, text, shingle_hashes(text, $shingle) AS tokens
  FROM input
),
signed AS (
  SELECT side, id, group_value, text, tokens, minhash(tokens, $num_hashes, $shingle, $seed, $bits) AS signature
  FROM sets
),
keyed AS (
  -- An empty set has no keys. A filter on the set would be pushed down and compute the shingles of each text twice.
  SELECT
    side,
    id,
    group_value,
    text,
    tokens,
    cardinality(tokens) AS length,
    signature,
    keys_within(
      CASE WHEN cardinality(tokens) > 0 THEN minhash_draws(signature, $draws, $draw_size, $seed) END,
      CASE WHEN $group_rule = 'agree' THEN CAST(group_value AS VARCHAR) ELSE '' END
    ) AS keys
  FROM signed
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT
      side,
      id,
      group_value,
      text,
      tokens,
      length,
      signature,
      keys,
      UNNEST(key_parts(keys, $parts)) AS part
    FROM rows_with_shared_keys(keyed, parts => $parts)
  ),
  threshold => $threshold,
  verify => $verify,
  shingle => $shingle,
  max_bucket_pairwise => $max_bucket_pairwise,
  max_bucket => $max_bucket,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
