-- exact_pairs(input)
--
-- Pairs of rows whose shingle sets are similar, by an exact prefix-filter join (Chaudhuri et al. 2006;
-- Bayardo et al. 2007). A building block: jaccard_join adds the handling of ids and copies.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   threshold: number in (0, 1] = 0.8 | minimum Jaccard similarity
--   shingle: shingle = 'word:3' | how a text is split into shingles
--   bucket_pairs: integer in [0, 4000000000] = 0 | a prefix token with more rows than this is an oversized bucket, as in similar_pairs; 0: no limit
--   parts: integer in [1, 65536] = 1 | number of parts of the key space
--   sides: integer in [1, 2] = 1 | 2: only pairs of side 0 with side 1
--   differ: boolean = false | only pairs whose values of across differ
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two shingle sets
-- Guarantees
--   Complete if bucket_pairs is 0 or if no prefix token has more rows than it.
WITH sets AS (
  SELECT side, id, across, shingle_hashes(text, $shingle) AS tokens
  FROM input
),
frequencies AS (
  SELECT token_frequencies(tokens) AS sketch
  FROM sets
)
SELECT id_a, id_b, similarity
FROM prefix_pairs(
  sets,
  frequencies,
  threshold => $threshold,
  bucket_pairs => $bucket_pairs,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
