-- texts.vectors
--
-- Step of a job on vectors: selects each distinct packed vector of a group once, with the ids of its copies and whether
-- it can be in a pair: it is nonzero, and has a group if groups are compared.
SELECT
  min(id) AS id,
  text,
  character_length(encode(text, 'hex')) / 2 AS length,
  array_agg(id) AS ids,
  group_value,
  text <> X'' AND ($group_rule = 'any' OR group_value IS NOT NULL) AS compared
FROM unique_documents
GROUP BY text, group_value
