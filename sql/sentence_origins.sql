-- sentence_origins(input)
--
-- Returns the origins of the sentences of documents. A building block of sentence_history, which computes its input once.
--
-- Inputs
--   input: document, key, text, first_number, last_number, first_revision, first_seen, last_revision, removed_revision, removed_at
-- Parameters
--   threshold.history
--   shingle.history
--   parts
-- Columns
--   document: as id | as in input
--   text: text | as in input
--   first_revision: Int64 | as in input
--   first_seen: as timestamp | as in input
--   last_revision: Int64 | as in input
--   removed_revision: Int64 | as in input
--   removed_at: as timestamp | as in input
--   origin: text | new, edit or copy
--   from_document: as id | the document of the sentence that it was made from
--   from_text: text | that sentence
--   similarity: Float64 | the Jaccard similarity of the two
-- Guarantees
--   A row for each document and key of input, which has a row for each run of revisions of the document, by their numbers, that have a sentence with the key as its normal form.
WITH versions AS (
  SELECT
    document,
    key,
    first_value(text ORDER BY first_number) AS text,
    min(first_number) AS first_number,
    first_value(first_revision ORDER BY first_number) AS first_revision,
    first_value(first_seen ORDER BY first_number) AS first_seen,
    first_value(last_revision ORDER BY first_number DESC) AS last_revision,
    first_value(removed_revision ORDER BY first_number DESC) AS removed_revision,
    first_value(removed_at ORDER BY first_number DESC) AS removed_at
  FROM input
  GROUP BY document, key
),
-- Of the documents that have a sentence, the first two: one of them is another document.
firsts AS (
  SELECT document, key, text, first_revision, first_seen
  FROM (
    SELECT
      document,
      key,
      text,
      first_revision,
      first_seen,
      row_number() OVER (PARTITION BY key ORDER BY first_seen, first_revision, document) AS number
    FROM versions
  )
  WHERE number <= 2
),
similar AS (
  SELECT side['key'] AS key, side['earlier'] AS earlier, similarity
  FROM (
    SELECT
      UNNEST([
        named_struct('key', id_a, 'earlier', id_b),
        named_struct('key', id_b, 'earlier', id_a)
      ]) AS side,
      similarity
    FROM exact_pairs(
      (
        SELECT CAST(0 AS TINYINT) AS side, key AS id, key AS text, CAST(0 AS TINYINT) AS group_value
        FROM input
        GROUP BY key
      ),
      threshold => $threshold,
      shingle => $shingle,
      parts => $parts
    )
  )
  UNION ALL
  SELECT key, key AS earlier, 1.0 AS similarity
  FROM versions
  GROUP BY key
),
origins AS (
  SELECT
    own.document, own.key, firsts.document AS from_document, firsts.text AS from_text, similar.similarity,
    firsts.first_seen, firsts.first_revision, 1 AS is_copy
  FROM versions AS own
  JOIN similar ON own.key = similar.key
  JOIN firsts ON similar.earlier = firsts.key
  WHERE firsts.document <> own.document
    AND (
      firsts.first_seen < own.first_seen
      OR firsts.first_seen = own.first_seen
        AND (
          firsts.first_revision < own.first_revision
          OR firsts.first_revision = own.first_revision AND firsts.document < own.document
        )
    )
  UNION ALL
  SELECT
    document, key, document AS from_document, from_text, similarity, first_seen, first_revision, 0 AS is_copy
  FROM (
    SELECT
      own.document,
      own.key,
      own.first_number,
      similar.similarity,
      max(before.last_number) AS last_number,
      first_value(before.text ORDER BY before.first_number) AS from_text,
      first_value(before.first_seen ORDER BY before.first_number) AS first_seen,
      first_value(before.first_revision ORDER BY before.first_number) AS first_revision
    FROM versions AS own
    JOIN similar ON own.key = similar.key
    JOIN input AS before ON similar.earlier = before.key AND own.document = before.document
    WHERE before.first_number <= own.first_number
    GROUP BY own.document, own.key, own.first_number, similar.earlier, similar.similarity
  )
  WHERE last_number < first_number
),
best AS (
  SELECT document, key, from_document, from_text, similarity, is_copy
  FROM (
    SELECT
      document,
      key,
      from_document,
      from_text,
      similarity,
      is_copy,
      row_number() OVER (
        PARTITION BY document, key
        ORDER BY similarity DESC, is_copy, first_seen, first_revision, from_document, from_text
      ) AS number
    FROM origins
  )
  WHERE number = 1
)
SELECT
  versions.document,
  versions.text,
  versions.first_revision,
  versions.first_seen,
  versions.last_revision,
  versions.removed_revision,
  versions.removed_at,
  CASE best.is_copy WHEN 0 THEN 'edit' WHEN 1 THEN 'copy' ELSE 'new' END AS origin,
  best.from_document,
  best.from_text,
  best.similarity
FROM versions
LEFT JOIN best ON versions.document = best.document AND versions.key = best.key
