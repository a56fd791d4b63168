-- item_cuts
--
-- Step of a job: lists the passages that are cut out of the rows of the corpus.
WITH found AS (
  SELECT contaminated.id, contaminated.text, item_spans(contaminated.text, indexed.items, $min_coverage) AS spans
  FROM indexed
  JOIN contaminated ON indexed.all_rows = contaminated.all_rows
)
SELECT id, span['start_char'] AS start_char, span['end_char'] AS end_char, passage
FROM (SELECT id, UNNEST(spans) AS span, UNNEST(span_texts(text, spans)) AS passage FROM found)
