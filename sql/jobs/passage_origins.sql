-- passage_origins
--
-- Step of a job: gives the places at which the passages of the step before stand first.
SELECT id, first_word, end_word, start_char, end_char, first_id, first_start_char, first_end_char, copies
FROM passage_origins(
  (SELECT id, first_word, end_word, start_char, end_char, first_id, first_at, words, copies FROM passage_places),
  (SELECT id, text, cut FROM cut_texts)
)
