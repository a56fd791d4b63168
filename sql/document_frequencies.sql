-- document_frequencies(counts)
--
-- Counts in how many documents of a collection each term occurs.
--
-- Inputs
--   input: id, term
-- Parameters
--   id.document
--   term: column = term | a term of the document
-- Columns
--   term: text | the term
--   df: Int64 | number of distinct documents with the term
-- Guarantees
--   One row for each term. Rows with a NULL id or term are ignored.
-- Example
--   WITH counts AS (SELECT * FROM (VALUES (1, 'mill', 2), (2, 'mill', 1), (2, 'town', 1)) AS v (id, term, tf))
--   SELECT * FROM document_frequencies(counts) ORDER BY term
SELECT term, count(*) AS df
FROM (
  SELECT id, term
  FROM input
  WHERE id IS NOT NULL AND term IS NOT NULL
  GROUP BY id, term
)
GROUP BY term
