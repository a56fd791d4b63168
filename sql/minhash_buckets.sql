-- minhash_buckets(input)
--
-- Returns the buckets of MinHash banding. Rows whose signatures agree in a band share a bucket.
--
-- Inputs
--   input: id, text
-- Parameters
--   id
--   text.several
--   threshold.planned
--   shingle
--   normalize
--   target_recall
--   num_hashes
--   bands
--   rows
--   scheme
--   draws
--   draw_size
--   bits.hash
--   seed
-- Columns
--   band: Int64 | number of the band, from 0
--   bucket: UInt64 | key of the bucket
--   id: as id | id of a row in the bucket
-- Guarantees
--   Only buckets with at least two rows.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'The old mill by the river burned down in 1897'),
--     (3, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT id, count(*) AS buckets FROM minhash_buckets(docs, shingle => 'char:5') GROUP BY id ORDER BY id
WITH signed AS (
  SELECT id, minhash(tokens, $num_hashes, $shingle, $seed, $bits) AS signature
  FROM (
    SELECT id, shingle_hashes(text, $shingle) AS tokens
    FROM unique_rows(input, normalize => $normalize)
  )
  WHERE cardinality(tokens) > 0
),
keyed AS (
  SELECT
    id,
    CASE
      WHEN $scheme = 'draws' THEN minhash_draws(signature, $draws, $draw_size, $seed)
      ELSE minhash_bands(signature, $bands, $rows)
    END AS keys
  FROM signed
),
members AS (
  SELECT
    id,
    UNNEST(range(0, CASE WHEN $scheme = 'draws' THEN $draws ELSE $bands END)) AS band,
    UNNEST(keys) AS bucket
  FROM keyed
)
SELECT band, bucket, UNNEST(ids) AS id
FROM (
  SELECT band, bucket, array_agg(id) AS ids
  FROM members
  GROUP BY band, bucket
  HAVING count(*) > 1
)
