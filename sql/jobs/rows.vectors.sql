-- rows.vectors
--
-- View of a job on vectors: the rows that can be in a pair, each id once.
SELECT
  id,
  text,
  CASE WHEN $group_rule = 'any' OR same_group(CAST(id AS VARCHAR), distinct_groups) THEN group_value END AS group_value
FROM (
  SELECT
    id,
    same_bytes(CAST(id AS VARCHAR), min(text), max(text)) AS text,
    min(group_value) FILTER (WHERE text IS NOT NULL) AS group_value,
    CASE
      WHEN min(group_value) FILTER (WHERE text IS NOT NULL) < max(group_value) FILTER (WHERE text IS NOT NULL) THEN 2
      WHEN count(group_value) FILTER (WHERE text IS NOT NULL) BETWEEN 1 AND count(text) - 1 THEN 2
      ELSE 1
    END AS distinct_groups
  FROM documents
  WHERE id IS NOT NULL
  GROUP BY id
)
WHERE text IS NOT NULL
