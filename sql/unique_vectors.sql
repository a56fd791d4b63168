-- unique_vectors(input)
--
-- The rows that can take part in a pair of vectors or signatures: those with an id and bytes, each id once. A
-- packed vector that is zero has no bytes. A building block of the joins.
--
-- Inputs
--   input: side, id, vector, across
-- Parameters
--   differ: boolean = false | whether values of across matter
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   across: any | a value in which the rows of a pair must differ
--   vector: BinaryView | the packed vector or signature
-- Guarantees
--   The same id twice with the same bytes is one row; with others, or another value of across where that matters,
--   it is an error that names the id.
SELECT
  side,
  id,
  CASE WHEN NOT $differ OR same_across(CAST(id AS VARCHAR), places) THEN across END AS across,
  vector
FROM (
  SELECT
    side,
    id,
    min(across) AS across,
    CASE WHEN min(across) < max(across) OR count(across) BETWEEN 1 AND count(*) - 1 THEN 2 ELSE 1 END AS places,
    same_bytes(CAST(id AS VARCHAR), min(vector), max(vector)) AS vector
  FROM input
  -- Vectors are packed below: a filter on them would meet rows that the caller has filtered out.
  WHERE id IS NOT NULL
  GROUP BY side, id
)
WHERE vector <> X''
