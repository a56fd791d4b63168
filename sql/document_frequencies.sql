-- document_frequencies(counts)
--
-- In how many documents of a collection each term stands.
--
-- Inputs
--   input: id, term
-- Parameters
--   id: column = id | the id of a document
--   term: column = term | a term of it
-- Columns
--   term: text | the term
--   df: Int64 | distinct documents with it
-- Guarantees
--   A term is one row. Rows of which id or term is NULL do not count.
SELECT term, count(*) AS df
FROM (
  SELECT id, term
  FROM input
  WHERE id IS NOT NULL AND term IS NOT NULL
  GROUP BY id, term
)
GROUP BY term
