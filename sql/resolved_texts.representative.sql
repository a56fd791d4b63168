-- resolved_texts(texts, edges)
--
-- Returns the representative of each id of the distinct texts. Smaller ids are earlier in keep order. A building block
-- of near_duplicates and of jobs.
--
-- Inputs
--   input: id, text, ids
--   input_b: id_a, id_b, similarity
-- Parameters
--   resolution: one of representative|components = 'representative' | as in near_duplicates
--   method: one of exact|minhash|projection = 'exact' | with 'components' and 'projection': text is a packed vector
--   shingle: shingle = 'word:3' | with 'components': shingles for the similarity with the representative
-- Columns
--   id: as id | an id of a text
--   representative: as id | the id of its representative
--   similarity: Float64 | exact Jaccard similarity, or cosine, with the representative; NULL if it is the id itself
-- Guarantees
--   All copies of a text have the same representative.
WITH outcomes AS (
  SELECT
    outcome['id'] AS node,
    outcome['representative_id'] AS representative,
    outcome['similarity'] AS similarity
  FROM (
    SELECT UNNEST(representatives(id_a, id_b, similarity)) AS outcome
    FROM input_b
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
