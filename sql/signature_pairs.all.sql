-- signature_pairs(input)
--
-- Finds pairs of rows by their bit signatures, or by their vectors alone. A building block of the joins of signatures
-- and vectors.
--
-- Inputs
--   input: side, id, across, signature, vector
-- Parameters
--   method: one of exhaustive|exact|bands|window = 'exhaustive' | which rows are compared: all; those that share one of max_distance + 1 blocks; those that agree in the key_bits bits of a table; or those that are near in sorted order
--   verify: one of hamming|cosine = 'hamming' | as in similar_pairs
--   threshold: number in (0, 1] = 0.8 | with 'cosine': minimum cosine
--   max_distance: integer in [-1, 4096] = -1 | maximum number of differing bits; -1: signatures are not compared
--   bits: integer in [1, 4096] = 64 | bits of a signature
--   tables: integer in [1, 4097] = 1 | number of tables, that is of keys of a signature or of permutations
--   key_bits: integer in [0, 4096] = 0 | bits of a key; 0: keys are blocks of the signature
--   window: integer in [1, 4000000000] = 1 | with 'window': number of preceding rows with which a row is compared
--   chunk: integer in [1, 4000000000] = 65536 | with 'window': rows of a table that are processed at a time
--   seed: integer in [0, 9007199254740992] = 1 | seed for the tables
--   groups: integer in [1, 1024] = 1 | with 'exhaustive': number of groups of rows; each pair of groups is a part
--   bucket_pairs: integer in [0, 4000000000] = 0 | as in similar_pairs
--   parts: integer in [1, 65536] = 1 | number of parts of the work
--   sides: integer in [1, 2] = 1 | 2: only pairs of side 0 with side 1
--   differ: boolean = false | only pairs whose values of across differ
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | the number of differing bits, or the cosine
-- Guarantees
--   Each pair is reported once; with bucket_pairs, a pair may be reported once by each part.
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, across, signature, vector, block['part'] AS part, block['half'] AS half
    FROM (
      SELECT
        side,
        id,
        across,
        signature,
        vector,
        UNNEST(pair_blocks(CAST(id AS VARCHAR), side, $groups, $sides)) AS block
      FROM input
    )
  ),
  candidates => 'all',
  verify => $verify,
  threshold => $threshold,
  max_distance => $max_distance,
  bucket_pairs => $bucket_pairs,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
