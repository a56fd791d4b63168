-- lsh_plan(threshold, target_recall, num_hashes)
--
-- The bands and rows that minhash_join chooses, and what they find.
--
-- Parameters
--   threshold: number in (0, 1] = 0.8 | similarity at which target_recall holds
--   target_recall: number in (0, 1) = 0.99 | share of the pairs at the threshold to be found
--   num_hashes: integer in [1, 4096] = 128 | hash functions that may be used
-- Columns
--   bands: Int64 | keys of a signature
--   rows: Int64 | hash values of a key
--   hashes: Int64 | bands times rows
--   expected_recall: Float64 | probability that a pair at the threshold is found
--   similarity: Float64 | 0.1 to 1.0 in steps of 0.1
--   probability: Float64 | probability that a pair of that similarity becomes a candidate: 1 - (1 - similarity^rows)^bands
-- Guarantees
--   Ten rows, one a similarity.
SELECT
  $bands AS bands,
  $rows AS rows,
  $bands * $rows AS hashes,
  1.0 - power(1.0 - power($threshold, $rows), $bands) AS expected_recall,
  step / 10.0 AS similarity,
  1.0 - power(1.0 - power(step / 10.0, $rows), $bands) AS probability
FROM (SELECT UNNEST(range(1, 11)) AS step)
ORDER BY similarity
