-- hamming_join(input [, input_b])
--
-- Pairs of rows whose bit signatures differ in few bits. With two relations, pairs of a row of the first with a row of
-- the second.
--
-- Inputs
--   input: id, signature
--   input_b: id, signature
-- Parameters
--   id: column = id | the id column: integers or texts
--   signature_column: column = signature | the column of signatures: bytes of one length
--   id_b: column | the id column of the second relation; default as id
--   signature_column_b: column | the column of signatures of the second relation; default as signature_column
--   max_distance: integer in [0, 4096] = 3 | the most bits in which the signatures of a pair differ
--   method: one of exact|bands|window|exhaustive = 'exact' | 'exhaustive': all pairs; 'exact': all pairs, found by the max_distance + 1 blocks of which they share one, for small distances; 'bands': those that agree in the key_bits bits of one of some tables; 'window': those that are near in the sorted order of permuted bits
--   tables: integer in [1, 4096] | with 'bands' and 'window': keys of a signature, or permutations; default 20
--   key_bits: integer in [1, 4096] | with 'bands': bits of a key; default 16
--   window: integer in [1, 1000000] | with 'window': rows before a row, in sorted order, that it is compared with; default 100
--   chunk: integer in [1, 1000000000] | with 'window': rows of a table that are compared at a time; default 65536
--   bits: integer in [1, 4096] | bits of a signature; default those of its bytes, which must be known where the method is not 'exhaustive'
--   seed: integer in [0, 9007199254740992] = 1 | with 'bands' and 'window': seed of the tables
--   across: column | only pairs whose values in this column differ; rows with NULL there take no part
--   parts: integer in [1, 65536] = 1 | parts of the work; more parts hold less in memory at a time and do more work
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   distance: UInt32 | bits in which the signatures differ
-- Guarantees
--   No pair above max_distance. 'exact' and 'exhaustive' are complete; lsh_plan says what the other methods find.
--   Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
--   The same id twice with the same signature is one row; with another one it is an error that names the id.
--   The same rows whatever the number of partitions, parts or chunks.
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
