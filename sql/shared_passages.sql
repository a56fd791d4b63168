-- shared_passages(input)
--
-- Finds the verbatim passages of at least a number of words or characters that occur in two or more texts, grouped by
-- their content: the result has a row for each occurrence of a passage, not for each pair of texts.
--
-- Texts are not compared in pairs: the time follows the length of the texts and of the passages that are reported. The parts
-- that texts have in common are stored once, with 6 bytes for each word or 3 for each character; they must fit into memory, on a cluster into the memory of one task and into 256 MiB.
--
-- Inputs
--   input: side, id, text, group_value
-- Parameters
--   id
--   text.verbatim
--   min_words
--   min_passage
--   filter_bytes
-- Columns
--   passage: UInt64 | the XXH3-64 hash of the passage: of its units joined by one space, or of its characters
--   id: as id | a text in which it occurs
--   start_char: Int64 | offset of its first character in the text
--   end_char: Int64 | offset after its last character
--   start_byte: Int64 | the same in bytes
--   end_byte: Int64 | the same in bytes
--   length: Int64 | number of units of the passage
--   occurrences: Int64 | number of occurrences of the passage, which are its rows
--   texts: Int64 | number of texts in which it occurs
-- Guarantees
--   Complete and maximal: for any two rows of the input, each run of equal units of at least the minimum length that cannot be extended in both texts, with its position in each.
--   Each occurrence of a passage is reported once. Words are compared by 48 bits of their XXH3-64 hashes, and a passage must have the same XXH3-64 hash in two texts, so that no row is of words that differ, except with a probability below 1e-19 for each passage. A passage after or before which two texts have different words with the same 48 bits is left out, with a probability below 1e-14 for each pair of its occurrences. Of 1e7 texts, a passage that occurs only in two whose hashes collide is left out with a probability below 1e-5.
--   Passages of one text may overlap, and one may contain another: a passage that two texts share can be a part of a passage that others share.
--   An occurrence that is a part of a longer passage with every other text has a row for the longer passage only, and does not count in occurrences and texts of the shorter one.
--   With 'word', words are compared without normalisation, and the characters between them are not compared; with 'space' everything except runs of white space is compared, with 'char' everything.
--   Rows with NULL are not compared. An id with different texts is an error that names the id.
--   The rows do not depend on the number of partitions.
-- Example
--   WITH docs AS (
--     SELECT * FROM (VALUES
--       (1, 'It is said that the old mill by the river burned down in 1896.'),
--       (2, 'The old mill: the old mill by the river burned down twice.')
--     ) AS v (id, text)
--   )
--   SELECT id, start_char, end_char, length, occurrences FROM shared_passages(docs, min_words => 6) ORDER BY id
WITH texts AS (
  SELECT id, text, ids
  FROM distinct_texts(input, normalize => false)
),
of_rows AS (
  SELECT
    UNNEST(ids) AS id,
    span['passage'] AS passage,
    span['length'] AS length,
    span['start_char'] AS start_char,
    span['end_char'] AS end_char,
    span['start_byte'] AS start_byte,
    span['end_byte'] AS end_byte
  FROM shared_spans(
    (SELECT id, text, ids FROM texts),
    min_passage => $min_passage,
    filter_bytes => $filter_bytes
  )
),
numbered AS (
  SELECT
    passage, id, start_char, end_char, start_byte, end_byte, length,
    row_number() OVER (PARTITION BY passage, length, id ORDER BY start_byte) AS number_in_text
  FROM of_rows
),
counted AS (
  SELECT
    passage, id, start_char, end_char, start_byte, end_byte, length,
    count(*) OVER (PARTITION BY passage, length) AS occurrences,
    count(CASE WHEN number_in_text = 1 THEN id END) OVER (PARTITION BY passage, length) AS texts
  FROM numbered
)
SELECT passage, id, start_char, end_char, start_byte, end_byte, length, occurrences, texts
FROM counted
WHERE texts > 1
