-- cut_texts.first
--
-- View of a job: the texts before the first cut.
SELECT
  id,
  text,
  rank,
  group_value,
  CASE WHEN false THEN [named_struct('first_word', 0, 'end_word', 0)] END AS cut,
  CASE WHEN false THEN [named_struct('first_word', 0, 'end_word', 0)] END AS changed
FROM ordered_documents
