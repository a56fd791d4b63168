-- similar_pairs.estimated(input)
--
-- The pairs of similar_pairs by standard operators, for sessions that lack ours; verified by edit similarity or
-- by signatures, or not at all. Every two rows that share a key become a row before they are verified.
--
-- Inputs
--   input: side, id, across, keys, text, signature
WITH candidates AS (
  SELECT id_a, id_b
  FROM candidate_pairs(input, max_bucket => $max_bucket, sides => $sides, differ => $differ)
),
verified AS (
  SELECT
    candidates.id_a,
    candidates.id_b,
    CASE $verify
      WHEN 'edit' THEN edit_similarity(a.text, b.text)
      WHEN 'estimate' THEN minhash_similarity(a.signature, b.signature)
    END AS similarity
  FROM candidates
  JOIN input AS a ON candidates.id_a = a.id
  JOIN input AS b ON candidates.id_b = b.id
  WHERE $sides = 1 OR (a.side = 0 AND b.side = 1)
)
SELECT id_a, id_b, similarity
FROM verified
WHERE $verify = 'none' OR similarity >= $threshold
