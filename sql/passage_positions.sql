-- passage_positions(input, input_b)
--
-- Returns the positions of passages in their texts. A building block of repeated_passages and of jobs.
--
-- Inputs
--   input: id, first_word, end_word, first_id, first_start_word, copies
--   input_b: id, text, cut
-- Columns
--   id: as id | a text with a repeated passage
--   first_word: Int64 | its first word, among all words of the text
--   end_word: Int64 | the word after it
--   start_char: Int64 | offset of its first character in the text
--   end_char: Int64 | offset after its last character
--   first_id: as id | the text in which it occurs first
--   first_start_word: Int64 | its first word there, among those that are not cut
--   words: Int64 | number of its words that are not cut
--   copies: Int64 | as in input
-- Guarantees
--   A row for each row of input, as passage_runs gives them of the texts of input_b. Ids must be unique.
SELECT
  id,
  span['first_word'] AS first_word,
  span['end_word'] AS end_word,
  span['start_char'] AS start_char,
  span['end_char'] AS end_char,
  run['first_id'] AS first_id,
  run['first_start_word'] AS first_start_word,
  run['end_word'] - run['first_word'] AS words,
  run['copies'] AS copies
FROM (
  SELECT of_text.id, UNNEST(of_text.runs) AS run, UNNEST(word_runs(texts.text, of_text.runs, texts.cut)) AS span
  FROM (
    SELECT
      id,
      array_agg(named_struct(
        'first_word', first_word,
        'end_word', end_word,
        'first_id', first_id,
        'first_start_word', first_start_word,
        'copies', copies
      )) AS runs
    FROM input
    GROUP BY id
  ) AS of_text
  JOIN input_b AS texts ON of_text.id = texts.id
)
