-- row_pairs(texts, pairs)
--
-- Expands pairs of distinct texts to pairs of rows: every copy of one text with every copy of the other, and all pairs
-- of copies of the same text. A building block of jobs.
--
-- Inputs
--   input: id, ids
--   input_b: id_a, id_b, similarity
-- Columns
--   id_a: as id | the smaller id
--   id_b: as id | the larger id
--   similarity: Float64 | the similarity of the texts; 1 for copies
-- Guarantees
--   A text of k copies gives k * (k - 1) / 2 pairs, and each of its pairs with a text of l copies gives k * l pairs.
WITH members AS (
  SELECT id AS text_id, UNNEST(ids) AS id
  FROM input
),
copies AS (
  SELECT id AS text_id, UNNEST(ids) AS id
  FROM input
  WHERE cardinality(ids) > 1
)
SELECT least(a.id, b.id) AS id_a, greatest(a.id, b.id) AS id_b, input_b.similarity
FROM input_b
JOIN members AS a ON input_b.id_a = a.text_id
JOIN members AS b ON input_b.id_b = b.text_id
UNION ALL
SELECT a.id AS id_a, b.id AS id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM copies AS a
JOIN copies AS b ON a.text_id = b.text_id AND a.id < b.id
