-- passage_positions
--
-- Step of a job: finds the positions of the passages of the previous step.
SELECT id, first_word, end_word, start_char, end_char, first_id, first_start_word, words, copies
FROM passage_positions(
  (SELECT id, first_word, end_word, first_id, first_start_word, copies FROM passage_runs),
  (SELECT id, text, cut FROM cut_texts)
)
