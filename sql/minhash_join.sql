-- minhash_join(input [, input_b])
--
-- Finds pairs of similar rows by MinHash signatures and verifies them. Bands and rows are chosen for a target recall at
-- the threshold. By default, reported similarities are exact. With two relations, a pair is a row of the first and a
-- row of the second.
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
--   target_recall: number in (0, 1) | fraction of the pairs at the threshold that the bands find; default 0.99
--   num_hashes: integer in [1, 4096] = 128 | maximum number of hash functions of a signature
--   bands: integer in [1, 4096] | number of bands; given together with rows, instead of target_recall
--   rows: integer in [1, 4096] | hash values per band; given together with bands
--   scheme: one of bands|draws = 'bands' | how keys are made of a signature; 'draws': as in the published systems, of hash values drawn with replacement
--   draws: integer in [1, 4096] = 10 | with scheme 'draws': number of keys of a signature
--   draw_size: integer in [1, 4096] = 10 | with scheme 'draws': hash values per key, drawn with replacement
--   bits: integer in [1, 64] = 32 | bits of a hash value
--   seed: integer in [0, 9007199254740992] = 1 | seed of the hash functions
--   max_bucket: integer in [0, 4000000000] = 0 | only this many rows of a bucket, the first in id order, form pairs; 0: all
--   verify: one of exact|edit|estimate|none = 'exact' | which similarity is computed and reported: 'exact': Jaccard of the shingle sets; 'edit': edit similarity of the texts; 'estimate': fraction of equal hash values; 'none': no verification, similarity NULL
--   copies: one of all|linked = 'all' | 'all': every pair; 'linked': only one row of each distinct text, that with the smallest id, is compared with other texts, and each of its copies has one pair with it
--   bucket_pairs: integer in [1, 4000000000] = 10000 | with linked copies: a bucket with more distinct texts than this is oversized; its rows are verified only against a few of them, its pivots
--   across: column | only pairs whose values in this column differ; rows with NULL in it are in no pair; not with linked copies
--   parts: integer in [1, 65536] = 1 | number of parts of the key space; more parts need less memory at a time and more work in total
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the similarity that verify selects; NULL if verify is 'none'
-- Guarantees
--   No reported pair is below the threshold unless verify is 'none'.
--   A pair of Jaccard similarity s is found with probability 1 - (1 - s^rows)^bands; lsh_plan shows it.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Empty texts and rows with NULL are in no pair.
--   The rows do not depend on the number of partitions or parts.
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
