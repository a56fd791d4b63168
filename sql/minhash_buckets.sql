-- minhash_buckets(input)
--
-- The buckets of a MinHash banding: rows that agree in a band share one.
--
-- Inputs
--   input: id, text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   threshold: number in (0, 1] = 0.8 | similarity at which target_recall holds
--   shingle: shingle = 'word:3' | what a text is cut into: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | NFKC, lower case, white space runs to one space, trimmed
--   target_recall: number in (0, 1) | share of the pairs at the threshold that the bands find; default 0.99
--   num_hashes: integer in [1, 4096] = 128 | hash functions that a signature may use
--   bands: integer in [1, 4096] | explicit number of bands; with rows, instead of target_recall
--   rows: integer in [1, 4096] | hash values a band
--   scheme: one of bands|draws = 'bands' | 'draws': the keys of the published systems
--   draws: integer in [1, 4096] = 10 | with scheme 'draws': keys of a signature
--   draw_size: integer in [1, 4096] = 10 | with scheme 'draws': hash values a draw, with replacement
--   bits: integer in [1, 64] = 32 | bits of a hash value
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hash functions
-- Columns
--   band: Int64 | number of the band, from 0
--   bucket: UInt64 | key of the bucket
--   id: as id | a row in it
-- Guarantees
--   Buckets of two rows or more.
WITH signed AS (
  SELECT id, minhash(tokens, $num_hashes, $shingle, $seed, $bits) AS signature
  FROM (
    SELECT id, shingle_hashes(text, $shingle) AS tokens
    FROM unique_rows(input, normalize => $normalize)
  )
  WHERE cardinality(tokens) > 0
),
keyed AS (
  SELECT id, minhash_bands(signature, $bands, $rows) AS keys
  FROM signed
),
members AS (
  SELECT id, UNNEST(range(0, $bands)) AS band, UNNEST(keys) AS bucket
  FROM keyed
)
SELECT band, bucket, UNNEST(ids) AS id
FROM (
  SELECT band, bucket, array_agg(id) AS ids
  FROM members
  GROUP BY band, bucket
  HAVING count(*) > 1
)
