-- signature_pairs(input)
--
-- Finds pairs of rows by their bit signatures, or by their vectors alone. A building block of the joins of signatures
-- and vectors.
--
-- Inputs
--   input: side, id, group_value, signature, vector
-- Parameters
--   method: one of exhaustive|exact|bands|window = 'exhaustive' | which rows are compared: all; those that share one of max_distance + 1 blocks; those that agree in the key_bits bits of a table; or those that are near in sorted order
--   verify.signatures
--   threshold
--   max_distance.block
--   bits
--   tables: integer in [1, 4097] = 1 | number of tables: keys of a signature, or permutations
--   key_bits: integer in [0, 4096] = 0 | bits of a key; 0: keys are blocks of the signature
--   window
--   chunk
--   seed
--   groups: integer in [1, 1024] = 1 | with 'exhaustive': number of groups of rows; each pair of groups is a part
--   max_bucket_pairwise.block
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | the number of differing bits, or the cosine
-- Guarantees
--   Each pair is reported once; with max_bucket_pairwise, a pair may be reported once by each part.
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, group_value, signature, vector, block['part'] AS part, block['in_second_group'] AS in_second_group
    FROM (
      SELECT
        side,
        id,
        group_value,
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
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
