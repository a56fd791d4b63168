-- passage_runs(input, input_b)
--
-- Finds the repeated passages of texts: those that already occur earlier, in the order of rank. A building block of
-- repeated_passages and of jobs.
--
-- Each passage of min_words words has an anchor, a hash of some of its words; a filter leaves out the passages whose
-- anchor occurs once. The others are grouped by their keys. Repeated passages that are consecutive, as are their first
-- occurrences, are one run.
--
-- Inputs
--   input: id, text, rank, group_value, cut
--   input_b: text, group_value, cut, changed
-- Parameters
--   min_words.repeated
--   min_copies.passages
--   normalize
--   filter_bytes: integer in [256, 1073741824] = 33554432 | size of a filter of many anchors, which each partition holds; the rows do not depend on it
-- Columns
--   id: as id | a text with a repeated passage
--   first_word: Int64 | its first word, among those of the text that are not cut
--   end_word: Int64 | the word after it
--   first_id: as id | the text in which it occurs first
--   first_start_word: Int64 | its first word there
--   copies: Int64 | number of occurrences of its rarest passage of min_words words, the first one included
-- Guarantees
--   input_b has the texts whose anchors are counted: those of input, or of these some with changed words, if each repeated passage has an occurrence in them that passage_anchors selects by these.
--   Ids and ranks must be unique. Rows with NULL in group_value are left out; those of different values are not compared.
WITH filter AS (
  SELECT key_filter(passage_anchors(text, $min_words, $normalize, cut, changed), $filter_bytes) AS keys, 0 AS all_rows
  FROM input_b
  WHERE group_value IS NOT NULL
),
grams AS (
  SELECT id, rank, group_value, gram['at'] AS at, gram['key'] AS key
  FROM (
    SELECT
      own.id,
      own.rank,
      own.group_value,
      UNNEST(passage_grams(own.text, filter.keys, $min_words, $normalize, own.cut)) AS gram
    FROM filter
    JOIN (SELECT id, text, rank, group_value, cut, 0 AS all_rows FROM input WHERE group_value IS NOT NULL) AS own
      ON filter.all_rows = own.all_rows
  )
),
counted AS (
  SELECT
    id,
    rank,
    group_value,
    at,
    key,
    count(*) OVER (PARTITION BY key, group_value) AS copies,
    min(rank) OVER (PARTITION BY key, group_value) AS first_rank
  FROM grams
),
-- Totals of whole groups, most of which have one row or two: windows that need an order take several times as long.
occurrences AS (
  SELECT
    id,
    rank,
    at,
    copies,
    first_rank,
    min(CASE WHEN rank = first_rank THEN id END) OVER (PARTITION BY key, group_value) AS first_id,
    min(CASE WHEN rank = first_rank THEN at END) OVER (PARTITION BY key, group_value) AS first_start_word
  FROM counted
  WHERE copies >= $min_copies
),
repeated AS (
  SELECT
    id, at, first_id, first_start_word, copies,
    at - CAST(row_number() OVER (PARTITION BY id, first_id, at - first_start_word ORDER BY at) AS BIGINT) AS run
  FROM occurrences
  WHERE rank > first_rank OR at > first_start_word
),
runs AS (
  SELECT
    id,
    first_id,
    min(at) AS at,
    max(at) + $min_words AS end_word,
    min(first_start_word) AS first_start_word,
    min(copies) AS copies
  FROM repeated
  GROUP BY id, first_id, at - first_start_word, run
)
-- The words that a run has in common with its first occurrence stay.
SELECT id, at + common AS first_word, end_word, first_id, first_start_word + common AS first_start_word, copies
FROM (
  SELECT
    id, at, end_word, first_id, first_start_word, copies,
    CASE WHEN id = first_id AND first_start_word + $min_words > at THEN first_start_word + $min_words - at ELSE 0 END AS common
  FROM runs
)
