-- near_duplicates(input)
--
-- Which rows are near-duplicates of which, and which one of them to keep: one row for every input row.
--
-- Inputs
--   input: id, text
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
--   id: as id | the row's id
--   cluster_id: as id | the representative's id; with resolution 'components' the smallest id of the component
--   representative_id: as id | the kept row that stands for this one; its own id where it is kept
--   similarity: Float64 | exact Jaccard similarity, or cosine, with the representative; NULL where the row is kept
--   kept: Boolean | whether the row stays
--   cluster_size: Int64 | rows of the cluster
-- Guarantees
--   Resolution 'representative': every removed row is verified similar to the kept row that stands for it.
--   Two kept rows are not similar, but for pairs that 'minhash' or 'projection' misses and for oversized buckets.
--   In these, two kept rows may be similar if all buckets that they share are oversized and, in each, the first of them in keep order is no pivot and resembles no pivot that is kept.
--   Two kept vectors may be similar if the later has more similar predecessors than it is paired with, and these were all removed.
--   The rows are the same for any number of parts and partitions and any order of the input.
--   A row that is alone, empty or NULL is kept: a cluster of one, similarity NULL.
--   The same id twice with the same text, or once without a text, is one row; with another text it is an error that names the id.
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
