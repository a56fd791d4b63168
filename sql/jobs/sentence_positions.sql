-- sentence_positions
--
-- Step of a job: narrows the passages of the previous step to the sentences all of whose words are in them, and finds
-- the positions of these.
SELECT
  id,
  whole['first_of_all'] AS first_word,
  whole['end_of_all'] AS end_word,
  whole['start_char'] AS start_char,
  whole['end_char'] AS end_char,
  run['first_id'] AS first_id,
  run['first_start_word'] + whole['first_word'] - run['first_word'] AS first_start_word,
  whole['end_word'] - whole['first_word'] AS words,
  run['copies'] AS copies
FROM passage_sentences
