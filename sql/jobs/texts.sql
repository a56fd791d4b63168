-- texts
--
-- Step of a job: each distinct normalised text once, with the ids of its copies, and whether it has
-- shingles and so takes part in pairs.
SELECT id, text, ids, regexp_like(text, $not_blank) AS compared
FROM distinct_texts(documents, normalize => $normalize)
