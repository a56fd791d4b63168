-- item_pairs(input [, frequencies])
--
-- Finds pairs of similar distinct items by the requested method. A building block of near_duplicates and of jobs. The
-- exact join counts the frequencies of the tokens unless they are given.
--
-- Inputs
--   input: side, id, item, across
--   input_b: sketch
-- Parameters
--   method: one of exact|minhash|projection = 'exact' | the exact join, MinHash at a target recall, or random projection, where an item is a packed vector
--   resolution: one of representative|components = 'representative' | the resolution that the pairs are used for, as in near_duplicates
--   threshold: number in (0, 1] = 0.8 | minimum similarity
--   shingle: shingle = 'word:3' | how a text is split into shingles
--   target_recall: number in (0, 1) = 0.99 | with 'minhash' and 'projection': fraction of the pairs at the threshold that are found
--   num_hashes: integer in [1, 4096] = 128 | with 'minhash': maximum number of hash functions of a signature
--   bits: integer in [1, 4096] = 1024 | with 'projection': bits of a signature
--   seed: integer in [0, 9007199254740992] = 1 | with 'minhash' and 'projection': seed of signatures
--   max_bucket_pairwise: integer in [0, 4000000000] = 10000 | as in similar_pairs
--   parts: integer in [1, 65536] = 1 | number of parts of the key space
-- Columns
--   id_a: as id | the smaller id
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two shingle sets, or exact cosine
-- Guarantees
--   Each pair is reported once, and the pairs do not depend on the number of parts.
--   With 'projection' and resolution 'components', only the connected components of the pairs do not depend on it.
SELECT id_a, id_b, max(similarity) AS similarity
FROM exact_pairs(
  (SELECT side, id, item AS text, across FROM input),
  threshold => $threshold,
  shingle => $shingle,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts
)
GROUP BY id_a, id_b
