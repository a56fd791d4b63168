-- distinct_nodes(input)
--
-- Returns each distinct text that has a shingle once, with its smallest id and the ids of all of its copies. A building
-- block of near_duplicates.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   method | 'projection': text is a packed vector
--   normalize
--   shingle
-- Columns
--   side: Int8 | 0
--   id: as id | the smallest id with this text
--   across: any | as in the input
--   text: any | the text, normalised if requested, or the vector
--   ids: list of id | every id with this text, the smallest included, in no order
-- Guarantees
--   One row for each distinct text.
SELECT side, id, across, text, ids
FROM distinct_texts(input, normalize => $normalize)
WHERE cardinality(shingle_hashes(text, $shingle)) > 0
