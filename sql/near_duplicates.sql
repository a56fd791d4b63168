-- near_duplicates(input)
--
-- Groups near-duplicate rows and decides which of them to keep. The result has one row for every input row.
--
-- Inputs
--   input: id, text
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
--   id: as id | the row's id
--   cluster_id: as id | the representative's id; with resolution 'components' the smallest id of the component
--   representative_id: as id | id of the kept row that represents this row; its own id if it is kept
--   similarity: Float64 | exact Jaccard similarity, or cosine, with the representative; NULL if the row is kept
--   kept: Boolean | whether the row is kept
--   cluster_size: Int64 | number of rows of the cluster
-- Guarantees
--   Resolution 'representative': every removed row is verified to be similar to its representative.
--   Two kept rows are not similar, except for pairs that 'minhash' or 'projection' misses and for rows of oversized buckets.
--   Two kept rows may be similar if all buckets that they share are oversized and, in each, the first of the two in keep order is not a pivot and is similar to no kept pivot.
--   Two kept vectors may be similar if the later one has more similar predecessors than it is paired with, and all of those that it is paired with were removed.
--   The rows do not depend on the number of parts and partitions or on the order of the input.
--   A row without similar rows, or with an empty or NULL text, is kept: it is a cluster of one row with similarity NULL.
--   Rows with the same id and the same text are one row, and rows of the id without a text are ignored; an id with different texts is an error that names the id.
SELECT
  id,
  CASE
    WHEN $resolution = 'components' THEN min(id) OVER (PARTITION BY representative)
    ELSE representative
  END AS cluster_id,
  representative AS representative_id,
  similarity,
  representative IS NOT DISTINCT FROM rank AS kept,
  CASE WHEN representative IS NULL THEN 1 ELSE count(*) OVER (PARTITION BY representative) END AS cluster_size
FROM resolved_duplicates(
  input,
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
