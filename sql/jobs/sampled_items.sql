-- sampled_items
--
-- View of a job: the texts of the sample (side 0), which are compared with all texts (side 1).
SELECT CAST(0 AS TINYINT) AS side, id, text, group_value
FROM sample
UNION ALL
SELECT CAST(1 AS TINYINT) AS side, id, text, group_value
FROM texts
WHERE compared
