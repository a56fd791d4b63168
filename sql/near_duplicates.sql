-- near_duplicates(input)
--
-- Groups near-duplicate rows and decides which of them to keep. The result has one row for every input row.
--
-- Inputs
--   input: id, text
-- Parameters
--   id
--   text.compared
--   vector.compared
--   within.kept
--   measure.rows
--   threshold
--   shingle
--   normalize
--   method
--   resolution
--   keep
--   keep_by
--   target_recall
--   num_hashes
--   bits
--   seed
--   max_bucket_pairwise
--   parts
-- Columns
--   id: as id | the row's id
--   cluster_id: as id | the representative's id; with resolution 'components' the smallest id of the component
--   representative_id: as id | id of the kept row that represents this row; its own id if it is kept
--   similarity: Float64 | exact similarity with the representative by the measure, with 'containment' the share of the row's own shingles that the representative contains; NULL if the row is kept
--   kept: Boolean | whether the row is kept
--   cluster_size: Int64 | number of rows of the cluster
-- Guarantees
--   Resolution 'representative': every removed row is verified to be similar to its representative.
--   With measure 'containment' a row is removed if a kept row before it in keep order contains at least the share threshold of its shingles, so that keep => 'longest' removes excerpts; with keep => 'first' a short row is kept beside a longer one after it that contains it.
--   Two kept rows are not similar, except for pairs that 'minhash' or 'projection' misses and for rows of oversized buckets.
--   Two kept rows may be similar if all buckets that they share are oversized and, in each, the first of the two in keep order is not a pivot and is similar to no kept pivot.
--   Two kept vectors may be similar if the later one has more similar predecessors than it is paired with, and all of those that it is paired with were removed.
--   The rows do not depend on the number of parts and partitions or on the order of the input.
--   A row without similar rows, or with an empty or NULL text, is kept: it is a cluster of one row with similarity NULL.
--   Rows with the same id and the same text are one row, and rows of the id without a text are ignored; an id with different texts is an error that names the id.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'The old mill by the river burned down in 1897'),
--     (3, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT * FROM near_duplicates(docs, threshold => 0.7) ORDER BY id
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
  parts => $parts,
  group_rule => $group_rule
)
