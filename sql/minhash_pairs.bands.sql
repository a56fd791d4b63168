-- minhash_pairs(input)
--
-- Finds and verifies pairs of rows whose MinHash signatures agree in a band. A building block: minhash_join adds the
-- handling of ids and copies.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   threshold: number in (0, 1] = 0.8 | minimum similarity
--   shingle: shingle = 'word:3' | how a text is split into shingles
--   num_hashes: integer in [1, 4096] = 128 | number of hash functions of a signature
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hash functions
--   bits: integer in [1, 64] = 32 | bits of a hash value
--   scheme: one of bands|draws = 'bands' | how keys are made of a signature
--   bands: integer in [1, 4096] | with scheme 'bands': number of keys of a signature
--   rows: integer in [1, 4096] | with scheme 'bands': hash values per key
--   draws: integer in [1, 4096] = 10 | with scheme 'draws': number of keys of a signature
--   draw_size: integer in [1, 4096] = 10 | with scheme 'draws': hash values per key, drawn with replacement
--   verify: one of exact|edit|estimate|none = 'exact' | as in similar_pairs
--   bucket_pairs: integer in [0, 4000000000] = 0 | as in similar_pairs
--   max_bucket: integer in [0, 4000000000] = 0 | as in similar_pairs
--   parts: integer in [1, 65536] = 1 | number of parts of the key space
--   sides: integer in [1, 2] = 1 | 2: only pairs of side 0 with side 1
--   differ: boolean = false | only pairs whose values of across differ
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | the similarity that verify selects; NULL if verify is 'none'
-- Guarantees
--   No reported pair is below the threshold unless verify is 'none'.
WITH sets AS (
  SELECT side, id, across, text, shingle_hashes(text, $shingle) AS tokens
  FROM input
),
signed AS (
  SELECT side, id, across, text, tokens, minhash(tokens, $num_hashes, $shingle, $seed, $bits) AS signature
  FROM sets
),
keyed AS (
  -- An empty set has no keys. A filter on the set would be pushed down and compute the shingles of each text twice.
  SELECT
    side,
    id,
    across,
    text,
    tokens,
    signature,
    CASE WHEN cardinality(tokens) > 0 THEN minhash_bands(signature, $bands, $rows) END AS keys
  FROM signed
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, across, text, tokens, signature, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  threshold => $threshold,
  verify => $verify,
  bucket_pairs => $bucket_pairs,
  max_bucket => $max_bucket,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
