-- passage_runs
--
-- Step of a job: finds the repeated passages of the texts that remain. If the previous round has cut all passages that
-- it found, only passages whose words a cut has made adjacent in some text are looked for.
SELECT id, first_word, end_word, first_id, first_start_word, copies
FROM passage_runs(
  (SELECT id, text, rank, group_value, cut FROM cut_texts),
  (SELECT id, text, rank, group_value, cut FROM cut_texts WHERE NOT $only_joined OR cut IS NOT NULL),
  min_words => $min_words,
  min_copies => $min_copies,
  normalize => $normalize,
  only_joined => $only_joined,
  filter_bytes => $filter_bytes
)
