-- passage_origins(input, input_b)
--
-- Returns the first occurrence of each passage. A building block of repeated_passages and of jobs.
--
-- Inputs
--   input: id, first_word, end_word, start_char, end_char, first_id, first_start_word, words, copies
--   input_b: id, text, cut
-- Columns
--   id: as id | a text with a repeated passage
--   first_word: Int64 | its first word, among all words of the text
--   end_word: Int64 | the word after it
--   start_char: Int64 | offset of its first character in the text
--   end_char: Int64 | offset after its last character
--   first_id: as id | the text in which it occurs first
--   first_start_char: Int64 | offset of its first character there
--   first_end_char: Int64 | offset after its last character there
--   words: Int64 | number of its words that are not cut
--   copies: Int64 | as in input
-- Guarantees
--   A row for each row of input, as passage_positions gives them. Ids must be unique.
SELECT
  run['id'] AS id,
  run['own_first_word'] AS first_word,
  run['own_end_word'] AS end_word,
  run['start_char'] AS start_char,
  run['end_char'] AS end_char,
  first_id,
  origin['start_char'] AS first_start_char,
  origin['end_char'] AS first_end_char,
  run['end_word'] - run['first_word'] AS words,
  run['copies'] AS copies
FROM (
  SELECT
    of_first.first_id,
    UNNEST(of_first.runs) AS run,
    UNNEST(word_runs(texts.text, of_first.runs, texts.cut)) AS origin
  FROM (
    SELECT
      first_id,
      array_agg(named_struct(
        'first_word', first_start_word,
        'end_word', first_start_word + words,
        'id', id,
        'own_first_word', first_word,
        'own_end_word', end_word,
        'start_char', start_char,
        'end_char', end_char,
        'copies', copies
      )) AS runs
    FROM input
    GROUP BY first_id
  ) AS of_first
  JOIN input_b AS texts ON of_first.first_id = texts.id
)
