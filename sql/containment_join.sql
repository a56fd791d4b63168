-- containment_join(input [, input_b])
--
-- Finds every pair of rows of which one contains at least the given share of the other's shingles: quotations,
-- excerpts, and texts that were extended. The result is exact and complete. With two relations, a pair is a row of the
-- first and a row of the second.
--
-- With signature_column, the sets are the lists of a column: of hashes or of strings, such as winnow, shingle_hashes and
-- terms give.
--
-- Inputs
--   input: id, text
--   input_b: id, text
-- Parameters
--   id
--   text.several
--   id_b
--   text_b.several
--   signature_column.sets
--   signature_column_b.sets
--   share_of
--   threshold.share
--   shingle
--   normalize
--   across
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the share: common members, divided by those of the set that share_of names
-- Guarantees
--   Complete: recall 1 and precision 1 on 64-bit hashes of shingles.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Empty texts, empty lists and rows with NULL are in no pair; NULL elements of lists are ignored.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'It is known that the old mill by the river burned down in 1896, and that nobody was hurt'),
--     (3, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT * FROM containment_join(docs, threshold => 0.7)
SELECT id_a, id_b, similarity
FROM containment_sides(
  (
    SELECT side, id, group_value, shingle_hashes(text, $shingle) AS tokens
    FROM unique_rows(input, normalize => $normalize, group_rule => $group_rule)
  ),
  share_of => $share_of,
  threshold => $threshold,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
