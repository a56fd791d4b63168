-- set_pairs(input)
--
-- Finds pairs of similar sets by prefix filtering as in prefix_pairs, with the sets in memory, because they cannot be
-- computed again from a text. A building block of jaccard_join and field_join.
--
-- Inputs
--   input: side, id, group_value, tokens
-- Parameters
--   threshold
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | exact Jaccard similarity of the two sets
-- Guarantees
--   Complete. Each pair of rows is reported once. Empty sets are in no pair.
WITH frequencies AS (
  SELECT arrow_cast(token_frequencies(tokens), 'BinaryView') AS sketch, 0 AS all_rows
  FROM input
),
keyed AS (
  SELECT
    own.side,
    own.id,
    own.group_value,
    own.tokens,
    keys_within(
      prefix_tokens(own.tokens, frequencies.sketch, $threshold),
      CASE WHEN $group_rule = 'agree' THEN CAST(own.group_value AS VARCHAR) ELSE '' END
    ) AS keys
  FROM frequencies
  JOIN (SELECT side, id, group_value, tokens, 0 AS all_rows FROM input) AS own ON frequencies.all_rows = own.all_rows
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, group_value, tokens, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  threshold => $threshold,
  verify => 'exact',
  prefixes => true,
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
