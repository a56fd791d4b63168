-- sentence_places
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
  run['first_at'] + whole['first_word'] - run['first_word'] AS first_at,
  whole['end_word'] - whole['first_word'] AS words,
  run['copies'] AS copies
FROM (
  SELECT
    of_text.id,
    UNNEST(of_text.runs) AS run,
    UNNEST(whole_runs(texts.text, of_text.runs, texts.cut, $language)) AS whole
  FROM (
    SELECT
      id,
      array_agg(named_struct(
        'first_word', first_word,
        'end_word', end_word,
        'first_id', first_id,
        'first_at', first_at,
        'copies', copies
      )) AS runs
    FROM passage_runs
    GROUP BY id
  ) AS of_text
  JOIN cut_texts AS texts ON of_text.id = texts.id
)
WHERE whole['first_word'] IS NOT NULL
