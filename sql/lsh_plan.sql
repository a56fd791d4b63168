-- lsh_plan(threshold, target_recall, num_hashes)
--
-- The bands and rows that minhash_join chooses, and what they find. With method 'projection' instead the settings of
-- projection_join for a collection of so many vectors, by the model of Ture, Elsayed and Lin (SIGIR 2011): what each
-- is expected to find and to cost, and which is recommended.
--
-- Parameters
--   threshold: number in (0, 1] = 0.8 | similarity at which target_recall holds
--   target_recall: number in (0, 1) = 0.99 | share of the pairs at the threshold to be found
--   num_hashes: integer in [1, 4096] = 128 | with 'minhash': hash functions that may be used
--   method: one of minhash|projection = 'minhash' | what is planned; the columns differ
--   vectors: integer in [2, 1000000000000] = 1000000 | with 'projection': vectors of the collection
--   bits: integer in [1, 4096] = 1024 | with 'projection': bits of a signature
-- Columns
--   bands: Int64 | keys of a signature
--   rows: Int64 | hash values of a key
--   hashes: Int64 | bands times rows
--   expected_recall: Float64 | probability that a pair at the threshold is found
--   similarity: Float64 | 0.1 to 1.0 in steps of 0.1
--   probability: Float64 | probability that a pair of that similarity becomes a candidate: 1 - (1 - similarity^rows)^bands
-- Guarantees
--   Ten rows, one a similarity.
--   With 'projection' one row a setting: method, bits, max_distance, tables, key_bits and window as projection_join takes them; expected_recall, that is found (in some table) times kept (by the distance test), of pairs at the threshold; unrelated_kept, the share of pairs of cosine 0 that the distance test keeps; relative_cost, of all comparisons ('exhaustive' is 1); recommended, true for the cheapest setting that reaches target_recall.
SELECT
  $bands AS bands,
  $rows AS rows,
  $bands * $rows AS hashes,
  1.0 - power(1.0 - power($threshold, $rows), $bands) AS expected_recall,
  step / 10.0 AS similarity,
  1.0 - power(1.0 - power(step / 10.0, $rows), $bands) AS probability
FROM (SELECT UNNEST(range(1, 11)) AS step)
ORDER BY similarity
