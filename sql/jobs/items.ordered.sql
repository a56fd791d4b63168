-- items.ordered
--
-- items with the rank in keep order as id, so that the pivots of oversized buckets and the first predecessors of vectors
-- are rows that are likely to be kept.
SELECT CAST(0 AS TINYINT) AS side, text_ranks.rank AS id, texts.text AS item, texts.group_value
FROM texts
JOIN text_ranks ON texts.id = text_ranks.id
