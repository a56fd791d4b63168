-- cosine_join(input [, input_b])
--
-- Finds every pair of rows whose vectors have at least the given cosine, by comparing all pairs. With two relations, a
-- pair is a row of the first and a row of the second.
--
-- Inputs
--   input: id, vector
--   input_b: id, vector
-- Parameters
--   id: column = id | the id column: integers or texts
--   vector: column = vector | the column of vectors: lists of numbers of one length, or lists of (term, weight)
--   id_b: column | the id column of the second relation; default: that of id
--   vector_b: column | the column of vectors of the second relation; default: that of vector
--   threshold: number in (0, 1] = 0.8 | minimum cosine of a pair
--   across: column | only pairs whose values in this column differ; rows with NULL in it are in no pair
--   parts: integer in [1, 65536] = 1 | number of parts of the work; more parts need less memory at a time and more work in total
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
SELECT id_a, id_b, similarity
FROM signature_pairs(
  (
    SELECT side, id, across, CAST(NULL AS BYTEA) AS signature, vector
    FROM unique_vectors(input, differ => $differ)
  ),
  verify => 'cosine',
  threshold => $threshold,
  groups => $groups,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
