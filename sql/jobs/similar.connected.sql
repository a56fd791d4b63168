-- similar.connected
--
-- View of a job on vectors: of the pairs found, selects those of each vector with its first similar predecessors, and
-- those of the spanning forest, so that the components are those of all similar pairs. Which further pairs are found
-- depends on how the work is divided; the selected ones do not.
WITH numbered AS (
  SELECT id_a, id_b, similarity, row_number() OVER (PARTITION BY id_b ORDER BY id_a) AS row_no
  FROM found
),
forest AS (
  SELECT pair['id_a'] AS id_a, pair['id_b'] AS id_b
  FROM (
    SELECT UNNEST(spanning_forest(id_a, id_b)) AS pair
    FROM found
  )
)
SELECT numbered.id_a, numbered.id_b, numbered.similarity
FROM numbered
LEFT JOIN forest ON numbered.id_a = forest.id_a AND numbered.id_b = forest.id_b
WHERE numbered.row_no <= $predecessors OR forest.id_a IS NOT NULL
