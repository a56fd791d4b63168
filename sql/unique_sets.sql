-- unique_sets(input)
--
-- Returns the rows of sets that can be in a pair: those with an id and a list that is not NULL, each id once. A
-- building block of jaccard_join.
--
-- Inputs
--   input: side, id, tokens, group_value
-- Parameters
--   group_rule.rows
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   group_value: any | the value that group_rule compares
--   tokens: List(UInt64) | the members of the set: sorted distinct hashes
-- Guarantees
--   Rows with the same id and the same set are one row.
--   An id with different sets, or with different values of group_value unless group_rule is 'any', is an error that names the id.
SELECT
  side,
  id,
  CASE WHEN $group_rule = 'any' OR same_group(CAST(id AS VARCHAR), distinct_groups) THEN group_value END AS group_value,
  tokens
FROM (
  SELECT
    side,
    id,
    min(group_value) AS group_value,
    CASE WHEN min(group_value) < max(group_value) OR count(group_value) BETWEEN 1 AND count(*) - 1 THEN 2 ELSE 1 END AS distinct_groups,
    CASE
      WHEN same_bytes(CAST(id AS VARCHAR), CAST(min(signature) AS BYTEA), CAST(max(signature) AS BYTEA)) IS NOT NULL
      -- The sets of an id are equal. Without an order the engine counts the memory of a whole batch for each of them.
      THEN first_value(tokens ORDER BY signature)
    END AS tokens
  FROM (
    SELECT side, id, group_value, tokens, coalesce(CAST(set_signature(tokens)[1] AS VARCHAR), '') AS signature
    FROM (
      SELECT side, id, group_value, set_hashes(tokens) AS tokens
      FROM input
      WHERE id IS NOT NULL AND tokens IS NOT NULL
    )
  )
  GROUP BY side, id
)
