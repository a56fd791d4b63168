-- containment_sides(input)
--
-- Finds pairs of sets by the share of one of them that the other contains. A building block of containment_join.
--
-- Inputs
--   input: side, id, group_value, tokens
-- Parameters
--   share_of
--   threshold.share
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | the share
-- Guarantees
--   Complete. Each pair is reported once. Empty sets are in no pair.
SELECT id_a, id_b, max(similarity) AS similarity
FROM (
  SELECT id_a, id_b, similarity
  FROM containment_pairs(input, threshold => $threshold, parts => $parts, group_rule => $group_rule)
  WHERE $share_of <> 'b'
  UNION ALL
  SELECT id_b AS id_a, id_a AS id_b, similarity
  FROM containment_pairs(
    (SELECT CAST(1 - side AS TINYINT) AS side, id, group_value, tokens FROM input),
    threshold => $threshold,
    parts => $parts,
    group_rule => $group_rule
  )
  WHERE $share_of <> 'a'
)
GROUP BY id_a, id_b
