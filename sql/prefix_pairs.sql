-- prefix_pairs(sets, frequencies)
--
-- Finds pairs of similar sets by prefix filtering: the prefix of a set is a number of its rarest tokens such that two
-- sets of the required similarity share at least one prefix token. A building block of exact_pairs.
--
-- Inputs
--   input: side, id, group_value, text, tokens
--   input_b: sketch
-- Parameters
--   threshold
--   shingle | how the tokens were computed from the text
--   max_bucket_pairwise.block
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity
-- Guarantees
--   The single row of frequencies is joined to every set on a constant key, so that it is broadcast.
--   The sketch is a binary view, so that the rows of a batch share its bytes.
WITH keyed AS (
  SELECT
    sets.side,
    sets.id,
    sets.group_value,
    sets.text,
    sets.tokens,
    cardinality(sets.tokens) AS length,
    keys_within(
      prefix_tokens(sets.tokens, frequencies.sketch, $threshold),
      CASE WHEN $group_rule = 'agree' THEN CAST(sets.group_value AS VARCHAR) ELSE '' END
    ) AS keys
  FROM (SELECT arrow_cast(sketch, 'BinaryView') AS sketch, 0 AS all_rows FROM input_b) AS frequencies
  JOIN (SELECT side, id, group_value, text, tokens, 0 AS all_rows FROM input) AS sets
    ON frequencies.all_rows = sets.all_rows
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT
      side,
      id,
      group_value,
      text,
      tokens,
      length,
      keys,
      UNNEST(parts) AS part,
      parts[1] AS home
    FROM rows_with_shared_keys(
      keyed,
      threshold => $threshold,
      max_bucket_pairwise => $max_bucket_pairwise,
      parts => $parts,
      group_rule => $group_rule
    )
  ),
  threshold => $threshold,
  verify => 'exact',
  shingle => $shingle,
  prefixes => true,
  max_bucket_pairwise => $max_bucket_pairwise,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
