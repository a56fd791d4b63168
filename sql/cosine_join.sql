-- cosine_join(input [, input_b])
--
-- Every pair of rows whose vectors have at least the given cosine: all pairs are compared. With two relations, every
-- such pair of a row of the first with a row of the second.
--
-- Inputs
--   input: id, vector
--   input_b: id, vector
-- Parameters
--   id: column = id | the id column: integers or texts
--   vector: column = vector | the column of vectors: lists of numbers of one length, or lists of (term, weight)
--   id_b: column | the id column of the second relation; default as id
--   vector_b: column | the column of vectors of the second relation; default as vector
--   threshold: number in (0, 1] = 0.8 | least cosine of a pair
--   across: column | only pairs whose values in this column differ; rows with NULL there take no part
--   parts: integer in [1, 65536] = 1 | parts of the work; more parts hold less in memory at a time and do more work
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the cosine
-- Guarantees
--   Complete: recall 1 and precision 1, in double precision.
--   Vectors that are zero or empty pair with nothing.
--   Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
--   The same id twice with the same vector is one row; with another one it is an error that names the id.
--   The same rows whatever the number of partitions, parts or chunks.
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
