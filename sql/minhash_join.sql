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
--   id
--   text.several
--   id_b
--   text_b.several
--   threshold
--   shingle
--   normalize
--   target_recall
--   num_hashes
--   bands
--   rows
--   scheme
--   draws
--   draw_size
--   bits.hash
--   seed
--   max_bucket
--   verify
--   copies
--   max_bucket_pairwise.linked
--   across.unlinked
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the similarity that verify selects; NULL if verify is 'none'
-- Guarantees
--   No reported pair is below the threshold unless verify is 'none'.
--   A pair of Jaccard similarity s is found with probability 1 - (1 - s^rows)^bands; lsh_plan shows it.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Empty texts and rows with NULL are in no pair.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The old mill by the river burned down in 1896'),
--     (2, 'The old mill by the river burned down in 1897'),
--     (3, 'Nothing is known about the painter')
--   ) AS v (id, text))
--   SELECT * FROM minhash_join(docs, threshold => 0.7, shingle => 'char:5')
SELECT id_a, id_b, similarity
FROM minhash_pairs(
  (
    SELECT side, id, text, group_value
    FROM unique_rows(input, normalize => $normalize, group_rule => $group_rule)
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
  group_rule => $group_rule
)
