-- pair_representatives(pairs)
--
-- Returns the representative of each id of similar pairs. Smaller ids are earlier in keep order. A building block of
-- resolved_items.
--
-- Inputs
--   input: id_a, id_b, similarity
-- Columns
--   id: as id | an id of a pair of which neither id is NULL
--   representative_id: as id | the id of the kept row that represents it; the id itself if it is kept
--   similarity: Float64 | the similarity of the two; NULL if it is kept, or if it is unknown
-- Guarantees
--   In keep order, an id that is similar to one already kept is removed, every other one is kept.
--   A removed id has the most similar kept id that it is paired with, the first in keep order among equals.
SELECT
  outcome['id'] AS id,
  outcome['representative_id'] AS representative_id,
  outcome['similarity'] AS similarity
FROM (
  SELECT UNNEST(representatives(id_a, id_b, similarity)) AS outcome
  FROM input
)
