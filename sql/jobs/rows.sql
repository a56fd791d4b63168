-- rows
--
-- View of a job whose ids are unique: the rows that can be in a pair, with the text normalised.
SELECT id, group_value, CASE WHEN $normalize THEN normalize_text(text) ELSE text END AS text
FROM documents
WHERE id IS NOT NULL AND text IS NOT NULL
