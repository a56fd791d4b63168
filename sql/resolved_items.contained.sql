-- resolved_items.contained(items, edges)
--
-- resolved_items where an edge says that the first item contains the second: an id is removed if a kept id before it
-- contains it, and the one that contains the largest share of it represents it.
WITH decided AS (
  SELECT outcome['id'] AS node
  FROM (
    SELECT UNNEST(representatives(id_a, id_b, similarity)) AS outcome
    FROM input_b
  )
  WHERE outcome['representative_id'] = outcome['id']
),
outcomes AS (
  SELECT
    outcome['id'] AS node,
    outcome['representative_id'] AS representative,
    outcome['similarity'] AS similarity
  FROM (
    SELECT UNNEST(representatives(input_b.id_a, input_b.id_b, input_b.similarity)) AS outcome
    FROM input_b
    LEFT SEMI JOIN decided ON input_b.id_a = decided.node
  )
),
members AS (
  SELECT id AS node, UNNEST(ids) AS id
  FROM input
)
SELECT
  members.id,
  coalesce(outcomes.representative, members.node) AS representative,
  CASE
    WHEN outcomes.representative <> members.node THEN outcomes.similarity
    WHEN members.id <> members.node THEN 1.0
  END AS similarity
FROM members
LEFT JOIN outcomes ON members.node = outcomes.node
