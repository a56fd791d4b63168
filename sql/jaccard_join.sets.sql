-- jaccard_join.sets(input [, input_b])
--
-- jaccard_join of lists, whose elements are the members of the sets.
WITH sets AS (
  SELECT side, id, across, tokens
  FROM unique_sets(input, differ => $differ)
),
frequencies AS (
  SELECT token_frequencies(tokens) AS sketch
  FROM sets
)
SELECT id_a, id_b, similarity
FROM prefix_pairs(
  sets,
  frequencies,
  threshold => $threshold,
  parts => $parts,
  sides => $sides,
  differ => $differ
)
