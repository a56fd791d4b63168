-- removed.classified
--
-- Step of a job: lists the removed rows, each with the kept row that represents it, the reason for its removal, the class
-- of its difference from the kept row, and the facts that differ.
WITH own_texts AS (
  SELECT
    removed.id,
    removed.representative_id,
    removed.similarity,
    removed.is_repeated,
    removed.cluster_id,
    texts.text
  FROM removed_rows AS removed
  JOIN removed_texts AS texts ON removed.id = texts.id
),
kept_texts AS (
  SELECT texts.id, texts.text
  FROM (SELECT DISTINCT representative_id FROM removed_rows) AS removed
  JOIN removed_texts AS texts ON removed.representative_id = texts.id
)
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
    own.id,
    own.representative_id,
    own.similarity,
    CASE
      WHEN own.is_repeated THEN 'repeated id'
      WHEN own.text = kept.text THEN 'copy'
      WHEN own.similarity = 1.0 AND $normalize AND normalize_text(own.text) = normalize_text(kept.text) THEN 'copy'
      WHEN own.similarity >= $threshold THEN 'similar'
      ELSE 'component'
    END AS reason,
    own.cluster_id,
    classify_pair(kept.text, own.text, $language) AS kind
  FROM kept_texts AS kept
  JOIN own_texts AS own ON kept.id = own.representative_id
)
ORDER BY id, reason
