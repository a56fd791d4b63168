-- jaccard_join.sets(input [, input_b])
--
-- jaccard_join of lists, whose elements are the members of the sets: by prefix filtering as in prefix_pairs, with the sets
-- in memory, because they cannot be computed again from a text.
WITH sets AS (
  SELECT side, id, across, tokens
  FROM unique_sets(input, differ => $differ)
),
frequencies AS (
  SELECT arrow_cast(token_frequencies(tokens), 'BinaryView') AS sketch, 0 AS all_rows
  FROM sets
),
keyed AS (
  SELECT own.side, own.id, own.across, own.tokens, prefix_tokens(own.tokens, frequencies.sketch, $threshold) AS keys
  FROM frequencies
  JOIN (SELECT side, id, across, tokens, 0 AS all_rows FROM sets) AS own ON frequencies.all_rows = own.all_rows
)
SELECT id_a, id_b, similarity
FROM similar_pairs(
  (
    SELECT side, id, across, tokens, keys, UNNEST(key_parts(keys, $parts)) AS part
    FROM keyed
  ),
  threshold => $threshold,
  verify => 'exact',
  prefixes => true,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
