-- simhash_join(input [, input_b])
--
-- Finds pairs of rows whose texts have SimHashes that differ in few bits. The distance approximates the angle between
-- the weighted shingle vectors, which differs from Jaccard similarity; minhash_join and jaccard_join verify the latter.
-- With two relations, a pair is a row of the first and a row of the second.
--
-- Inputs
--   input: id, text
--   input_b: id, text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   id_b: column | the id column of the second relation; default: that of id
--   text_b: column | the text column of the second relation; default: that of text
--   shingle: shingle = 'word:3' | how a text is split into shingles: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | whether texts are normalised: NFKC, lower case, runs of white space become one space, trimmed
--   bits: integer in [64, 128] = 64 | bits of a SimHash: 64 or 128
--   max_distance: integer in [0, 128] = 3 | maximum number of bits in which the SimHashes of a pair differ
--   method: one of exact|bands|window|exhaustive = 'exact' | which rows are compared: 'exhaustive': all; 'exact': those that agree in one of max_distance + 1 blocks, which finds all pairs, for small distances; 'bands': those that agree in the key_bits bits of one of several tables; 'window': those that are near in the sorted order of permuted bits
--   tables: integer in [1, 4096] | with 'bands' and 'window': number of tables, that is of keys of a signature or of permutations; default 20
--   key_bits: integer in [1, 4096] | with 'bands': bits of a key; default 16
--   window: integer in [1, 1000000] | with 'window': number of preceding rows, in sorted order, with which a row is compared; default 100
--   chunk: integer in [1, 1000000000] | with 'window': rows of a table that are processed at a time; default 65536
--   seed: integer in [0, 9007199254740992] = 1 | with 'bands' and 'window': seed for the tables
--   across: column | only pairs whose values in this column differ; rows with NULL in it are in no pair
--   parts: integer in [1, 65536] = 1 | number of parts of the work; more parts need less memory at a time and more work in total
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   distance: UInt32 | bits in which the SimHashes differ
-- Guarantees
--   No reported pair has a distance above max_distance. 'exact' and 'exhaustive' are complete.
--   Empty texts are in no pair.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Rows with NULL are in no pair.
--   Rows with the same id and the same text are one row; an id with different texts is an error that names the id.
--   The rows do not depend on the number of partitions, parts or chunks.
WITH signed AS (
  SELECT side, id, across, simhash(tokens, $bits) AS signature
  FROM (
    SELECT side, id, across, shingle_hashes(text, $shingle) AS tokens
    FROM unique_rows(input, normalize => $normalize, differ => $differ)
  )
  WHERE cardinality(tokens) > 0
)
SELECT id_a, id_b, CAST(similarity AS INT UNSIGNED) AS distance
FROM signature_pairs(
  (
    SELECT side, id, across, signature, CAST(NULL AS BYTEA) AS vector
    FROM signed
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
