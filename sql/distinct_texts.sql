-- distinct_texts(input)
--
-- Each distinct normalised text once, standing for its copies by its smallest id.
-- A building block of the linked joins and of near_duplicates.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   normalize: boolean = true | NFKC, lower case, white space runs to one space, trimmed
-- Columns
--   side: Int8 | 0
--   id: as id | the smallest id with this text
--   across: any | as in the input
--   text: text | the text, normalised where asked for
--   ids: list of id | every id with this text, the smallest included, in no order
-- Guarantees
--   k copies are one row.
SELECT
  min(side) AS side,
  min(id) AS id,
  across,
  text,
  array_agg(id) AS ids
FROM unique_rows(input, normalize => $normalize)
GROUP BY text, across
