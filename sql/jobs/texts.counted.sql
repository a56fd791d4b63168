-- texts.counted
--
-- Step of a job under a memory limit: the rows of texts, of which only those that several rows may have are grouped. The
-- others need no memory.
WITH counted AS (
  SELECT
    own.id,
    own.text,
    own.group_value,
    cardinality(shared_keys([own.hash], filter.hashes)) > 0 AS is_repeated
  FROM text_filter AS filter
  JOIN (
    SELECT id, text, group_value, CAST(text_hash(text) & 9223372036854775807 AS BIGINT UNSIGNED) AS hash, 0 AS every_row
    FROM unique_documents
  ) AS own ON filter.all_rows = own.every_row
)
SELECT
  id,
  text,
  character_length(text) AS length,
  ids,
  group_value,
  regexp_like(text, $not_blank) AND ($group_rule = 'any' OR group_value IS NOT NULL) AS compared
FROM (
  SELECT min(id) AS id, text, array_agg(id) AS ids, group_value
  FROM counted
  WHERE is_repeated
  GROUP BY text, group_value
  UNION ALL
  SELECT id, text, [id] AS ids, group_value
  FROM counted
  WHERE NOT is_repeated
)
