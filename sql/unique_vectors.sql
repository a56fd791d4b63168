-- unique_vectors(input)
--
-- The rows that can take part in a pair of vectors or signatures: those with an id and bytes, each id once. A
-- packed vector that is zero has no bytes. A building block of the joins.
--
-- Inputs
--   input: side, id, vector, across
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   across: any | a value in which the rows of a pair must differ
--   vector: BinaryView | the packed vector or signature
-- Guarantees
--   The same id twice with the same bytes is one row; with others it is an error that names the id.
SELECT side, id, across, vector
FROM (
  SELECT side, id, min(across) AS across, same_bytes(CAST(id AS VARCHAR), min(vector), max(vector)) AS vector
  FROM input
  -- Vectors are packed below: a filter on them would meet rows that the caller has filtered out.
  WHERE id IS NOT NULL
  GROUP BY side, id
)
WHERE vector <> X''
