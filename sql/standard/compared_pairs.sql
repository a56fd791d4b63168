-- compared_pairs(input, candidates)
--
-- Verifies candidates by the distance of their signatures or the cosine of their vectors, with standard operators. A
-- building block of the SQL text of similar_pairs, for sessions without the operator.
--
-- Inputs
--   input: side, id, signature, vector
--   input_b: id_a, id_b
-- Parameters
--   verify.signatures
--   threshold
--   max_distance.block
--   sides | 2: id_a is of side 0, id_b of side 1
-- Columns
--   id_a: as id | the id of the candidate
--   id_b: as id | the other id
--   similarity: Float64 | the number of differing bits, or the cosine
-- Guarantees
--   A candidate that occurs twice in candidates is verified and reported twice.
WITH compared AS (
  SELECT
    input_b.id_a,
    input_b.id_b,
    hamming_distance(a.signature, b.signature) AS distance,
    CASE
      WHEN $verify = 'hamming' THEN CAST(hamming_distance(a.signature, b.signature) AS DOUBLE)
      ELSE cosine_similarity(a.vector, b.vector)
    END AS similarity
  FROM input_b
  JOIN input AS a ON input_b.id_a = a.id
  JOIN input AS b ON input_b.id_b = b.id
  WHERE $sides = 1 OR (a.side = 0 AND b.side = 1)
)
SELECT id_a, id_b, similarity
FROM compared
WHERE ($max_distance = -1 OR distance <= $max_distance) AND ($verify = 'hamming' OR similarity >= $threshold)
