-- passage_runs
--
-- Step of a job: finds the passages that stood before in what is left of the texts. If the round before has cut all that
-- it found, a passage is looked for only if a cut has brought its words together in some text.
SELECT id, first_word, end_word, first_id, first_at, copies
FROM passage_runs(
  (SELECT id, text, place, group_value, cut FROM cut_texts),
  (SELECT id, text, place, group_value, cut FROM cut_texts WHERE NOT $only_joined OR cut IS NOT NULL),
  min_words => $min_words,
  min_copies => $min_copies,
  normalize => $normalize,
  only_joined => $only_joined
)
