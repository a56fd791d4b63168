-- cuts
--
-- Step of a job: lists the repeated passages that are cut out of the texts.
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
  SELECT spans.id, UNNEST(spans.spans) AS cut, UNNEST(span_texts(texts.text, spans.spans)) AS passage
  FROM spans
  JOIN ordered_documents AS texts ON spans.id = texts.id
)
