-- term_counts(input)
--
-- Counts how often each term occurs in each text. Terms are stemmed words without stop words. The counts are the input
-- of bm25_vectors.
--
-- Texts of several languages are separate collections: with language_column, a text is split by the rules of its
-- language, and terms are counted per language. The functions that use the counts take a single collection, such as
-- `(SELECT id, term, tf FROM counts WHERE language = 'de')`.
--
-- Inputs
--   input: id, text, language
-- Parameters
--   id
--   text
--   language: language = 'en' | the language of the texts, as for the function terms
--   language_column | a column with the language code of each text; where it is NULL, language is used
--   stop_words
--   stem: boolean = true | whether words are stemmed
--   min_count: integer in [1, 4000000000] = 2 | terms that occur fewer times in their language are left out
--   min_terms: integer in [0, 4000000000] = 5 | after that, texts with fewer terms, counting repeats, are left out
-- Columns
--   id: as id | the id of a text
--   term: text | a term of the text
--   tf: Int64 | how often the term occurs in the text
--   language: text | the language code of the text, as given
-- Guarantees
--   One row for each text and term. NULL texts and texts without an id have no rows.
--   Rows with the same id, language and text are one text; an id with different texts in a language is an error that names the id.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES (1, 'The mill, the mills'), (2, 'A town')) AS v (id, text))
--   SELECT * FROM term_counts(docs, min_count => 1, min_terms => 1) ORDER BY id, term
WITH texts AS (
  SELECT id, language, same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text
  FROM input
  WHERE id IS NOT NULL AND text IS NOT NULL
  GROUP BY id, language
),
occurrences AS (
  SELECT id, language, UNNEST(terms(text, language, $stop_words, $stem)) AS term
  FROM texts
),
vocabulary AS (
  SELECT language, term
  FROM occurrences
  GROUP BY language, term
  HAVING count(*) >= $min_count
),
counts AS (
  SELECT occurrences.id, occurrences.language, occurrences.term, count(*) AS tf
  FROM vocabulary
  JOIN occurrences
    ON vocabulary.language = occurrences.language AND vocabulary.term = occurrences.term
  GROUP BY occurrences.id, occurrences.language, occurrences.term
),
documents AS (
  SELECT id, language, array_agg(named_struct('term', term, 'tf', tf)) AS counts
  FROM counts
  GROUP BY id, language
  HAVING sum(tf) >= $min_terms
)
SELECT id, counted['term'] AS term, counted['tf'] AS tf, language
FROM (
  SELECT id, language, UNNEST(counts) AS counted
  FROM documents
)
