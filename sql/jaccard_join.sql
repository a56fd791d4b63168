-- jaccard_join(input [, input_b])
--
-- Every pair of rows whose shingle sets have at least the given Jaccard similarity: exact and complete.
-- With two relations, every such pair of a row of the first with a row of the second.
--
-- Inputs
--   input: id, text
--   input_b: id, text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column
--   id_b: column | the id column of the second relation; default as id
--   text_b: column | the text column of the second relation; default as text
--   threshold: number in (0, 1] = 0.8 | least similarity of a pair
--   shingle: shingle = 'word:3' | what a text is cut into: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | NFKC, lower case, white space runs to one space, trimmed
--   copies: one of all|linked = 'all' | 'all': every pair; 'linked': each distinct text stands for its copies by its smallest id, and each copy has one pair with it
--   bucket_pairs: integer in [1, 4000000000] = 10000 | with linked copies: a bucket of more distinct texts than this is oversized, and its rows are verified against a few of them, its pivots, only
--   across: column | only pairs whose values in this column differ; rows with NULL there take no part; not with linked copies
--   parts: integer in [1, 65536] = 1 | parts of the key space; more parts hold less in memory at a time and do more work
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two shingle sets
-- Guarantees
--   Complete: recall 1 and precision 1 on 64-bit hashes of shingles (with linked copies: below bucket_pairs).
--   Each unordered pair once, id_a < id_b; never a row with itself. Empty texts pair with nothing; NULL takes no part.
--   The same rows whatever the number of partitions or parts.
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
