-- items
--
-- View of a job: selects the distinct texts or vectors that are compared.
SELECT CAST(0 AS TINYINT) AS side, id, text AS item, group_value
FROM texts
WHERE compared
