-- edit_pairs(input)
--
-- Finds the pairs of texts that have at least the given edit similarity. Candidates share one of their rarest grams,
-- as many of each text as edit_keys returns. A building block of edit_join, field_join and item_pairs.
--
-- Inputs
--   input: side, id, group_value, text
-- Parameters
--   threshold
--   parts
--   sides
--   group_rule
-- Columns
--   id_a: as id | the smaller id, or the id of side 0
--   id_b: as id | the other id
--   similarity: Float64 | edit similarity of the two texts
-- Guarantees
--   Complete. Each pair is reported once. Empty texts are in no pair.
WITH texts AS (
  SELECT side, id, group_value, text, edit_grams(text, $threshold) AS grams
  FROM input
),
frequencies AS (
  SELECT arrow_cast(token_frequencies(grams), 'BinaryView') AS sketch, 0 AS all_rows
  FROM texts
),
keyed AS (
  SELECT
    own.side,
    own.id,
    own.group_value,
    own.text,
    keys_within(
      edit_keys(own.grams, character_length(own.text), frequencies.sketch, $threshold),
      CASE WHEN $group_rule = 'agree' THEN CAST(own.group_value AS VARCHAR) ELSE '' END
    ) AS keys
  FROM frequencies
  JOIN (SELECT side, id, group_value, text, grams, 0 AS all_rows FROM texts) AS own
    ON frequencies.all_rows = own.all_rows
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, group_value, text, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  threshold => $threshold,
  verify => 'edit',
  parts => $parts,
  sides => $sides,
  group_rule => $group_rule
)
