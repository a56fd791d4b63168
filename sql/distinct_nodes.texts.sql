-- distinct_nodes(input)
--
-- What can be near something: each distinct text that has a shingle once, standing for its copies by its smallest id.
-- A building block of near_duplicates.
--
-- Inputs
--   input: side, id, text, across
-- Parameters
--   method: one of exact|minhash|projection = 'exact' | 'projection': text is a packed vector
--   normalize: boolean = true | of texts: NFKC, lower case, white space runs to one space, trimmed
--   shingle: shingle = 'word:3' | what a text is cut into
-- Columns
--   side: Int8 | 0
--   id: as id | the smallest id with this text
--   across: any | as in the input
--   text: any | the text, normalised where asked for, or the vector
--   ids: list of id | every id with this text, the smallest included, in no order
-- Guarantees
--   k copies are one row.
SELECT side, id, across, text, ids
FROM distinct_texts(input, normalize => $normalize)
WHERE cardinality(shingle_hashes(text, $shingle)) > 0
