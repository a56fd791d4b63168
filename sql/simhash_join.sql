-- simhash_join(input [, input_b])
--
-- Pairs of rows whose texts have SimHashes that differ in few bits: what is reported is near in angle of the weighted
-- shingles, which is not the same as a Jaccard similarity; minhash_join and jaccard_join verify one. With two
-- relations, pairs of a row of the first with a row of the second.
--
-- Inputs
--   input: id, text
--   input_b: id, text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   id_b: column | the id column of the second relation; default as id
--   text_b: column | the text column of the second relation; default as text
--   shingle: shingle = 'word:3' | what a text is cut into: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | NFKC, lower case, white space runs to one space, trimmed
--   bits: integer in [64, 128] = 64 | bits of a SimHash: 64 or 128
--   max_distance: integer in [0, 128] = 3 | the most bits in which the SimHashes of a pair differ
--   method: one of exact|bands|window|exhaustive = 'exact' | 'exhaustive': all pairs; 'exact': all pairs, found by the max_distance + 1 blocks of which they share one, for small distances; 'bands': those that agree in the key_bits bits of one of some tables; 'window': those that are near in the sorted order of permuted bits
--   tables: integer in [1, 4096] | with 'bands' and 'window': keys of a signature, or permutations; default 20
--   key_bits: integer in [1, 4096] | with 'bands': bits of a key; default 16
--   window: integer in [1, 1000000] | with 'window': rows before a row, in sorted order, that it is compared with; default 100
--   chunk: integer in [1, 1000000000] | with 'window': rows of a table that are compared at a time; default 65536
--   seed: integer in [0, 9007199254740992] = 1 | with 'bands' and 'window': seed of the tables
--   across: column | only pairs whose values in this column differ; rows with NULL there take no part
--   parts: integer in [1, 65536] = 1 | parts of the work; more parts hold less in memory at a time and do more work
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   distance: UInt32 | bits in which the SimHashes differ
-- Guarantees
--   No pair above max_distance. 'exact' and 'exhaustive' find every pair within it.
--   Empty texts pair with nothing.
--   Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
--   The same id twice with the same text is one row; with another one it is an error that names the id.
--   The same rows whatever the number of partitions, parts or chunks.
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
