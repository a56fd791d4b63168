-- sentences
--
-- Step of a job: splits the plain texts into sentences.
SELECT
  sentence_id(page_id, sentence_no) AS sentence_id,
  page_id,
  title,
  language,
  CAST(sentence_no AS INT) AS sentence_no,
  piece['start_byte'] AS start_byte,
  piece['end_byte'] AS end_byte,
  kind,
  piece['sentence'] AS sentence
FROM (
  SELECT
    page_id,
    title,
    language,
    UNNEST(pieces) AS piece,
    UNNEST(sentence_kinds(text, blocks, pieces)) AS kind,
    UNNEST(range(0, CAST(cardinality(pieces) AS BIGINT))) AS sentence_no
  FROM (
    SELECT page_id, title, language, text, blocks, split_sentences(text, language, $splitter) AS pieces
    FROM plain_text
    WHERE text IS NOT NULL
  )
)
