-- texts
--
-- Step of a job: selects each distinct normalised text of a group once, with the ids of its copies and whether it can
-- be in a pair: it has shingles, and a group if groups are compared.
SELECT
  min(id) AS id,
  text,
  array_agg(id) AS ids,
  group_value,
  regexp_like(text, $not_blank) AND ($group_rule = 'any' OR group_value IS NOT NULL) AS compared
FROM unique_documents
GROUP BY text, group_value
