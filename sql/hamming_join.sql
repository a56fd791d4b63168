-- hamming_join(input [, input_b])
--
-- Finds pairs of rows whose bit signatures differ in few bits. With two relations, a pair is a row of the first and a
-- row of the second.
--
-- Inputs
--   input: id, signature
--   input_b: id, signature
-- Parameters
--   id
--   signature_column
--   id_b
--   signature_column_b
--   max_distance
--   method.signatures
--   tables
--   key_bits
--   window
--   chunk
--   bits = computed | bits of a signature; default: all bits of the column's type, which must have a fixed length unless method is 'exhaustive'
--   seed
--   across
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   distance: UInt32 | bits in which the signatures differ
-- Guarantees
--   No reported pair has a distance above max_distance. 'exact' and 'exhaustive' are complete; lsh_plan shows the expected recall of the other methods.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Rows with NULL are in no pair.
--   Rows with the same id and the same signature are one row; an id with different signatures is an error that names the id.
--   The rows do not depend on the number of partitions, parts or chunks.
-- Example
--   WITH signed AS (
--     SELECT id, simhash(text, 64, 'word:1') AS signature
--     FROM (VALUES (1, 'the old mill by the river'), (2, 'the old mill at the river'), (3, 'a castle')) AS v (id, text)
--   )
--   SELECT * FROM hamming_join(signed, max_distance => 16, method => 'exhaustive')
SELECT id_a, id_b, CAST(similarity AS INT UNSIGNED) AS distance
FROM signature_pairs(
  (
    SELECT side, id, group_value, vector AS signature, CAST(NULL AS BYTEA) AS vector
    FROM unique_vectors(input, group_rule => $group_rule)
  ),
  method => $method,
  verify => 'hamming',
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
