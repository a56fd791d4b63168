-- term_counts(input)
--
-- How often each term stands in each text: the words that mean something, stemmed. What the vectors of
-- bm25_vectors are made of.
--
-- Texts of several languages are several collections: with language_column a text is cut by the rules of its
-- language, and terms are counted by language. The functions that come next take one collection:
-- `(SELECT id, term, tf FROM counts WHERE language = 'de')`.
--
-- Inputs
--   input: id, text, language
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   language: text = 'en' | language code of the texts, as of the function terms
--   language_column: column | a column that holds each text's language code, instead of language, which stands for NULL there
--   stop_words: boolean = true | leave stop words out
--   stem: boolean = true | stem words
--   min_count: integer in [1, 4000000000] = 2 | a term that stands fewer times in its language is left out
--   min_terms: integer in [0, 4000000000] = 5 | then a text with fewer terms, counting repeats, is left out
-- Columns
--   id: as id | the id of a text
--   term: text | a term of it
--   tf: Int64 | how often it stands there
--   language: text | the language code of the text, as given
-- Guarantees
--   A text and a term are one row. A text without id, or NULL, has none.
--   The same id twice in a language with the same text is one text; with another text it is an error that names the id.
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
