-- sentences
--
-- Step of a job: splits the plain texts into sentences.
SELECT sentence_id, page_id, title, language, sentence_no, start_byte, end_byte, kind, sentence
FROM sentences(
  plain_text,
  id => page_id,
  text => text,
  blocks => blocks,
  language_column => language,
  splitter => $splitter,
  carry => [title, language]
)
