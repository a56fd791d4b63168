-- resolved_duplicates(input)
--
-- Returns the representative of each row, by rank in keep order. A building block of near_duplicates and deduplicate.
--
-- Inputs
--   input: id, rank, item, group_value
-- Parameters
--   threshold
--   shingle
--   normalize
--   measure
--   method
--   resolution
--   target_recall
--   num_hashes
--   bits
--   seed
--   max_bucket_pairwise
--   parts
--   group_rule
-- Columns
--   id: as id | the row's id
--   rank: as rank | its rank
--   representative: as rank | the rank of its representative
--   similarity: Float64 | exact similarity with the representative; NULL if it is the row itself
-- Guarantees
--   One row for every input row; rows with the same id and the same item are one row.
WITH items AS (
  SELECT side, id, item, group_value, ids
  FROM distinct_items(
    (
      SELECT CAST(0 AS TINYINT) AS side, rank AS id, item, group_value
      FROM input
      WHERE id IS NOT NULL
    ),
    measure => $measure,
    normalize => $normalize,
    shingle => $shingle,
    group_rule => $group_rule
  )
),
edges AS (
  SELECT id_a, id_b, similarity
  FROM item_pairs(
    items,
    measure => $measure,
    method => $method,
    resolution => $resolution,
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
),
resolved AS (
  SELECT id, representative, similarity
  FROM resolved_items(
    items,
    edges,
    resolution => $resolution,
    measure => $measure,
    shingle => $shingle
  )
),
every_id AS (
  SELECT id, rank
  FROM input
  WHERE id IS NOT NULL
  GROUP BY id, rank
  UNION ALL
  SELECT id, rank
  FROM input
  WHERE id IS NULL
)
SELECT
  every_id.id,
  every_id.rank,
  coalesce(resolved.representative, every_id.rank) AS representative,
  resolved.similarity
FROM every_id
LEFT JOIN resolved ON every_id.rank = resolved.id
