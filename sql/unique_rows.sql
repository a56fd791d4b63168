-- unique_rows(input)
--
-- The rows that can take part in a pair: those with an id and a text, each id once, the text normalised.
-- A building block of the joins.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   normalize: boolean = true | NFKC, lower case, white space runs to one space, trimmed
--   differ: boolean = false | whether values of across matter
-- Columns
--   side: Int8 | 0 for the first relation of a join, 1 for the second
--   id: as id | the id
--   across: any | a value in which the rows of a pair must differ
--   text: text | the text, normalised where asked for
-- Guarantees
--   The same id twice with the same text is one row; with another text, or another value of across where that
--   matters, it is an error that names the id.
SELECT
  side,
  id,
  CASE WHEN NOT $differ OR same_across(CAST(id AS VARCHAR), places) THEN across END AS across,
  CASE WHEN $normalize THEN normalize_text(text) ELSE text END AS text
FROM (
  SELECT
    side,
    id,
    min(across) AS across,
    CASE WHEN min(across) < max(across) OR count(across) BETWEEN 1 AND count(*) - 1 THEN 2 ELSE 1 END AS places,
    same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text
  FROM input
  WHERE id IS NOT NULL AND text IS NOT NULL
  GROUP BY side, id
)
