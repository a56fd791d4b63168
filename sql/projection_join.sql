-- projection_join(input [, input_b])
--
-- Pairs of rows whose vectors have at least the given cosine, found by bit signatures of random projection and verified:
-- signatures may differ in so many bits that target_recall of the pairs at the threshold stay, and the exact cosine
-- decides. With two relations, pairs of a row of the first with a row of the second.
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
--   target_recall: number in (0, 1) = 0.99 | share of the pairs at the threshold to be found; with 'window' the share that the distance test keeps
--   bits: integer in [1, 4096] = 1024 | bits of a signature
--   max_distance: integer in [0, 4096] | the most bits in which signatures differ; default the least that keeps target_recall
--   verify: one of exact|estimate = 'exact' | what similarity is: the exact cosine, at least the threshold, or the estimate of the signatures, which may be below it
--   method: one of exhaustive|bands|window = 'exhaustive' | 'exhaustive': all signatures with all others; 'bands': those that agree in the key_bits bits of one of some tables; 'window': those that are near in the sorted order of permuted bits
--   tables: integer in [1, 4096] | with 'bands' and 'window': keys of a signature, or permutations; default for the target recall, or 20 permutations
--   key_bits: integer in [1, 4096] | with 'bands': bits of a key; default for the target recall
--   window: integer in [1, 1000000] | with 'window': rows before a row, in sorted order, that it is compared with; default 100
--   chunk: integer in [1, 1000000000] | with 'window': rows of a table that are compared at a time; default 65536
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hyperplanes and tables
--   across: column | only pairs whose values in this column differ; rows with NULL there take no part
--   parts: integer in [1, 65536] = 1 | parts of the work; more parts hold less in memory at a time and do more work
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the cosine, as verify says
-- Guarantees
--   No pair below the threshold unless verify is 'estimate'.
--   A pair at the threshold is found with probability target_recall at least ('exhaustive', 'bands'); lsh_plan shows what methods find and cost.
--   Vectors that are zero or empty pair with nothing.
--   Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
--   The same id twice with the same vector is one row; with another one it is an error that names the id.
--   The same rows whatever the number of partitions, parts or chunks.
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
