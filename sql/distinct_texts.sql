-- distinct_texts(input)
--
-- Returns each distinct normalised text once, with its smallest id and the ids of all of its copies. A building block
-- of the linked joins and of near_duplicates.
--
-- Inputs
--   input: side, id, text, group_value
-- Parameters
--   normalize
--   group_rule.rows
-- Columns
--   side: Int8 | 0
--   id: as id | the smallest id with this text
--   group_value: any | as in the input
--   text: text | the text, normalised if requested
--   ids: list of id | every id with this text, the smallest included, in no order
-- Guarantees
--   One row for each distinct text.
SELECT
  min(side) AS side,
  min(id) AS id,
  group_value,
  text,
  array_agg(id) AS ids
FROM unique_rows(input, normalize => $normalize, group_rule => $group_rule)
GROUP BY text, group_value
