-- texts
--
-- Step of a job: selects each distinct normalised text once, with the ids of its copies, and whether it has shingles
-- and can therefore be in a pair.
SELECT id, text, ids, regexp_like(text, $not_blank) AS compared
FROM distinct_texts(documents, normalize => $normalize)
