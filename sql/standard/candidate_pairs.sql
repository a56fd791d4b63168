-- candidate_pairs(input)
--
-- Finds pairs of rows that share a key by standard operators, with a self join on the keys. A building block of the
-- SQL text of similar_pairs, for sessions without the operator.
--
-- Inputs
--   input: side, id, group_value, keys
-- Parameters
--   max_bucket
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
-- Guarantees
--   Each pair is reported once.
WITH keyed AS (
  SELECT side, id, group_value, UNNEST(keys) AS key
  FROM input
),
numbered AS (
  SELECT side, id, group_value, key, row_number() OVER (PARTITION BY key ORDER BY id) AS row_no
  FROM keyed
),
members AS (
  SELECT side, id, group_value, key
  FROM numbered
  WHERE $max_bucket = 0 OR row_no <= $max_bucket
)
SELECT a.id AS id_a, b.id AS id_b
FROM members AS a
JOIN members AS b ON a.key = b.key
WHERE (($sides = 1 AND a.id < b.id) OR ($sides = 2 AND a.side = 0 AND b.side = 1))
  AND (
    $group_rule = 'any'
    OR ($group_rule = 'differ' AND a.group_value <> b.group_value)
    OR ($group_rule = 'agree' AND a.group_value = b.group_value)
  )
GROUP BY a.id, b.id
