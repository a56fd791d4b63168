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
--   id
--   text.several
--   id_b
--   text_b.several
--   shingle
--   normalize
--   bits: integer in [64, 128] = 64 | bits of a SimHash: 64 or 128
--   max_distance: integer in [0, 128] = 3 | maximum number of bits in which the SimHashes of a pair differ
--   method.signatures
--   tables
--   key_bits
--   window
--   chunk
--   seed
--   across
--   within
--   parts
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
-- Example
--   WITH docs AS (
--     SELECT * FROM (VALUES
--       (1, 'The old mill by the river was built in 1820 by the miller.'),
--       (2, 'The old mill by the river was built in 1820 by a miller.'),
--       (3, 'Something else is written here.')
--     ) AS v (id, text)
--   )
--   SELECT * FROM simhash_join(docs, max_distance => 20, method => 'exhaustive')
WITH signed AS (
  SELECT side, id, group_value, simhash(tokens, $bits) AS signature
  FROM (
    SELECT side, id, group_value, shingle_hashes(text, $shingle) AS tokens
    FROM unique_rows(input, normalize => $normalize, group_rule => $group_rule)
  )
  WHERE cardinality(tokens) > 0
)
SELECT id_a, id_b, CAST(similarity AS INT UNSIGNED) AS distance
FROM signature_pairs(
  (
    SELECT side, id, group_value, signature, CAST(NULL AS BYTEA) AS vector
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
  group_rule => $group_rule
)
