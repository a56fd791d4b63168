-- whole_runs
--
-- Step of a job: narrows the repeated passages to the sentences all of whose words are in repeated passages. A passage
-- without such a sentence is left out.
SELECT
  id,
  whole['first_word'] AS first_word,
  whole['end_word'] AS end_word,
  run['first_id'] AS first_id,
  run['first_start_word'] + whole['first_word'] - run['first_word'] AS first_start_word,
  run['copies'] AS copies
FROM passage_sentences
