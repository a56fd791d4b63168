-- sentences(input)
--
-- Splits texts into sentences. The result has one row per sentence, with its byte range in the text.
--
-- Inputs
--   input: id, text, blocks, language, carried
-- Parameters
--   id
--   text
--   blocks: column | a column of what the lines of the text were on a page of a wiki, as wikitext_to_blocks returns it; the result then has the column kind
--   min_length
--   max_length
--   window: integer in [1, 1000] = 1 | number of consecutive sentences in a row, as a sliding window
--   language: language = 'en' | the language of the texts, which decides abbreviations and punctuation
--   language_column
--   splitter
--   carry: columns | columns of the input that are copied to each sentence
-- Columns
--   sentence_id: Int64 | the id shifted left by 20 bits, plus sentence_no
--   id: as id | the id, under the name of its column
--   carry: as input | the copied columns, under their own names
--   sentence_no: Int32 | number of the sentence in its text, from 0, counting also sentences that the length limits leave out
--   start_byte: Int64 | offset of the first byte in the text
--   end_byte: Int64 | offset after the last byte
--   kind: text | with blocks: what the sentence was on the page: sentence, list_item (of a list, without a stop at its end) or heading; what spans several lines is a sentence if one of them is
--   sentence: text | the sentence
-- Guarantees
--   sentence is the text from start_byte to end_byte.
--   Ids must be integers from 0 to below 2^43, and a text may have at most 2^20 sentences; anything else is an error.
-- Example
--   WITH pages AS (SELECT 7 AS id, 'Dr. Smith left. He came back.' AS text)
--   SELECT id, sentence_no, start_byte, end_byte, sentence FROM sentences(pages) ORDER BY sentence_no
SELECT
  sentence_id(id, sentence_no) AS sentence_id,
  id,
  carried,
  CAST(sentence_no AS INT) AS sentence_no,
  piece['start_byte'] AS start_byte,
  piece['end_byte'] AS end_byte,
  kind,
  piece['sentence'] AS sentence
FROM (
  SELECT
    id,
    carried,
    UNNEST(pieces) AS piece,
    UNNEST(sentence_kinds(text, blocks, pieces)) AS kind,
    UNNEST(range(0, CAST(cardinality(pieces) AS BIGINT))) AS sentence_no
  FROM (
    SELECT id, carried, text, blocks, split_sentences(text, language, $splitter, $window) AS pieces
    FROM input
    WHERE text IS NOT NULL
  )
)
WHERE character_length(piece['sentence']) >= $min_length
  AND ($max_length = 0 OR character_length(piece['sentence']) <= $max_length)
