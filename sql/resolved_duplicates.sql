-- resolved_duplicates(input)
--
-- Returns the representative of each row, by rank in keep order. A building block of near_duplicates and deduplicate.
--
-- Inputs
--   input: id, rank, item
-- Parameters
--   threshold: number in (0, 1] = 0.8 | minimum similarity of a pair
--   shingle: shingle = 'word:3' | how a text is split into shingles: 'char:n', 'word:n' or 'space:n'
--   normalize: boolean = true | whether texts are normalised: NFKC, lower case, runs of white space become one space, trimmed
--   measure: one of jaccard|cosine = 'jaccard' | how items are compared: 'jaccard': as texts; 'cosine': as packed vectors
--   method: one of exact|minhash|projection = 'exact' | how pairs are found; 'projection' with 'cosine', the others with 'jaccard'
--   resolution: one of representative|components = 'representative' | as in near_duplicates
--   target_recall: number in (0, 1) = 0.99 | with 'minhash' and 'projection'
--   num_hashes: integer in [1, 4096] = 128 | with 'minhash'
--   bits: integer in [1, 4096] = 1024 | with 'projection'
--   seed: integer in [0, 9007199254740992] = 1 | with 'minhash' and 'projection'
--   max_bucket_pairwise: integer in [0, 4000000000] = 10000 | as in near_duplicates
--   parts: integer in [1, 65536] = 1 | number of parts of the key space
-- Columns
--   id: as id | the row's id
--   rank: as rank | its rank
--   representative: as rank | the rank of its representative
--   similarity: Float64 | exact similarity with the representative; NULL if it is the row itself
-- Guarantees
--   One row for every input row; rows with the same id and the same item are one row.
WITH items AS (
  SELECT side, id, item, across, ids
  FROM distinct_items(
    (
      SELECT CAST(0 AS TINYINT) AS side, rank AS id, item, CAST(0 AS TINYINT) AS across
      FROM input
      WHERE id IS NOT NULL
    ),
    measure => $measure,
    normalize => $normalize,
    shingle => $shingle
  )
),
edges AS (
  SELECT id_a, id_b, similarity
  FROM item_pairs(
    items,
    method => $method,
    resolution => $resolution,
    threshold => $threshold,
    shingle => $shingle,
    target_recall => $target_recall,
    num_hashes => $num_hashes,
    bits => $bits,
    seed => $seed,
    max_bucket_pairwise => $max_bucket_pairwise,
    parts => $parts
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
