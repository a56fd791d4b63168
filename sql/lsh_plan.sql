-- lsh_plan(threshold, target_recall, num_hashes)
--
-- Shows the bands and rows that minhash_join chooses, and their expected recall. With method 'projection' it shows the
-- possible settings of projection_join for a collection of a given number of vectors, by the model of Ture, Elsayed and
-- Lin (SIGIR 2011): their expected recall and cost, and which one is recommended.
--
-- Parameters
--   threshold.planned
--   target_recall
--   num_hashes
--   method: one of minhash|projection = 'minhash' | the join to plan for; the columns of the result differ
--   vectors: integer in [2, 1000000000000] = 1000000 | with 'projection': number of vectors of the collection
--   bits
-- Columns
--   bands: Int64 | number of bands, that is keys of a signature
--   rows: Int64 | hash values of a key
--   hashes: Int64 | bands times rows
--   expected_recall: Float64 | probability that a pair at the threshold is found
--   similarity: Float64 | 0.1 to 1.0 in steps of 0.1
--   probability: Float64 | probability that a pair of that similarity becomes a candidate: 1 - (1 - similarity^rows)^bands
-- Guarantees
--   Ten rows, one for each similarity.
--   With 'projection' one row for each setting, with the columns method, bits, max_distance, tables, key_bits and window as projection_join takes them; expected_recall, of pairs at the threshold, the product of found (in at least one table) and kept (by the distance test); unrelated_kept, the fraction of pairs of cosine 0 that the distance test keeps; relative_cost, relative to comparing all pairs ('exhaustive' is 1); recommended, true for the cheapest setting that reaches target_recall.
-- Example
--   SELECT DISTINCT bands, rows, hashes, expected_recall FROM lsh_plan(threshold => 0.8, target_recall => 0.99)
SELECT
  $bands AS bands,
  $rows AS rows,
  $bands * $rows AS hashes,
  1.0 - power(1.0 - power($threshold, $rows), $bands) AS expected_recall,
  step / 10.0 AS similarity,
  1.0 - power(1.0 - power(step / 10.0, $rows), $bands) AS probability
FROM (SELECT UNNEST(range(1, 11)) AS step)
ORDER BY similarity
