-- rows_with_shared_keys.one(input)
--
-- rows_with_shared_keys for a join of one part.
SELECT *, key_parts(keys, 1) AS parts
FROM input
