-- unit_cuts
--
-- Step of a job: lists the lines or paragraphs that stood before, which are cut out of the texts.
WITH of_texts AS (
  SELECT
    id,
    array_agg(named_struct(
      'start_char', start_char,
      'end_char', end_char,
      'kept_id', first_id,
      'kept_start_char', first_start_char,
      'kept_end_char', first_end_char,
      'copies', copies
    )) AS cuts
  FROM repeated_units(
    (SELECT id, text, place, group_value FROM ordered_documents),
    unit => $unit,
    min_copies => $min_copies,
    min_length => $min_length,
    normalize => $normalize
  )
  GROUP BY id
)
SELECT
  id,
  cut['start_char'] AS start_char,
  cut['end_char'] AS end_char,
  cut['kept_id'] AS kept_id,
  cut['kept_start_char'] AS kept_start_char,
  cut['kept_end_char'] AS kept_end_char,
  cut['copies'] AS copies,
  passage
FROM (
  SELECT of_texts.id, UNNEST(of_texts.cuts) AS cut, UNNEST(span_texts(documents.text, of_texts.cuts)) AS passage
  FROM of_texts
  JOIN documents ON of_texts.id = documents.id
)
