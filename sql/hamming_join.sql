-- hamming_join(input [, input_b])
--
-- Finds pairs of rows whose bit signatures differ in few bits. With two relations, a pair is a row of the first and a
-- row of the second.
--
-- Inputs
--   input: id, signature
--   input_b: id, signature
-- Parameters
--   id: column = id | the id column: integers or texts
--   signature_column: column = signature | the column of signatures: bytes of one length
--   id_b: column | the id column of the second relation; default: that of id
--   signature_column_b: column | the column of signatures of the second relation; default: that of signature_column
--   max_distance: integer in [0, 4096] = 3 | maximum number of bits in which the signatures of a pair differ
--   method: one of exact|bands|window|exhaustive = 'exact' | which rows are compared: 'exhaustive': all; 'exact': those that agree in one of max_distance + 1 blocks, which finds all pairs, for small distances; 'bands': those that agree in the key_bits bits of one of several tables; 'window': those that are near in the sorted order of permuted bits
--   tables: integer in [1, 4096] | with 'bands' and 'window': number of tables, that is of keys of a signature or of permutations; default 20
--   key_bits: integer in [1, 4096] | with 'bands': bits of a key; default 16
--   window: integer in [1, 1000000] | with 'window': number of preceding rows, in sorted order, with which a row is compared; default 100
--   chunk: integer in [1, 1000000000] | with 'window': rows of a table that are processed at a time; default 65536
--   bits: integer in [1, 4096] | bits of a signature; default: all bits of the column's type, which must have a fixed length unless method is 'exhaustive'
--   seed: integer in [0, 9007199254740992] = 1 | with 'bands' and 'window': seed for the tables
--   across: column | only pairs whose values in this column differ; rows with NULL in it are in no pair
--   parts: integer in [1, 65536] = 1 | number of parts of the work; more parts need less memory at a time and more work in total
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   distance: UInt32 | bits in which the signatures differ
-- Guarantees
--   No reported pair has a distance above max_distance. 'exact' and 'exhaustive' are complete; lsh_plan shows the expected recall of the other methods.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Rows with NULL are in no pair.
--   Rows with the same id and the same signature are one row; an id with different signatures is an error that names the id.
--   The rows do not depend on the number of partitions, parts or chunks.
SELECT id_a, id_b, CAST(similarity AS INT UNSIGNED) AS distance
FROM signature_pairs(
  (
    SELECT side, id, across, vector AS signature, CAST(NULL AS BYTEA) AS vector
    FROM unique_vectors(input, differ => $differ)
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
  differ => $differ
)
