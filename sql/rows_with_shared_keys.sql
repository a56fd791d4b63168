-- rows_with_shared_keys(input)
--
-- Removes the keys that no other row has from the keys of each row; a few of them remain, because a filter with
-- collisions counts the rows of a key. In a join of several parts a row is sent to each part that owns one of its keys,
-- so that without those keys most rows are sent to few parts or to none. A building block of the joins.
--
-- Inputs
--   input: keys, and any other columns
-- Parameters
--   parts | number of parts of the join; with one part all keys remain
-- Columns
--   keys: any | the keys of the row that another row may have: a list of UInt64
-- Guarantees
--   All other columns are as in the input.
SELECT * EXCLUDE (counted, all_rows, every_row) REPLACE (shared_keys(keys, counted) AS keys)
FROM (SELECT key_filter(keys) AS counted, 0 AS all_rows FROM input) AS filter
JOIN (SELECT *, 0 AS every_row FROM input) AS keyed ON filter.all_rows = keyed.every_row
