-- rows_with_shared_keys(input)
--
-- Removes the keys that no other row has from the keys of each row; a few of them remain, because a filter with
-- collisions counts the rows of a key. In a join of several parts a row is sent to each part that owns one of its keys,
-- so that without those keys most rows are sent to few parts or to none. Besides, marks the keys whose buckets may be
-- oversized, so that a pair whose rows share another key belongs to one part. A building block of the joins.
--
-- Inputs
--   input: keys, and any other columns
-- Parameters
--   max_bucket_pairwise.block
--   parts | number of parts of the join; with one part all keys remain, without marks
-- Columns
--   keys: any | the keys of the row that another row may have: a list of UInt64; their highest bit says whether more than max_bucket_pairwise rows may have the key
-- Guarantees
--   All other columns are as in the input.
SELECT * EXCLUDE (counted, frequent, all_rows, every_row) REPLACE (shared_keys(keys, counted, frequent) AS keys)
FROM (
  SELECT key_filter(keys) AS counted, frequent_keys(keys, $max_bucket_pairwise) AS frequent, 0 AS all_rows
  FROM input
) AS filter
JOIN (SELECT *, 0 AS every_row FROM input) AS keyed ON filter.all_rows = keyed.every_row
