-- cosine_join(input [, input_b])
--
-- Finds every pair of rows whose vectors have at least the given cosine, by comparing all pairs. With two relations, a
-- pair is a row of the first and a row of the second.
--
-- Inputs
--   input: id, vector
--   input_b: id, vector
-- Parameters
--   id
--   vector
--   id_b
--   vector_b
--   threshold
--   across
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the cosine
-- Guarantees
--   Complete: recall 1 and precision 1, in double precision.
--   Zero and empty vectors are in no pair.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Rows with NULL are in no pair.
--   Rows with the same id and the same vector are one row; an id with different vectors is an error that names the id.
--   The rows do not depend on the number of partitions, parts or chunks.
-- Example
--   WITH vectors AS (SELECT * FROM (VALUES (1, [3.0, 4.0]), (2, [4.0, 3.0]), (3, [-3.0, -4.0])) AS v (id, vector))
--   SELECT * FROM cosine_join(vectors, threshold => 0.9)
SELECT id_a, id_b, similarity
FROM signature_pairs(
  (
    SELECT side, id, group_value, CAST(NULL AS BYTEA) AS signature, vector
    FROM unique_vectors(input, group_rule => $group_rule)
  ),
  verify => 'cosine',
  threshold => $threshold,
  groups => $groups,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
