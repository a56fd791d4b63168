-- texts.vectors
--
-- Step of a job on vectors: each distinct vector once, packed, with the ids of its copies, and whether it is not
-- zero and so takes part in pairs.
SELECT min(id) AS id, text, array_agg(id) AS ids, text <> X'' AS compared
FROM (
  SELECT id, same_bytes(CAST(id AS VARCHAR), min(text), max(text)) AS text
  FROM documents
  WHERE id IS NOT NULL
  GROUP BY id
)
WHERE text IS NOT NULL
GROUP BY text
