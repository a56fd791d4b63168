-- deduplicate(input)
--
-- Returns the rows of the input without near-duplicates, which are the rows that near_duplicates keeps.
--
-- Inputs
--   input: any columns, with an id and a text
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
--   as input: as input | the columns of the input
-- Guarantees
--   With resolution 'representative', every removed row is verified to be similar to a kept row.
--   Two kept rows may be similar only in the cases that near_duplicates states, such as oversized buckets.
--   Of the rows of an id, the first is kept: rows with a text come first, then rows are in keep order, then in the order of the columns from left to right, NULL last. An id with different texts is an error that names the id.
--   All rows without an id are kept.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'The old mill by the river burned down in 1897'),
--     (3, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT * FROM deduplicate(docs, threshold => 0.7) ORDER BY id
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
    parts => $parts,
    group_rule => $group_rule
  )
  WHERE representative IS DISTINCT FROM rank
) AS removed ON input.removed_id = removed.id
