-- sentence_history(input)
--
-- Returns the history of the sentences of documents that have revisions: when a document first had a sentence, when the
-- sentence was removed, and its origin: an earlier sentence of the document, or a sentence that another document had
-- before.
--
-- Inputs
--   input: document, revision, timestamp, text
-- Parameters
--   document: column = document | the document that a sentence occurs in: an integer or a text
--   revision: column = revision | the revision of the document: an integer
--   timestamp: column = timestamp | when the revision was saved: a timestamp, a date or a number
--   text | the text of a sentence; NULL in a row that says only that the document has the revision
--   threshold.history
--   shingle.history
--   parts
-- Columns
--   document: as id | the document
--   text: text | the sentence, as the document has it first
--   first_revision: Int64 | the first revision that has it
--   first_seen: as timestamp | when that one was saved
--   last_revision: Int64 | the last revision that has it
--   removed_revision: Int64 | the revision of the document after that one; NULL if there is none, so that the document still has the sentence
--   removed_at: as timestamp | when that one was saved
--   origin: text | 'edit': it was made from a sentence of the document that is gone; 'copy': another document had it, or a similar one, before; 'new': neither
--   from_document: as id | the document of the sentence that it was made from; NULL if it is new
--   from_text: text | that sentence
--   similarity: Float64 | the Jaccard similarity of the two
-- Guarantees
--   One row for each document and each sentence that one of its revisions has, in normal form; a sentence that was removed and restored is one row, from its first revision to its last one.
--   The origin is the most similar of all sentences that a sentence may be derived from. Among equally similar ones, those of the document come first, then the oldest.
--   A sentence may be derived from a sentence of the same document that an earlier revision has and its own first revision does not have, and from one that another document had before it, in the order of time, revision and document.
--   Revisions are ordered by time, then by number. The revisions of a document are those of its rows. A revision without a sentence, because a page was blanked or made a redirect, needs a row whose text is NULL: without one it is not known, and the document counts as still having its sentences. Revisions with sentences may have such a row, too.
--   A text of white space only is the same as NULL. Rows in which another column is NULL are left out.
--   The rows do not depend on the number of partitions.
-- Example
--   WITH revisions AS (SELECT * FROM (VALUES
--     ('Mill', 1, 10, 'The old mill by the river burned down in 1896.'),
--     ('Town', 2, 20, 'The old mill by the river burned down in 1896.'),
--     ('Mill', 3, 30, 'The old mill by the river burned down in 1898.'),
--     ('Town', 4, 40, NULL)
--   ) AS v (document, revision, timestamp, text))
--   SELECT document, text, first_seen, removed_at, origin, from_document FROM sentence_history(revisions)
--   ORDER BY first_seen
WITH sentences AS (
  SELECT document, revision, timestamp, text, normalize_text(text) AS key
  FROM input
  WHERE document IS NOT NULL AND revision IS NOT NULL AND timestamp IS NOT NULL
),
revisions AS (
  SELECT
    document,
    revision,
    seen,
    CAST(row_number() OVER (PARTITION BY document ORDER BY seen, revision) AS BIGINT) AS number,
    lead(revision) OVER (PARTITION BY document ORDER BY seen, revision) AS next_revision,
    lead(seen) OVER (PARTITION BY document ORDER BY seen, revision) AS next_seen
  FROM (
    SELECT document, revision, min(timestamp) AS seen
    FROM sentences
    GROUP BY document, revision
  )
),
numbered AS (
  SELECT sentences.document, sentences.key, revisions.number, min(sentences.text) AS text
  FROM sentences
  JOIN revisions ON sentences.document = revisions.document AND sentences.revision = revisions.revision
  -- Rows without a sentence say only that the document has the revision.
  WHERE sentences.key <> ''
  GROUP BY sentences.document, sentences.key, revisions.number
),
-- Runs of consecutive revisions that have a sentence.
runs AS (
  SELECT
    document,
    key,
    first_value(text ORDER BY number) AS text,
    min(number) AS first_number,
    max(number) AS last_number
  FROM (
    SELECT
      document,
      key,
      text,
      number,
      number - CAST(row_number() OVER (PARTITION BY document, key ORDER BY number) AS BIGINT) AS run
    FROM numbered
  )
  GROUP BY document, key, run
)
SELECT
  document,
  text,
  first_revision,
  first_seen,
  last_revision,
  removed_revision,
  removed_at,
  origin,
  from_document,
  from_text,
  similarity
FROM sentence_origins(
  (
    SELECT
      runs.document,
      runs.key,
      runs.text,
      runs.first_number,
      runs.last_number,
      began.revision AS first_revision,
      began.seen AS first_seen,
      ended.revision AS last_revision,
      ended.next_revision AS removed_revision,
      ended.next_seen AS removed_at
    FROM runs
    JOIN revisions AS began ON runs.document = began.document AND runs.first_number = began.number
    JOIN revisions AS ended ON runs.document = ended.document AND runs.last_number = ended.number
  ),
  threshold => $threshold,
  shingle => $shingle,
  parts => $parts
)
