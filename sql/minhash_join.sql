-- minhash_join(input [, input_b])
--
-- Pairs of rows found by MinHash signatures and verified: bands and rows are chosen for a target recall at
-- the threshold, and what is reported is exact. With two relations, pairs of a row of the first with a
-- row of the second.
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
--   target_recall: number in (0, 1) | share of the pairs at the threshold that the bands find; default 0.99
--   num_hashes: integer in [1, 4096] = 128 | hash functions that a signature may use
--   bands: integer in [1, 4096] | explicit number of bands; with rows, instead of target_recall
--   rows: integer in [1, 4096] | hash values a band
--   scheme: one of bands|draws = 'bands' | 'draws': the keys of the published systems
--   draws: integer in [1, 4096] = 10 | with scheme 'draws': keys of a signature
--   draw_size: integer in [1, 4096] = 10 | with scheme 'draws': hash values a draw, with replacement
--   bits: integer in [1, 64] = 32 | bits of a hash value
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hash functions
--   max_bucket: integer in [0, 4000000000] = 0 | only the first rows, in id order, of a bucket form pairs; 0: all
--   verify: one of exact|edit|estimate|none = 'exact' | what similarity is: Jaccard of the shingle sets, edit similarity of the texts, share of equal hash values, or NULL without verification
--   copies: one of all|linked = 'all' | 'all': every pair; 'linked': each distinct text stands for its copies by its smallest id, and each copy has one pair with it
--   bucket_pairs: integer in [1, 4000000000] = 10000 | with linked copies: a bucket of more distinct texts than this is oversized, and its rows are verified against a few of them, its pivots, only
--   across: column | only pairs whose values in this column differ; rows with NULL there take no part; not with linked copies
--   parts: integer in [1, 65536] = 1 | parts of the key space; more parts hold less in memory at a time and do more work
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | as verify says; NULL where it is 'none'
-- Guarantees
--   No pair below the threshold unless verify is 'none'.
--   A pair of Jaccard similarity s is found with probability 1 - (1 - s^rows)^bands; lsh_plan shows it.
--   Each unordered pair once, id_a < id_b; never a row with itself. Empty texts pair with nothing; NULL takes no part.
--   The same rows whatever the number of partitions or parts.
SELECT id_a, id_b, similarity
FROM minhash_pairs(
  (
    SELECT side, id, text, across
    FROM unique_rows(input, normalize => $normalize, differ => $differ)
  ),
  threshold => $threshold,
  shingle => $shingle,
  num_hashes => $num_hashes,
  seed => $seed,
  bits => $bits,
  scheme => $scheme,
  bands => $bands,
  rows => $rows,
  draws => $draws,
  draw_size => $draw_size,
  verify => $verify,
  max_bucket => $max_bucket,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
