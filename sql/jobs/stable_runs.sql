-- stable_runs
--
-- Step of a job: of the repeated passages, finds the parts of at least min_part words whose first occurrence remains
-- whole when all repeated passages are cut.
WITH cut AS (
  SELECT id, array_agg(named_struct('first_word', first_word, 'end_word', end_word)) AS spans
  FROM passage_runs
  GROUP BY id
),
of_first AS (
  SELECT
    first_id,
    array_agg(named_struct(
      'first_word', first_start_word - common,
      'end_word', first_start_word + end_word - first_word,
      'id', id,
      'shift', first_word - first_start_word,
      'common', common,
      'copies', copies
    )) AS runs
  FROM (
    SELECT
      id, first_word, end_word, first_id, first_start_word, copies,
      -- The words at its beginning that stay because they also belong to the first occurrence.
      CASE
        WHEN id = first_id AND first_word - first_start_word < $min_words
          THEN $min_words - (first_word - first_start_word)
        ELSE 0
      END AS common
    FROM passage_runs
  )
  GROUP BY first_id
)
SELECT
  run['id'] AS id,
  part['first_word'] + run['common'] + run['shift'] AS first_word,
  part['end_word'] + run['shift'] AS end_word,
  first_id,
  part['first_word'] + run['common'] AS first_start_word,
  run['copies'] AS copies
FROM (
  SELECT first_id, run, UNNEST(parts) AS part
  FROM (
    SELECT
      of_first.first_id,
      UNNEST(of_first.runs) AS run,
      UNNEST(uncut_parts(of_first.runs, cut.spans, $min_part)) AS parts
    FROM cut
    RIGHT JOIN of_first ON cut.id = of_first.first_id
  )
)
WHERE part['end_word'] - part['first_word'] > run['common']
