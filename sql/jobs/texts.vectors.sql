-- texts.vectors
--
-- Step of a job on vectors: selects each distinct packed vector once, with the ids of its copies, and whether it is
-- nonzero and can therefore be in a pair.
SELECT min(id) AS id, text, array_agg(id) AS ids, text <> X'' AS compared
FROM (
  SELECT id, same_bytes(CAST(id AS VARCHAR), min(text), max(text)) AS text
  FROM documents
  WHERE id IS NOT NULL
  GROUP BY id
)
WHERE text IS NOT NULL
GROUP BY text
