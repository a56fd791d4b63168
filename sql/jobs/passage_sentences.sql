-- passage_sentences
--
-- View of a job: the sentences all of whose words are in repeated passages. It has a row for each passage and each such
-- sentence in it: the passage (run), and the position of the sentence (whole).
SELECT id, run, whole
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
        'first_start_word', first_start_word,
        'copies', copies
      )) AS runs
    FROM passage_runs
    GROUP BY id
  ) AS of_text
  JOIN cut_texts AS texts ON of_text.id = texts.id
)
WHERE whole['first_word'] IS NOT NULL
