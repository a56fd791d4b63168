-- rows.vectors
--
-- View of a job on vectors whose ids are unique: the rows that can be in a pair.
SELECT id, group_value, text
FROM documents
WHERE id IS NOT NULL AND text IS NOT NULL
