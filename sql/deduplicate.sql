-- deduplicate(input)
--
-- Returns the rows of the input without near-duplicates, which are the rows that near_duplicates keeps.
--
-- Inputs
--   input: any columns, with an id and a text
-- Parameters
--   id: column = id | the id column: integers or texts
--   text: column = text | the text column; with 'projection' read only if keep is 'longest'
--   vector: column = vector | with 'projection': the column of vectors, whose cosine is the similarity
--   threshold: number in (0, 1] = 0.8 | minimum similarity of a pair
--   shingle: shingle = 'word:3' | how a text is split into shingles: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | whether texts are normalised: NFKC, lower case, runs of white space become one space, trimmed
--   method: one of exact|minhash|projection = 'exact' | how pairs are found: the exact join, MinHash at a target recall, or random projection of vectors at a target recall
--   resolution: one of representative|components = 'representative' | 'representative': a row is removed if it is similar to a kept row; 'components': one row of each connected component is kept
--   keep: one of first|longest = 'first' | which row is kept: 'first': that with the smallest id; 'longest': that with the most characters
--   keep_by: text | which row is kept, instead of keep: the first one in the order of a column, given as 'column' or 'column desc'; among equals that with the smallest id
--   target_recall: number in (0, 1) = 0.99 | with 'minhash' and 'projection': fraction of the pairs at the threshold that are found
--   num_hashes: integer in [1, 4096] = 128 | with 'minhash': maximum number of hash functions of a signature
--   bits: integer in [1, 4096] = 1024 | with 'projection': bits of a signature
--   seed: integer in [0, 9007199254740992] = 1 | with 'minhash' and 'projection': seed of signatures
--   max_bucket_pairwise: integer in [1, 4000000000] = 10000 | a bucket with more distinct texts than this is oversized: its rows are verified only against a few of them, its pivots; with 'projection' a vector is paired only with its first similar predecessors in keep order, this many and at most 256
--   parts: integer in [1, 65536] = 1 | number of parts of the key space; more parts need less memory at a time and more work in total
-- Columns
--   as input: as input | the columns of the input
-- Guarantees
--   With resolution 'representative', every removed row is verified to be similar to a kept row.
--   Two kept rows may be similar only in the cases that near_duplicates states, such as oversized buckets.
--   Of the rows of an id, the first is kept: rows with a text come first, then rows are in keep order, then in the order of the columns from left to right, NULL last. An id with different texts is an error that names the id.
--   All rows without an id are kept.
SELECT input.*
FROM input
LEFT ANTI JOIN (
  SELECT id
  FROM resolved_duplicates(
    input_b,
    normalize => $normalize,
    resolution => $resolution,
    measure => $measure,
    method => $method,
    threshold => $threshold,
    shingle => $shingle,
    target_recall => $target_recall,
    num_hashes => $num_hashes,
    bits => $bits,
    seed => $seed,
    max_bucket_pairwise => $max_bucket_pairwise,
    parts => $parts
  )
  WHERE representative IS DISTINCT FROM rank
) AS removed ON input.removed_id = removed.id
