-- deduplicate(input)
--
-- The input's rows without near-duplicates: those that near_duplicates keeps.
--
-- Inputs
--   input: any columns, with an id and a text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column; not read with 'projection', unless keep is 'longest'
--   vector: column = vector | with 'projection': the column of vectors, whose cosine is the similarity
--   threshold: number in (0, 1] = 0.8 | least similarity of a pair
--   shingle: shingle = 'word:3' | what a text is cut into: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | NFKC, lower case, white space runs to one space, trimmed
--   method: one of exact|minhash|projection = 'exact' | how pairs are found: the exact join, MinHash at a target recall, or random projection of vectors at a target recall
--   resolution: one of representative|components = 'representative' | 'representative': a row is removed if it is similar to a kept row; 'components': one row of each connected component is kept
--   keep: one of first|longest = 'first' | which row is kept: the smallest id, or the most characters
--   keep_by: text | which row is kept, instead of keep: 'column' or 'column desc', then the smallest id
--   target_recall: number in (0, 1) = 0.99 | with 'minhash' and 'projection': share of the pairs at the threshold that are found
--   num_hashes: integer in [1, 4096] = 128 | with 'minhash': hash functions that a signature may use
--   bits: integer in [1, 4096] = 1024 | with 'projection': bits of a signature
--   seed: integer in [0, 9007199254740992] = 1 | with 'minhash' and 'projection': seed of signatures
--   bucket_pairs: integer in [1, 4000000000] = 10000 | a bucket of more distinct texts than this is oversized: its rows are verified against a few of them, its pivots, only; a vector is paired with its first so many similar predecessors, at most 256
--   parts: integer in [1, 65536] = 1 | parts of the key space; more parts hold less in memory at a time and do more work
-- Columns
--   as input: as input | the columns of the input
-- Guarantees
--   Every row left out is verified similar to one that stays (with resolution 'representative').
--   Two rows that stay may be similar in oversized buckets only, and as near_duplicates says.
--   Rows of one id are one row, of which the first stays: one with a text, then in keep order, then in the order of the columns from left to right, NULL last. Another text is an error that names the id.
--   Rows without an id all stay.
SELECT input.*
FROM input
LEFT ANTI JOIN (
  SELECT id
  FROM resolved_duplicates(
    input_b,
    normalize => $normalize,
    resolution => $resolution,
    method => $method,
    threshold => $threshold,
    shingle => $shingle,
    target_recall => $target_recall,
    num_hashes => $num_hashes,
    bits => $bits,
    seed => $seed,
    bucket_pairs => $bucket_pairs,
    parts => $parts
  )
  WHERE representative IS DISTINCT FROM rank
) AS removed ON input.removed_id = removed.id
