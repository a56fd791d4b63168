-- containment_pairs(input)
--
-- Finds the sets of side 0 of which a set of side 1 contains at least the given share. If the share of a set of n
-- tokens is o tokens, a set that contains them has one of its n - o + 1 rarest tokens (Chaudhuri, Ganti, Kaushik, ICDE
-- 2006). A building block of containment_join.
--
-- Inputs
--   input: side, id, group_value, tokens
-- Parameters
--   threshold.share
--   parts
--   group_rule
-- Columns
--   id_a: as id | the id of side 0
--   id_b: as id | the id of side 1
--   similarity: Float64 | the share of the members of the set of side 0 that are in the set of side 1
-- Guarantees
--   Complete. Each pair is reported once. Empty sets are in no pair.
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
      -- In the order of the tokens: rows that share several keys have them in one order.
      CASE own.side
        WHEN 0 THEN array_sort(prefix_tokens(own.tokens, frequencies.sketch, $threshold))
        ELSE own.tokens
      END,
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
  verify => 'containment',
  parts => $parts,
  sides => 2,
  group_rule => $group_rule
)
