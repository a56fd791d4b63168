-- removed.classified
--
-- Step of a job: lists the removed rows, each with the class of its difference from the kept row, and the facts that
-- differ.
SELECT
  id,
  representative_id,
  similarity,
  reason,
  kind['class'] AS class,
  kind['differs'] AS differs,
  cluster_id
FROM (
  SELECT
    removed.id,
    removed.representative_id,
    removed.similarity,
    removed.reason,
    removed.cluster_id,
    classify_pair(kept.text, own.text, $language) AS kind
  FROM removed_rows AS removed
  LEFT JOIN removed_texts AS own ON removed.id = own.id
  LEFT JOIN removed_texts AS kept ON removed.representative_id = kept.id
)
ORDER BY id, reason
