-- whole_runs
--
-- Step of a job: narrows the repeated passages to the sentences all of whose words are in repeated passages. A passage
-- without such a sentence is left out.
SELECT
  id,
  whole['first_word'] AS first_word,
  whole['end_word'] AS end_word,
  run['first_id'] AS first_id,
  run['first_at'] + whole['first_word'] - run['first_word'] AS first_at,
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
