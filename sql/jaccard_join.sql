-- jaccard_join(input [, input_b])
--
-- Finds every pair of rows whose shingle sets have at least the given Jaccard similarity. The result is exact and
-- complete. With two relations, a pair is a row of the first and a row of the second.
--
-- With signature_column, the sets are the lists of a column: of hashes or of strings, such as winnow, spot_signatures,
-- i_match, shingle_hashes and terms give.
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
--   threshold
--   shingle
--   normalize
--   copies
--   max_bucket_pairwise.linked
--   across.unlinked
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two sets
-- Guarantees
--   Complete: recall 1 and precision 1 on 64-bit hashes of shingles (with linked copies: for buckets that are not oversized).
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Empty texts, empty lists and rows with NULL are in no pair; NULL elements of lists are ignored.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'The old mill by the river burned down in 1897'),
--     (3, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT * FROM jaccard_join(docs, threshold => 0.7)
SELECT id_a, id_b, similarity
FROM exact_pairs(
  (
    SELECT side, id, text, group_value
    FROM unique_rows(input, normalize => $normalize, group_rule => $group_rule)
  ),
  threshold => $threshold,
  shingle => $shingle,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
