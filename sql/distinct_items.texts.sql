-- distinct_items(input)
--
-- Returns each distinct nonempty item of a group once, with its smallest id and the ids of all of its copies. An item
-- is a text that has a shingle, or a packed vector that is not zero. A building block of near_duplicates.
--
-- Inputs
--   input: side, id, item, group_value
-- Parameters
--   measure
--   normalize
--   shingle
--   group_rule.rows
-- Columns
--   side: Int8 | 0
--   id: as id | the smallest id with this item
--   group_value: any | as in the input
--   item: any | the text, normalised if requested, or the vector
--   ids: list of id | every id with this item, the smallest included, in no order
-- Guarantees
--   One row for each distinct item.
SELECT side, id, group_value, text AS item, ids
FROM distinct_texts(
  (SELECT side, id, item AS text, group_value FROM input),
  normalize => $normalize,
  group_rule => $group_rule
)
WHERE shingle_count(text, $shingle) > 0 AND ($group_rule = 'any' OR group_value IS NOT NULL)
