-- resolved_items(items, edges)
--
-- Returns the representative of each id of the distinct items. Smaller ids are earlier in keep order. A building block
-- of near_duplicates and of jobs.
--
-- Inputs
--   input: id, item, ids
--   input_b: id_a, id_b, similarity
-- Parameters
--   resolution
--   measure
--   shingle
-- Columns
--   id: as id | an id of an item
--   representative: as id | the id of its representative
--   similarity: Float64 | exact similarity by the measure with the representative; NULL if it is the id itself
-- Guarantees
--   All copies of an item have the same representative.
WITH outcomes AS (
  SELECT id AS node, representative_id AS representative, similarity
  FROM pair_representatives(input_b)
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
