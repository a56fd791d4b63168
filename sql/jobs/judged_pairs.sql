-- judged_pairs
--
-- Step of a job: computes the edit similarity of the pairs of the sample, which decides whether a pair is wanted.
SELECT
  pairs.id_a,
  pairs.id_b,
  pairs.similarity,
  edit_similarity(sample.text, texts.text) AS edit_similarity
FROM sampled_pairs AS pairs
LEFT JOIN sample ON pairs.id_a = sample.id
LEFT JOIN texts ON pairs.id_b = texts.id
