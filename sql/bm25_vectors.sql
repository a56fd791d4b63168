-- bm25_vectors(counts, frequencies)
--
-- Computes a vector of term weights for each document, by Okapi BM25:
-- weight = idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length)), where
-- idf = ln(1 + (N − df + ½) / (df + ½)), length is the sum of tf over a document, and N and the mean length are those
-- of the documents in counts.
--
-- Counts and frequencies must be of the same collection and language: both as counted, or both translated.
--
-- Inputs
--   input: id, term, tf
--   input_b: term, df
-- Parameters
--   id.document
--   term: column = term | a term, in both relations
--   tf: column = tf | how often the term occurs in the document; may be fractional
--   df: column = df | in how many documents the term occurs; may be fractional
--   k1: number in [0, 1000] = 1.2 | how slowly a weight saturates as a term repeats
--   b: number in [0, 1] = 0.75 | how much the weights of long documents are lowered; 0: not at all
-- Columns
--   id: as id | the id of a document
--   vector: List(Struct("term": Utf8, "weight": Float64)) | the terms of the document with their weights, sorted by term
-- Guarantees
--   Several rows of a document and a term in counts are added, and so are several rows of a term in frequencies.
--   A missing frequency counts as 0, and one above N as N, so that all weights are positive.
--   Rows with NULL and counts of 0 are ignored.
--   Sums are computed with 15 decimal places, so that they do not depend on the order of rows.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES (1, 'mill and river'), (2, 'mill and town'), (3, 'castle')) AS v (id, text)),
--   counts AS (SELECT * FROM term_counts(docs, min_count => 1, min_terms => 1))
--   SELECT * FROM bm25_vectors(counts, (SELECT * FROM document_frequencies(counts))) ORDER BY id
WITH counts AS (
  SELECT id, term, sum(CAST(tf AS DECIMAL(38, 15))) AS tf
  FROM input
  WHERE id IS NOT NULL AND term IS NOT NULL AND tf > 0
  GROUP BY id, term
),
documents AS (
  SELECT
    id,
    sum(tf) AS total_tf,
    array_agg(named_struct('term', term, 'tf', CAST(tf AS DOUBLE))) AS counts
  FROM counts
  GROUP BY id
),
collection AS (
  SELECT
    CAST(count(*) AS DOUBLE) AS documents,
    CAST(sum(total_tf) AS DOUBLE) / count(*) AS mean_length,
    0 AS all_rows
  FROM documents
),
entries AS (
  SELECT
    entry.id,
    entry.counted['term'] AS term,
    entry.counted['tf'] AS tf,
    collection.documents,
    1.0 - $b + $b * entry.length / collection.mean_length AS relative_length
  FROM collection
  JOIN (
    SELECT id, CAST(total_tf AS DOUBLE) AS length, UNNEST(counts) AS counted, 0 AS all_rows
    FROM documents
  ) AS entry ON collection.all_rows = entry.all_rows
),
frequencies AS (
  SELECT term, CAST(sum(CAST(df AS DECIMAL(38, 15))) AS DOUBLE) AS df
  FROM input_b
  WHERE term IS NOT NULL AND df > 0
  GROUP BY term
),
weights AS (
  SELECT
    id,
    term,
    ln(1.0 + (documents - df + 0.5) / (df + 0.5)) * tf * ($k1 + 1.0) / (tf + $k1 * relative_length) AS weight
  FROM (
    SELECT
      entries.id,
      entries.term,
      entries.tf,
      entries.relative_length,
      entries.documents,
      least(coalesce(frequencies.df, 0.0), entries.documents) AS df
    FROM frequencies
    RIGHT JOIN entries ON frequencies.term = entries.term
  )
)
SELECT
  id,
  array_sort(array_agg(named_struct('term', arrow_cast(term, 'Utf8'), 'weight', weight))) AS vector
FROM weights
GROUP BY id
