-- sentences
--
-- Step of a job: splits the plain texts into sentences.
SELECT sentence_id, page_id, title, language, sentence_no, start_byte, end_byte, sentence
FROM sentences(
  plain_text,
  id => page_id,
  text => text,
  language_column => language,
  splitter => $splitter,
  carry => [title, language]
)
