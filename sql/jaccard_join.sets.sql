-- jaccard_join.sets(input [, input_b])
--
-- jaccard_join of lists, whose elements are the members of the sets: by prefix filtering as in prefix_pairs, with the sets
-- in memory, because they cannot be computed again from a text.
WITH sets AS (
  SELECT side, id, group_value, tokens
  FROM unique_sets(input, group_rule => $group_rule)
),
frequencies AS (
  SELECT arrow_cast(token_frequencies(tokens), 'BinaryView') AS sketch, 0 AS all_rows
  FROM sets
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
  JOIN (SELECT side, id, group_value, tokens, 0 AS all_rows FROM sets) AS own ON frequencies.all_rows = own.all_rows
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
