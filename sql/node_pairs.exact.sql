-- node_pairs(input)
--
-- Linked pairs between distinct texts, by the method asked for. A building block of near_duplicates.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   method: one of exact|minhash|projection = 'exact' | the exact join, MinHash at a target recall, or random projection, where text is a packed vector
--   resolution: one of representative|components = 'representative' | what the pairs are for, as in near_duplicates
--   threshold: number in (0, 1] = 0.8 | least similarity
--   shingle: shingle = 'word:3' | what a text is cut into
--   target_recall: number in (0, 1) = 0.99 | with 'minhash' and 'projection': share of the pairs at the threshold that are found
--   num_hashes: integer in [1, 4096] = 128 | with 'minhash': hash functions that a signature may use
--   bits: integer in [1, 4096] = 1024 | with 'projection': bits of a signature
--   seed: integer in [0, 9007199254740992] = 1 | with 'minhash' and 'projection': seed of signatures
--   bucket_pairs: integer in [0, 4000000000] = 10000 | as in similar_pairs
--   parts: integer in [1, 65536] = 1 | parts of the key space
-- Columns
--   id_a: as id | the smaller id
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two shingle sets, or exact cosine
-- Guarantees
--   Each pair once, and the same pairs for any number of parts.
--   With 'projection' and resolution 'components' the same components for any number of parts.
SELECT id_a, id_b, max(similarity) AS similarity
FROM exact_pairs(
  input,
  threshold => $threshold,
  shingle => $shingle,
  bucket_pairs => $bucket_pairs,
  parts => $parts
)
GROUP BY id_a, id_b
