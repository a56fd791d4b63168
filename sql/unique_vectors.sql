-- unique_vectors(input)
--
-- Returns the rows that can be in a pair of vectors or signatures: those with an id and a nonempty value, each id once.
-- A packed vector that is zero is empty. A building block of the joins.
--
-- Inputs
--   input: side, id, vector, across
-- Parameters
--   differ.rows
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   across: any | a value in which the rows of a pair must differ
--   vector: BinaryView | the packed vector or signature
-- Guarantees
--   Rows with the same id and the same bytes are one row.
--   An id with different bytes, or with different values of across if that is used, is an error that names the id.
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
  -- Vectors are packed below this query: a filter on them would also evaluate rows that the caller has filtered out.
  WHERE id IS NOT NULL
  GROUP BY side, id
)
WHERE vector <> X''
