-- passage_runs(input, input_b)
--
-- Finds the repeated passages of texts: those that already occur earlier, in the order of rank. A building block of
-- repeated_passages and of jobs.
--
-- Each passage of min_words words has an anchor, a hash of some of its words; a filter leaves out the passages whose
-- anchor occurs once. The others are grouped by their anchors, and compared by their keys. Repeated passages that are
-- consecutive, as are their first occurrences, are one run.
--
-- All passages of one anchor must fit into memory. Many of them may occur once: of a longer passage, those that begin in
-- each copy and end in the words after it. A second filter can leave these out.
--
-- Inputs
--   input: id, text, rank, group_value, cut
--   input_b: text, group_value, cut, changed
-- Parameters
--   min_words.repeated
--   min_copies.passages
--   normalize
--   filter_bytes.anchors
--   second_filter: boolean = false | whether passages that occur once are left out before the others are grouped, so that these take less memory; the texts are read once more for it, and the rows do not depend on it
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
shared AS (
  SELECT
    CASE
      WHEN $second_filter
        THEN key_filter(passage_keys(own.text, filter.keys, $min_words, $normalize, own.cut), $filter_bytes)
    END AS keys,
    0 AS all_rows
  FROM filter
  JOIN (SELECT text, cut, 0 AS all_rows FROM input WHERE $second_filter AND group_value IS NOT NULL) AS own
    ON filter.all_rows = own.all_rows
),
grams AS (
  SELECT id, rank, group_value, gram['anchor'] AS anchor, gram['at'] AS at, gram['keys'] AS keys
  FROM (
    SELECT
      own.id,
      own.rank,
      own.group_value,
      UNNEST(passage_grams(own.text, filter.keys, $min_words, $normalize, own.cut, shared.keys)) AS gram
    FROM filter
    JOIN shared ON filter.all_rows = shared.all_rows
    JOIN (SELECT id, text, rank, group_value, cut, 0 AS all_rows FROM input WHERE group_value IS NOT NULL) AS own
      ON filter.all_rows = own.all_rows
  )
),
-- Copies of a passage have mostly copies around it, and so the same keys, which are held once. In structs, ids and ranks
-- are not views, which would refer to the buffers of all rows of a group.
placed AS (
  SELECT
    anchor, group_value, keys,
    array_agg(named_struct('id', arrow_cast(id, $held_type), 'rank', arrow_cast(rank, $held_rank_type), 'at', at)) AS places
  FROM grams
  GROUP BY anchor, group_value, keys
),
repeated AS (
  SELECT
    arrow_cast(run['id'], $id_type) AS id,
    run['at'] AS at,
    run['passages'] AS passages,
    arrow_cast(run['first_id'], $id_type) AS first_id,
    run['first_at'] AS first_at,
    run['copies'] AS copies
  FROM (
    SELECT UNNEST(earlier_passages(passages, $min_copies)) AS run
    FROM (
      SELECT array_agg(named_struct('keys', keys, 'places', places)) AS passages
      FROM placed
      GROUP BY anchor, group_value
    )
  )
),
-- Where a run continues one of another anchor, their positions differ by the number of passages.
numbered AS (
  SELECT
    id, at, passages, first_id, first_at, copies,
    at + passages - CAST(sum(passages) OVER (PARTITION BY id, first_id, at - first_at ORDER BY at) AS BIGINT) AS run
  FROM repeated
),
runs AS (
  SELECT
    id,
    first_id,
    min(at) AS at,
    max(at + passages) - 1 + $min_words AS end_word,
    min(first_at) AS first_start_word,
    min(copies) AS copies
  FROM numbered
  GROUP BY id, first_id, at - first_at, run
)
-- The words that a run has in common with its first occurrence stay.
SELECT id, at + common AS first_word, end_word, first_id, first_start_word + common AS first_start_word, copies
FROM (
  SELECT
    id, at, end_word, first_id, first_start_word, copies,
    CASE WHEN id = first_id AND first_start_word + $min_words > at THEN first_start_word + $min_words - at ELSE 0 END AS common
  FROM runs
)
