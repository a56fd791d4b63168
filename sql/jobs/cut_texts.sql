-- cut_texts
--
-- View of a job: the texts, with the words that were cut in earlier rounds, and those of the passages that the round
-- before found.
SELECT
  ordered_documents.id,
  ordered_documents.text,
  ordered_documents.rank,
  ordered_documents.group_value,
  changes.cut,
  changes.changed
FROM changes
RIGHT JOIN ordered_documents ON changes.id = ordered_documents.id
