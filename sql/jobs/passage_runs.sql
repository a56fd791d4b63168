-- passage_runs
--
-- Step of a job: finds the repeated passages of the texts that remain. After the first round, these are passages of
-- which an occurrence holds words of the passages that the round before found, or has them between its words.
SELECT id, first_word, end_word, first_id, first_start_word, copies
FROM passage_runs(
  (SELECT id, text, rank, group_value, cut FROM cut_texts),
  (SELECT text, group_value, cut, changed FROM cut_texts WHERE NOT $only_changed OR changed IS NOT NULL),
  min_words => $min_words,
  min_copies => $min_copies,
  normalize => $normalize,
  second_filter => $second_filter
)
