-- item_cuts
--
-- Step of a job: lists the passages that are cut out of the rows of the corpus.
SELECT
  id,
  span['start_char'] AS start_char,
  span['end_char'] AS end_char,
  substr(text, span['start_char'] + 1, span['end_char'] - span['start_char']) AS passage
FROM (
  SELECT contaminated.id, contaminated.text, UNNEST(item_spans(contaminated.text, indexed.items, $min_coverage)) AS span
  FROM indexed
  JOIN contaminated ON indexed.all_rows = contaminated.all_rows
)
