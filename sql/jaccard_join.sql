-- jaccard_join(input [, input_b])
--
-- Finds every pair of rows whose shingle sets have at least the given Jaccard similarity. The result is exact and
-- complete. With two relations, a pair is a row of the first and a row of the second.
--
-- Inputs
--   input: id, text
--   input_b: id, text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   id_b: column | the id column of the second relation; default: that of id
--   text_b: column | the text column of the second relation; default: that of text
--   threshold: number in (0, 1] = 0.8 | minimum similarity of a pair
--   shingle: shingle = 'word:3' | how a text is split into shingles: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | whether texts are normalised: NFKC, lower case, runs of white space become one space, trimmed
--   copies: one of all|linked = 'all' | 'all': every pair; 'linked': only one row of each distinct text, that with the smallest id, is compared with other texts, and each of its copies has one pair with it
--   bucket_pairs: integer in [1, 4000000000] = 10000 | with linked copies: a bucket with more distinct texts than this is oversized; its rows are verified only against a few of them, its pivots
--   across: column | only pairs whose values in this column differ; rows with NULL in it are in no pair; not with linked copies
--   parts: integer in [1, 65536] = 1 | number of parts of the key space; more parts need less memory at a time and more work in total
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two shingle sets
-- Guarantees
--   Complete: recall 1 and precision 1 on 64-bit hashes of shingles (with linked copies: for buckets that are not oversized).
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Empty texts and rows with NULL are in no pair.
--   The rows do not depend on the number of partitions or parts.
SELECT id_a, id_b, similarity
FROM exact_pairs(
  (
    SELECT side, id, text, across
    FROM unique_rows(input, normalize => $normalize, differ => $differ)
  ),
  threshold => $threshold,
  shingle => $shingle,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
