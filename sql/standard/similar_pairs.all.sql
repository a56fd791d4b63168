-- similar_pairs.all(input)
--
-- similar_pairs by standard operators, for sessions without the operator: compares all rows, in one part.
--
-- Inputs
--   input: side, id, group_value, signature, vector
WITH sided AS (
  SELECT side, id, group_value, 0 AS all_rows
  FROM input
),
candidates AS (
  SELECT a.id AS id_a, b.id AS id_b
  FROM sided AS a
  JOIN sided AS b ON a.all_rows = b.all_rows
  WHERE (($sides = 1 AND a.id < b.id) OR ($sides = 2 AND a.side = 0 AND b.side = 1))
    AND (
      $group_rule = 'any'
      OR ($group_rule = 'differ' AND a.group_value <> b.group_value)
      OR ($group_rule = 'agree' AND a.group_value = b.group_value)
    )
)
SELECT id_a, id_b, similarity
FROM compared_pairs(
  input,
  candidates,
  verify => $verify,
  threshold => $threshold,
  max_distance => $max_distance,
  sides => $sides
)
