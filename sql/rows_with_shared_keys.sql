-- rows_with_shared_keys(input)
--
-- The parts of a join that each row belongs to, and the keys of the row that another row may have: a few keys that no
-- other row has remain, because a filter with collisions counts the rows of a key. A building block of the joins.
--
-- In the join by blocks of similar_pairs a row belongs to the parts for the lengths of sets that may be similar to its
-- own, whatever its keys: with the default threshold to two of eight. Besides, it belongs to the parts of its keys whose
-- buckets may be oversized, which are marked, because what a bucket leaves uncompared depends on all of its rows. In other
-- joins it belongs to the part of each of its keys.
--
-- Inputs
--   input: keys, length and any other columns
-- Parameters
--   threshold | minimum similarity
--   verify.pairs
--   max_bucket_pairwise.block
--   max_bucket
--   parts | number of parts of the join; with one part all keys remain, without marks
--   group_rule
-- Columns
--   keys: any | the keys of the row that another row may have: a list of UInt64; in a join by blocks their highest bit says whether more than max_bucket_pairwise rows may have the key
--   length: any | the number of tokens of the row's set, as in the input
--   parts: any | the parts of the row: a list of UInt32, of which the first is the home of the row in a join by blocks; empty without keys
-- Guarantees
--   All other columns are as in the input.
WITH ranges AS (
  -- Tasks divide the ranges of keys among them. The length of a row is in the line of its first key.
  SELECT repeated_keys(key, $max_bucket_pairwise) AS repeated, length_counts(length) AS lengths
  FROM (SELECT UNNEST(keys) AS key, UNNEST([length]) AS length FROM input)
  GROUP BY key >> 58
),
filter AS (
  SELECT repeated_key_filter(repeated) AS repeated, length_parts(lengths, $parts) AS ranges, 0 AS all_rows
  FROM ranges
)
SELECT * EXCLUDE (ranges), row_parts(keys, length, ranges, $threshold) AS parts
FROM (
  SELECT * EXCLUDE (repeated, all_rows, every_row) REPLACE (marked_keys(keys, repeated) AS keys)
  FROM filter
  JOIN (SELECT *, 0 AS every_row FROM input) AS keyed ON filter.all_rows = keyed.every_row
)
