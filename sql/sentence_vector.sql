-- sentence_vector(documents, vectors)
--
-- Computes the mean of the word vectors of each text, such as a sentence.
--
-- A text is split into terms (lower case, by default without stop words). Each term that is a word of the second
-- relation contributes its vector as often as it occurs in the text.
--
-- Inputs
--   input: id, text, language
--   input_b: word, vector
-- Parameters
--   id
--   text
--   word: column = word | the column of words of the second relation
--   vector | the column of vectors of the second relation: lists of numbers
--   language: language = 'en' | the language of stop words and stemming
--   language_column
--   stop_words
--   stem: boolean = false | whether terms are stemmed; the words of the second relation must be stems then
-- Columns
--   id: as id | the id
--   vector: as vector | the mean, of Float32 if the vectors are, otherwise of Float64; NULL if no word has a vector
--   words: Int64 | number of occurrences of words that have a vector
-- Guarantees
--   One row for each id, even if the text is NULL or none of its words has a vector; then words is 0.
--   Rows with the same id and the same text are one row; an id with different texts is an error that names the id. Rows without an id are left out.
--   If a word occurs more than once in the second relation, the smallest of its vectors is used, compared number by number.
--   The mean is computed exactly and rounded once (see mean_vector), so that it does not depend on the number of partitions.
--   Vectors of different lengths, and numbers that are NULL or not finite, are an error if a text has one of their words.
-- Example
--   WITH words AS (SELECT * FROM (VALUES ('old', [1.0, 0.0]), ('mill', [0.0, 1.0])) AS v (word, vector)),
--   docs AS (SELECT * FROM (VALUES (1, 'The old mill'), (2, 'A mill')) AS v (id, text))
--   SELECT * FROM sentence_vector(docs, words) ORDER BY id
WITH documents AS (
  SELECT
    id,
    same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text,
    min(language) AS language
  FROM input
  WHERE id IS NOT NULL
  GROUP BY id
),
-- Each document also has one row without a word, so that documents without words are not lost.
words AS (
  SELECT id, UNNEST(array_append(coalesce(terms(text, language, $stop_words, $stem), make_array()), NULL)) AS word
  FROM documents
),
-- There may be many vectors: the semi join drops those of unused words while they are read.
known AS (
  SELECT input_b.word AS word, min(input_b.vector) AS vector
  FROM (SELECT DISTINCT word FROM words WHERE word IS NOT NULL) AS used
  RIGHT SEMI JOIN input_b ON used.word = input_b.word
  GROUP BY input_b.word
)
SELECT words.id AS id, mean_vector(known.vector) AS vector, count(known.vector) AS words
FROM known
RIGHT JOIN words ON known.word = words.word
GROUP BY words.id
