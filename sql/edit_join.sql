-- edit_join(input [, input_b])
--
-- Finds every pair of rows whose texts have at least the given edit similarity: 1 minus the number of characters that must
-- be inserted, deleted or replaced, divided by the characters of the longer text. The result is exact and complete. It is
-- for short texts such as names, titles and sentences. With two relations, a pair is a row of the first and a row of the
-- second. Candidates share one of their rarest grams, runs of 1 to 8 characters (Gravano et al., VLDB 2001; Xiao, Wang,
-- Lin, PVLDB 2008), and are verified by a bounded Levenshtein distance.
--
-- Inputs
--   input: id, text
--   input_b: id, text
-- Parameters
--   id
--   text.several
--   id_b
--   text_b.several
--   threshold | minimum edit similarity of a pair; below 0.75 most texts are candidates of each other
--   normalize
--   across
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | edit similarity of the two texts
-- Guarantees
--   Complete: recall 1 and precision 1.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Empty texts and rows with NULL are in no pair.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH names AS (SELECT * FROM (VALUES
--     (1, 'Ilse Varnholt'),
--     (2, 'Ilse Vahrnholt'),
--     (3, 'Else Warnold'),
--     (4, 'Port Adeline')
--   ) AS v (id, text))
--   SELECT id_a, id_b, round(similarity, 3) AS similarity FROM edit_join(names, threshold => 0.7)
SELECT id_a, id_b, similarity
FROM edit_pairs(
  (
    SELECT side, id, group_value, text
    FROM unique_rows(input, normalize => $normalize, group_rule => $group_rule)
  ),
  threshold => $threshold,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
