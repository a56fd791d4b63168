-- repeated_passages(input)
--
-- Lists the repeated passages of texts: runs of at least a number of words each part of which already occurs in a text
-- of a smaller id, or earlier in the same text. The function cut_spans removes them; dedup with edit => 'passages' does
-- that for a table, until no passage occurs twice.
--
-- Inputs
--   input: id, text
-- Parameters
--   id
--   text
--   min_words.repeated
--   min_copies.passages
--   normalize
-- Columns
--   id: as id | a text with a repeated passage
--   start_char: Int64 | offset of its first character in the text
--   end_char: Int64 | offset after its last character
--   first_id: as id | the text in which it occurs first
--   first_start_char: Int64 | offset of its first character there
--   first_end_char: Int64 | offset after its last character there
--   words: Int64 | number of its words
--   copies: Int64 | number of occurrences of its rarest passage of min_words words, the first one included
-- Guarantees
--   Complete: the rows cover each occurrence of min_words consecutive words but the first, in the order of ids and of positions in a text, except for the words that it has in common with the first one.
--   Consecutive occurrences whose first occurrences are also consecutive are one row. Rows overlap where parts of a passage first occur in different texts.
--   Words are the UAX #29 words that hold a letter or a digit; the characters between them are not compared.
--   Among 1e10 passages, two different ones are taken for equal with a probability below 1e-11.
--   Rows with NULL are left out. An id with different texts is an error that names the id.
--   The rows do not depend on the number of partitions.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The mill burned down. All rights reserved, all wrongs reversed.'),
--     (2, 'The mill was rebuilt. ALL rights reserved - all wrongs reversed!')
--   ) AS v (id, text))
--   SELECT * FROM repeated_passages(docs, min_words => 5)
WITH texts AS (
  SELECT id, same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text
  FROM input
  WHERE id IS NOT NULL AND text IS NOT NULL
  GROUP BY id
),
documents AS (
  SELECT
    id,
    text,
    id AS rank,
    0 AS group_value,
    CASE WHEN false THEN [named_struct('first_word', 0, 'end_word', 0)] END AS cut,
    CASE WHEN false THEN [named_struct('first_word', 0, 'end_word', 0)] END AS changed
  FROM texts
),
runs AS (
  SELECT id, first_word, end_word, first_id, first_start_word, copies
  FROM passage_runs(
    (SELECT id, text, rank, group_value, cut FROM documents),
    (SELECT text, group_value, cut, changed FROM documents),
    min_words => $min_words,
    min_copies => $min_copies,
    normalize => $normalize
  )
),
positions AS (
  SELECT id, first_word, end_word, start_char, end_char, first_id, first_start_word, words, copies
  FROM passage_positions(
    (SELECT id, first_word, end_word, first_id, first_start_word, copies FROM runs),
    (SELECT id, text, cut FROM documents)
  )
)
SELECT id, start_char, end_char, first_id, first_start_char, first_end_char, words, copies
FROM passage_origins(
  (SELECT id, first_word, end_word, start_char, end_char, first_id, first_start_word, words, copies FROM positions),
  (SELECT id, text, cut FROM documents)
)
