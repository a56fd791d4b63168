-- unique_vectors(input)
--
-- Returns the rows that can be in a pair of vectors or signatures: those with an id and a nonempty value, each id once.
-- A packed vector that is zero is empty. A building block of the joins.
--
-- Inputs
--   input: side, id, vector, group_value
-- Parameters
--   group_rule.rows
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   group_value: any | the value that group_rule compares
--   vector: BinaryView | the packed vector or signature
-- Guarantees
--   Rows with the same id and the same bytes are one row.
--   An id with different bytes, or with different values of group_value unless group_rule is 'any', is an error that names the id.
SELECT
  side,
  id,
  CASE WHEN $group_rule = 'any' OR same_group(CAST(id AS VARCHAR), distinct_groups) THEN group_value END AS group_value,
  vector
FROM (
  SELECT
    side,
    id,
    min(group_value) FILTER (WHERE vector IS NOT NULL) AS group_value,
    CASE
      WHEN min(group_value) FILTER (WHERE vector IS NOT NULL) < max(group_value) FILTER (WHERE vector IS NOT NULL) THEN 2
      WHEN count(group_value) FILTER (WHERE vector IS NOT NULL) BETWEEN 1 AND count(vector) - 1 THEN 2
      ELSE 1
    END AS distinct_groups,
    same_bytes(CAST(id AS VARCHAR), min(vector), max(vector)) AS vector
  FROM input
  -- Vectors are packed below this query: a filter on them would also evaluate rows that the caller has filtered out.
  WHERE id IS NOT NULL
  GROUP BY side, id
)
WHERE vector <> X''
