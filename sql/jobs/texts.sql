-- texts
--
-- Step of a job: selects each distinct normalised text of a group once, with the ids of its copies and whether it can
-- be in a pair: it has shingles, and a group if groups are compared. The number of characters is there so that they can be
-- added up without reading the texts again.
SELECT
  min(id) AS id,
  text,
  character_length(text) AS length,
  array_agg(id) AS ids,
  group_value,
  regexp_like(text, $not_blank) AND ($group_rule = 'any' OR group_value IS NOT NULL) AS compared
FROM unique_documents
GROUP BY text, group_value
