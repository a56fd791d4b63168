-- minhash_pairs(input)
--
-- Finds and verifies pairs of rows whose MinHash signatures share a key: that of a band, or with scheme 'draws' that of
-- hash values drawn with replacement, the same draws for every text (Ayhan, Bradley and Weissman). A building block:
-- minhash_join adds the handling of ids and copies.
--
-- Inputs
--   input: side, id, text, group_value
-- Parameters
--   threshold
--   shingle
--   num_hashes | number of hash functions of a signature
--   seed
--   bits.hash
--   scheme
--   bands | with scheme 'bands': number of keys of a signature
--   rows | with scheme 'bands': hash values per key
--   draws
--   draw_size
--   verify
--   max_bucket_pairwise.block
--   max_bucket
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | the similarity that verify selects; NULL if verify is 'none'
-- Guarantees
--   No reported pair is below the threshold unless verify is 'none'.
WITH sets AS (
  -- What is not used is not computed: the tokens, where no other join needs them, and one of the signatures.
  SELECT
    side,
    id,
    group_value,
    text,
    shingle_hashes(text, $shingle) AS tokens,
    minhash(text, $num_hashes, $shingle, $seed, $bits) AS signature,
    minhash_and_count(text, $num_hashes, $shingle, $seed, $bits) AS counted
  FROM input
),
signed AS (
  SELECT
    *,
    CASE
      WHEN $scheme = 'draws' OR $verify = 'estimate' THEN shingle_count(text, $shingle)
      ELSE number_at(counted, $num_hashes)
    END AS length
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
    length,
    signature,
    keys_within(
      CASE
        WHEN length > 0 THEN CASE
          WHEN $scheme = 'draws' THEN minhash_draws(signature, $draws, $draw_size, $seed)
          WHEN $verify = 'estimate' THEN minhash_bands(signature, $bands, $rows)
          ELSE minhash_bands(counted, $bands, $rows)
        END
      END,
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
      UNNEST(parts) AS part,
      parts[1] AS home
    FROM rows_with_shared_keys(
      keyed,
      threshold => $threshold,
      verify => $verify,
      max_bucket_pairwise => $max_bucket_pairwise,
      max_bucket => $max_bucket,
      parts => $parts,
      group_rule => $group_rule
    )
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
