-- labelled_pairs
--
-- Step of a job: computes the similarity of each labelled pair whose ids have texts; pairs are unordered, and each
-- counts once.
WITH members AS (
  SELECT CAST(UNNEST(ids) AS VARCHAR) AS id, text
  FROM texts
)
SELECT
  labels.id_a,
  labels.id_b,
  labels.is_similar,
  jaccard_similarity(texts_a.text, texts_b.text, $shingle) AS similarity
FROM labels
JOIN members AS texts_a ON labels.id_a = texts_a.id
JOIN members AS texts_b ON labels.id_b = texts_b.id
