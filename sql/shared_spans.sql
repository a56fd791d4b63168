-- shared_spans(input)
--
-- Returns the passages that each text has in common with others. A building block of shared_passages.
--
-- Two filters tell which n-grams, sequences of as many units as a passage has at least, may occur in several texts: one of
-- their anchors, hashes that neighbouring n-grams have in common (winnowing: Schleimer, Wilkerson, Aiken, SIGMOD 2003),
-- and one of the n-grams with such anchors. Of each text they leave runs, which passages_of_runs compares.
--
-- Inputs
--   input: id, text, ids
-- Parameters
--   min_passage
--   filter_bytes
-- Columns
--   ids: list of id | as in input
--   span: any | a struct: a passage of the text, as passage_spans returns it
-- Guarantees
--   Complete and maximal, as shared_passages. Texts are distinct, and ids has the ids of all copies of the text.
WITH anchors AS (
  SELECT key_filter(gram_anchors(text, $min_passage), $filter_bytes) AS keys, 0 AS all_rows
  FROM input
),
grams AS (
  SELECT key_filter(shared_grams(own.text, anchors.keys, $min_passage), $filter_bytes) AS keys, 0 AS all_rows
  FROM anchors
  JOIN (SELECT text, 0 AS all_rows FROM input) AS own ON anchors.all_rows = own.all_rows
),
filters AS (
  SELECT anchors.keys AS anchors, grams.keys AS grams, 0 AS all_rows
  FROM anchors
  JOIN grams ON anchors.all_rows = grams.all_rows
),
runs AS (
  SELECT id, number, copies, run['at'] AS at, run['key'] AS key, run['units'] AS units
  FROM (
    SELECT
      own.id,
      text_hash(own.text) AS number,
      own.copies,
      UNNEST(shared_runs(own.text, filters.anchors, filters.grams, own.copies, $min_passage)) AS run
    FROM filters
    JOIN (SELECT id, text, cardinality(ids) AS copies, 0 AS all_rows FROM input) AS own ON filters.all_rows = own.all_rows
  )
),
passages AS (
  SELECT id, passages
  FROM passages_of_runs((SELECT id, number, copies, at, key, units FROM runs), min_passage => $min_passage)
)
SELECT texts.ids, UNNEST(passage_spans(texts.text, passages.passages, $min_passage)) AS span
FROM passages
JOIN input AS texts ON passages.id = texts.id
