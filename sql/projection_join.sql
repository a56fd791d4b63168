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
--   id
--   vector
--   id_b
--   vector_b
--   threshold
--   target_recall | fraction of the pairs at the threshold to be found; with 'window' only the fraction that the distance test keeps
--   bits
--   max_distance = computed | maximum number of bits in which the signatures of a pair differ; default: the smallest that reaches target_recall
--   verify: one of exact|estimate = 'exact' | which similarity is reported: 'exact': the exact cosine, at least the threshold; 'estimate': the estimate from the signatures, which may be below the threshold
--   method: one of exhaustive|bands|window = 'exhaustive' | which signatures are compared: 'exhaustive': all; 'bands': those that agree in the key_bits bits of one of several tables; 'window': those that are near in the sorted order of permuted bits
--   tables | with 'bands' and 'window': number of tables: keys of a signature ('bands') or permutations ('window'); default: chosen for the target recall with 'bands', 20 with 'window'
--   key_bits | with 'bands': bits of a key; default: chosen for the target recall
--   window
--   chunk
--   seed
--   across
--   within
--   parts
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
-- Example
--   WITH vectors AS (SELECT * FROM (VALUES (1, [3.0, 4.0]), (2, [4.0, 3.0]), (3, [-3.0, -4.0])) AS v (id, vector))
--   SELECT * FROM projection_join(vectors, threshold => 0.9)
WITH signed AS (
  SELECT side, id, group_value, vector, random_projection(vector, $bits, $seed) AS signature
  FROM unique_vectors(input, group_rule => $group_rule)
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
  group_rule => $group_rule
)
