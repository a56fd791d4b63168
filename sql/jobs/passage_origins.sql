-- passage_origins
--
-- Step of a job: finds the first occurrence of each passage of the previous step.
SELECT id, first_word, end_word, start_char, end_char, first_id, first_start_char, first_end_char, copies
FROM passage_origins(
  (
    SELECT id, first_word, end_word, start_char, end_char, first_id, first_start_word, words, copies
    FROM passage_positions
  ),
  (SELECT id, text, cut FROM cut_texts)
)
