-- rows.repeated
--
-- View of a job in which several rows have an id: the rows that can be in a pair, each id once, with the text normalised.
SELECT id, group_value, text
FROM unique_rows(documents, normalize => $normalize, group_rule => $group_rule)
