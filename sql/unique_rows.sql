-- unique_rows(input)
--
-- Returns the rows that can be in a pair: those with an id and a text, each id once, with the text normalised. A
-- building block of the joins.
--
-- Inputs
--   input: side, id, text, group_value
-- Parameters
--   normalize
--   group_rule.rows
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   group_value: any | the value that group_rule compares
--   text: text | the text, normalised if requested
-- Guarantees
--   Rows with the same id and the same text are one row.
--   An id with different texts, or with different values of group_value unless group_rule is 'any', is an error that names the id. Texts of an id are compared by their hashes.
SELECT
  side,
  id,
  CASE WHEN $group_rule = 'any' OR same_group(CAST(id AS VARCHAR), distinct_groups) THEN group_value END AS group_value,
  CASE WHEN $normalize THEN normalize_text(text) ELSE text END AS text
FROM (
  SELECT
    side,
    id,
    min(group_value) AS group_value,
    CASE WHEN min(group_value) < max(group_value) OR count(group_value) BETWEEN 1 AND count(*) - 1 THEN 2 ELSE 1 END AS distinct_groups,
    one_text(CAST(id AS VARCHAR), min(text), min(hash), max(hash)) AS text
  FROM (SELECT side, id, group_value, text, text_hash(text) AS hash FROM input)
  WHERE id IS NOT NULL AND text IS NOT NULL
  GROUP BY side, id
)
