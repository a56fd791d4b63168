-- projection_join(input [, input_b])
--
-- Finds pairs of rows whose vectors have at least the given cosine, by bit signatures of random projection, and
-- verifies them by the exact cosine. The maximum distance of signatures is chosen such that a fraction target_recall of
-- the pairs at the threshold is kept. With two relations, a pair is a row of the first and a row of the second.
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
--   target_recall: number in (0, 1) = 0.99 | fraction of the pairs at the threshold to be found; with 'window' only the fraction that the distance test keeps
--   bits: integer in [1, 4096] = 1024 | bits of a signature
--   max_distance: integer in [0, 4096] | maximum number of bits in which the signatures of a pair differ; default: the smallest that reaches target_recall
--   verify: one of exact|estimate = 'exact' | which similarity is reported: 'exact': the exact cosine, at least the threshold; 'estimate': the estimate from the signatures, which may be below the threshold
--   method: one of exhaustive|bands|window = 'exhaustive' | which signatures are compared: 'exhaustive': all; 'bands': those that agree in the key_bits bits of one of several tables; 'window': those that are near in the sorted order of permuted bits
--   tables: integer in [1, 4096] | with 'bands' and 'window': number of tables, that is of keys of a signature or of permutations; default: chosen for the target recall with 'bands', 20 with 'window'
--   key_bits: integer in [1, 4096] | with 'bands': bits of a key; default: chosen for the target recall
--   window: integer in [1, 1000000] | with 'window': number of preceding rows, in sorted order, with which a row is compared; default 100
--   chunk: integer in [1, 1000000000] | with 'window': rows of a table that are processed at a time; default 65536
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hyperplanes and tables
--   across: column | only pairs whose values in this column differ; rows with NULL in it are in no pair
--   parts: integer in [1, 65536] = 1 | number of parts of the work; more parts need less memory at a time and more work in total
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the cosine, exact or estimated
-- Guarantees
--   No reported pair is below the threshold unless verify is 'estimate'.
--   With 'exhaustive' and 'bands', a pair at the threshold is found with a probability of at least target_recall; lsh_plan shows the expected recall and cost of the methods.
--   Zero and empty vectors are in no pair.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Rows with NULL are in no pair.
--   Rows with the same id and the same vector are one row; an id with different vectors is an error that names the id.
--   The rows do not depend on the number of partitions, parts or chunks.
WITH signed AS (
  SELECT side, id, across, vector, random_projection(vector, $bits, $seed) AS signature
  FROM unique_vectors(input, differ => $differ)
)
SELECT id_a, id_b, similarity
FROM signature_pairs(
  signed,
  method => $method,
  verify => 'cosine',
  threshold => $threshold,
  max_distance => $max_distance,
  bits => $bits,
  tables => $tables,
  key_bits => $key_bits,
  window => $window,
  chunk => $chunk,
  seed => $seed,
  groups => $groups,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
