-- similar_pairs.windows(input)
--
-- similar_pairs by standard operators, for sessions without the operator: compares rows that are near in the sorted
-- order of permuted bits.
--
-- Inputs
--   input: side, id, group_value, signature, vector
WITH permuted AS (
  SELECT
    side,
    id,
    group_value,
    UNNEST(range(0, $tables)) AS permutation,
    UNNEST(permuted_signatures(signature, $bits, $tables, $seed)) AS permuted
  FROM input
  WHERE $group_rule = 'any' OR group_value IS NOT NULL
),
numbered AS (
  SELECT
    side,
    id,
    group_value,
    permutation,
    -- The engine has no RANGE frames over binary values, so the frame is in rows.
    row_number() OVER (
      PARTITION BY permutation
      ORDER BY permuted, id, side
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS row_no
  FROM permuted
),
stepped AS (
  SELECT side, id, group_value, permutation, row_no, UNNEST(range(1, $window + 1)) AS step
  FROM numbered
),
neighbours AS (
  SELECT
    CASE WHEN ($sides = 1 AND a.id > b.id) OR ($sides = 2 AND a.side = 1) THEN b.id ELSE a.id END AS id_a,
    CASE WHEN ($sides = 1 AND a.id > b.id) OR ($sides = 2 AND a.side = 1) THEN a.id ELSE b.id END AS id_b
  FROM stepped AS a
  JOIN numbered AS b ON a.permutation = b.permutation AND a.row_no + a.step = b.row_no
  WHERE ($sides = 1 OR a.side <> b.side)
    AND (
      $group_rule = 'any'
      OR ($group_rule = 'differ' AND a.group_value <> b.group_value)
      OR ($group_rule = 'agree' AND a.group_value = b.group_value)
    )
),
candidates AS (
  SELECT id_a, id_b
  FROM neighbours
  GROUP BY id_a, id_b
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
