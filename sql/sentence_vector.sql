-- sentence_vector(documents, vectors)
--
-- The mean of the vectors of a text's words: one vector a text, such as a sentence.
--
-- A text is cut into terms (lower case, without stop words unless asked for), and each term that is a word of
-- the second relation counts with its vector as often as it stands in the text.
--
-- Inputs
--   input: id, text, language
--   input_b: word, vector
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   word: column = word | the column of words of the second relation
--   vector: column = vector | its column of vectors: lists of numbers
--   language: text = 'en' | language code for stop words and stemming
--   language_column: column | a column that holds each text's language code, instead of language
--   stop_words: boolean = true | leave stop words out
--   stem: boolean = false | reduce terms to their stems; the words of the second relation must be stems then
-- Columns
--   id: as id | the id
--   vector: as vector | the mean, of Float32 where the vectors are, else of Float64; NULL where no word was found
--   words: Int64 | how many words were found, each as often as it stands
-- Guarantees
--   One row for each id, also where the text is NULL or no word of it has a vector: then words = 0.
--   The same id twice with the same text is one row; with another text it is an error that names the id. Rows without an id are left out.
--   A word that stands twice in the second relation counts once, with the smaller of its vectors, compared number by number.
--   The mean is exact, rounded once (see mean_vector): the same for any number of partitions.
--   Vectors of two lengths, and numbers that are NULL or not finite, are an error where a text has a word of them.
WITH documents AS (
  SELECT
    id,
    same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text,
    min(language) AS language
  FROM input
  WHERE id IS NOT NULL
  GROUP BY id
),
-- Each document also has one row without a word, so that it is not lost where it has no words.
words AS (
  SELECT id, UNNEST(array_append(coalesce(terms(text, language, $stop_words, $stem), make_array()), NULL)) AS word
  FROM documents
),
-- The vectors may be many: those of other words are left out as they are read.
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
