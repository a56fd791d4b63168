-- numbered_representatives(ids, pairs)
--
-- Returns the representative of each id of similar pairs, where the ids are numbered in keep order. A building block of
-- pair_representatives under a memory limit.
--
-- Inputs
--   input: id, number
--   input_b: id_a, id_b, similarity
-- Columns
--   id: as id | the id
--   representative_id: as id | the id of the kept row that represents it; the id itself if it is kept
--   similarity: Float64 | the similarity of the two; NULL if it is kept, or if it is unknown
-- Guarantees
--   The pairs of an id with earlier ids are read after all pairs of those earlier ids, so that each of these is known to be kept or removed.
WITH numbered AS (
  SELECT
    greatest(a.number, b.number) AS later,
    least(a.number, b.number) AS earlier,
    CASE WHEN NOT isnan(CAST(pairs.similarity AS DOUBLE)) THEN CAST(pairs.similarity AS DOUBLE) END AS similarity
  FROM input_b AS pairs
  JOIN input AS a ON pairs.id_a = a.id
  JOIN input AS b ON pairs.id_b = b.id
  WHERE a.number <> b.number
),
earlier_ids AS (
  SELECT later, earlier, similarity, earlier_is_kept(later, earlier) OVER (ORDER BY later, earlier) AS earlier_kept
  FROM numbered
),
later_ids AS (
  SELECT later, earlier, similarity, earlier_kept, bool_or(earlier_kept) OVER (PARTITION BY later) AS later_removed
  FROM earlier_ids
),
-- The kept ids that a removed id is paired with, earlier and later in keep order.
kept_neighbours AS (
  SELECT
    CASE WHEN earlier_kept THEN later ELSE earlier END AS number,
    CASE WHEN earlier_kept THEN earlier ELSE later END AS kept,
    similarity
  FROM later_ids
  WHERE earlier_kept OR NOT later_removed
),
chosen AS (
  SELECT number, kept, similarity
  FROM (
    SELECT
      number,
      kept,
      similarity,
      row_number() OVER (PARTITION BY number ORDER BY similarity DESC NULLS LAST, kept) AS choice
    FROM kept_neighbours
  )
  WHERE choice = 1
)
SELECT ids.id, coalesce(kept.id, ids.id) AS representative_id, chosen.similarity
FROM input AS ids
LEFT JOIN chosen ON ids.number = chosen.number
LEFT JOIN input AS kept ON chosen.kept = kept.number
