-- spans
--
-- Step of a job: lists the spans that are cut out of each text.
SELECT
  id,
  array_agg(named_struct(
    'start_char', start_char,
    'end_char', end_char,
    'kept_id', first_id,
    'kept_start_char', first_start_char,
    'kept_end_char', first_end_char,
    'copies', copies
  )) AS spans
FROM repeated
GROUP BY id
