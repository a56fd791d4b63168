-- cut_texts
--
-- View of a job: the texts, with the words that were cut in earlier rounds.
SELECT
  ordered_documents.id,
  ordered_documents.text,
  ordered_documents.rank,
  ordered_documents.group_value,
  word_cuts.cut
FROM word_cuts
RIGHT JOIN ordered_documents ON word_cuts.id = ordered_documents.id
