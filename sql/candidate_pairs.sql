-- candidate_pairs(input)
--
-- Pairs of rows that share a key, by standard operators: every two rows of a key become a row. A building block
-- of the text of similar_pairs for sessions that lack our operator.
--
-- Inputs
--   input: side, id, across, keys
-- Parameters
--   max_bucket: integer in [0, 4000000000] = 0 | only the first rows, in id order, of a key take part; 0: all
--   sides: integer in [1, 2] = 1 | 2: only pairs of side 0 with side 1
--   differ: boolean = false | only pairs whose values of across differ
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
-- Guarantees
--   Each pair once.
WITH keyed AS (
  SELECT side, id, across, UNNEST(keys) AS key
  FROM input
),
placed AS (
  SELECT side, id, across, key, row_number() OVER (PARTITION BY key ORDER BY id) AS place
  FROM keyed
),
members AS (
  SELECT side, id, across, key
  FROM placed
  WHERE $max_bucket = 0 OR place <= $max_bucket
)
SELECT a.id AS id_a, b.id AS id_b
FROM members AS a
JOIN members AS b ON a.key = b.key
WHERE (($sides = 1 AND a.id < b.id) OR ($sides = 2 AND a.side = 0 AND b.side = 1))
  AND (NOT $differ OR a.across <> b.across)
GROUP BY a.id, b.id
