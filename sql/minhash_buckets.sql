-- minhash_buckets(input)
--
-- Returns the buckets of MinHash banding. Rows whose signatures agree in a band share a bucket.
--
-- Inputs
--   input: id, text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   threshold: number in (0, 1] = 0.8 | similarity at which target_recall holds
--   shingle: shingle = 'word:3' | how a text is split into shingles: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | whether texts are normalised: NFKC, lower case, runs of white space become one space, trimmed
--   target_recall: number in (0, 1) | fraction of the pairs at the threshold that the bands find; default 0.99
--   num_hashes: integer in [1, 4096] = 128 | maximum number of hash functions of a signature
--   bands: integer in [1, 4096] | number of bands; given together with rows, instead of target_recall
--   rows: integer in [1, 4096] | hash values per band; given together with bands
--   scheme: one of bands|draws = 'bands' | how keys are made of a signature; 'draws': as in the published systems, of hash values drawn with replacement
--   draws: integer in [1, 4096] = 10 | with scheme 'draws': number of keys of a signature
--   draw_size: integer in [1, 4096] = 10 | with scheme 'draws': hash values per key, drawn with replacement
--   bits: integer in [1, 64] = 32 | bits of a hash value
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hash functions
-- Columns
--   band: Int64 | number of the band, from 0
--   bucket: UInt64 | key of the bucket
--   id: as id | id of a row in the bucket
-- Guarantees
--   Only buckets with at least two rows.
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
