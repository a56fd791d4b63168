-- minhash_buckets.draws(input)
--
-- minhash_buckets with the keys of scheme 'draws'.
WITH signed AS (
  SELECT id, minhash(tokens, $num_hashes, $shingle, $seed, $bits) AS signature
  FROM (
    SELECT id, shingle_hashes(text, $shingle) AS tokens
    FROM unique_rows(input, normalize => $normalize)
  )
  WHERE cardinality(tokens) > 0
),
keyed AS (
  SELECT id, minhash_draws(signature, $draws, $draw_size, $seed) AS keys
  FROM signed
),
members AS (
  SELECT id, UNNEST(range(0, $draws)) AS band, UNNEST(keys) AS bucket
  FROM keyed
)
SELECT band, bucket, UNNEST(ids) AS id
FROM (
  SELECT band, bucket, array_agg(id) AS ids
  FROM members
  GROUP BY band, bucket
  HAVING count(*) > 1
)
