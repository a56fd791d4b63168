-- contamination
--
-- Step of a job: lists the items that occur in the rows of the corpus, with the passages.
WITH found AS (
  SELECT id, UNNEST(hits) AS hit, UNNEST(span_texts(text, hits, 1000)) AS passage
  FROM contaminated
)
SELECT
  found.id AS corpus_id,
  items.item_id,
  items.benchmark,
  items.field,
  found.hit['kind'] AS kind,
  found.hit['coverage'] AS coverage,
  found.hit['hits'] AS hits,
  found.hit['ignored_hits'] AS ignored_hits,
  found.hit['longest_run'] AS longest_run,
  found.hit['start_char'] AS start_char,
  found.hit['end_char'] AS end_char,
  items.item_text,
  found.passage,
  found.hit['runs'] AS runs
FROM found
JOIN items ON found.hit['item'] = items.number
