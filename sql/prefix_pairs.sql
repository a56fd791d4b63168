-- prefix_pairs(sets, frequencies)
--
-- Finds pairs of similar sets by prefix filtering: the prefix of a set is a number of its rarest tokens such that two
-- sets of the required similarity share at least one prefix token. A building block of exact_pairs.
--
-- Inputs
--   input: side, id, across, tokens
--   input_b: sketch
-- Parameters
--   threshold: number in (0, 1] = 0.8 | minimum Jaccard similarity
--   bucket_pairs: integer in [0, 4000000000] = 0 | a token with more rows than this is an oversized bucket, as in similar_pairs; 0: no limit
--   parts: integer in [1, 65536] = 1 | number of parts of the token space
--   sides: integer in [1, 2] = 1 | 2: only pairs of side 0 with side 1
--   differ: boolean = false | only pairs whose values of across differ
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity
-- Guarantees
--   The single row of frequencies is joined to every set on a constant key, so that it is broadcast.
--   The sketch is a binary view, so that the rows of a batch share its bytes.
WITH keyed AS (
  SELECT
    sets.side,
    sets.id,
    sets.across,
    sets.tokens,
    prefix_tokens(sets.tokens, frequencies.sketch, $threshold) AS keys
  FROM (SELECT arrow_cast(sketch, 'BinaryView') AS sketch, 0 AS all_rows FROM input_b) AS frequencies
  JOIN (SELECT side, id, across, tokens, 0 AS all_rows FROM input) AS sets
    ON frequencies.all_rows = sets.all_rows
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, across, tokens, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  threshold => $threshold,
  verify => 'exact',
  prefixes => true,
  bucket_pairs => $bucket_pairs,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
