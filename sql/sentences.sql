-- sentences(input)
--
-- The sentences of texts, a row a sentence, with their places in the text.
--
-- Inputs
--   input: id, text, language, carried
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   min_length: integer in [0, 4000000000] = 0 | least length of a sentence in characters
--   max_length: integer in [0, 4000000000] = 0 | greatest length in characters; 0: no bound
--   window: integer in [1, 1000] = 1 | sentences a row: every run of that many consecutive ones
--   language: text = 'en' | language code for abbreviations and marks
--   language_column: column | a column that holds each text's language code, instead of language
--   splitter: one of default|published = 'default' | 'published': the expression of the published systems
--   carry: columns | columns of the input that each sentence keeps
-- Columns
--   sentence_id: Int64 | the id shifted left by 20 bits, plus sentence_no
--   id: as id | the id column, under its own name
--   carry: as input | the carried columns, under their own names
--   sentence_no: Int32 | number of the sentence in its text, from 0, counting those left out too
--   start_byte: Int64 | first byte in the text
--   end_byte: Int64 | byte after the last
--   sentence: text | the sentence
-- Guarantees
--   sentence = the bytes of the text from start_byte to end_byte.
--   Ids must be integers from 0 to below 2^43, and a text may hold 2^20 sentences: more is an error.
SELECT
  sentence_id(id, sentence_no) AS sentence_id,
  id,
  carried,
  CAST(sentence_no AS INT) AS sentence_no,
  piece['start_byte'] AS start_byte,
  piece['end_byte'] AS end_byte,
  piece['sentence'] AS sentence
FROM (
  SELECT
    id,
    carried,
    UNNEST(pieces) AS piece,
    UNNEST(range(0, CAST(cardinality(pieces) AS BIGINT))) AS sentence_no
  FROM (
    SELECT id, carried, split_sentences(text, language, $splitter, $window) AS pieces
    FROM input
    WHERE text IS NOT NULL
  )
)
WHERE character_length(piece['sentence']) >= $min_length
  AND ($max_length = 0 OR character_length(piece['sentence']) <= $max_length)
