-- rows_with_shared_keys.by_key(input)
--
-- rows_with_shared_keys for joins that are not by blocks.
SELECT *, key_parts(keys, $parts) AS parts
FROM (
  SELECT * EXCLUDE (counted, all_rows, every_row) REPLACE (shared_keys(keys, counted) AS keys)
  FROM (SELECT key_filter(keys) AS counted, 0 AS all_rows FROM input) AS filter
  JOIN (SELECT *, 0 AS every_row FROM input) AS keyed ON filter.all_rows = keyed.every_row
)
