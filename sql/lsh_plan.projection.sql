-- lsh_plan.projection(threshold, target_recall)
--
-- lsh_plan for projection_join: one row for each setting of the model.
--
-- Columns
--   method: text | exhaustive, bands or window
--   bits: Int64 | bits of a signature
--   max_distance: Int64 | maximum number of bits in which signatures may differ
--   tables: Int64 | tables or permutations
--   key_bits: Int64 | bits of a key
--   window: Int64 | number of preceding rows with which a row is compared
--   expected_recall: Float64 | expected recall of pairs at the threshold: found times kept
--   found: Float64 | probability that a pair at the threshold is found in at least one table
--   kept: Float64 | probability that the distance test keeps a pair at the threshold
--   unrelated_kept: Float64 | probability that the distance test keeps a pair of cosine 0
--   relative_cost: Float64 | time relative to comparing all pairs
--   recommended: Boolean | true for the cheapest setting that reaches target_recall
SELECT
  UNNEST($method_list) AS method,
  $bits AS bits,
  UNNEST($max_distance_list) AS max_distance,
  UNNEST($tables_list) AS tables,
  UNNEST($key_bits_list) AS key_bits,
  UNNEST($window_list) AS window,
  UNNEST($expected_recall_list) AS expected_recall,
  UNNEST($found_list) AS found,
  UNNEST($kept_list) AS kept,
  UNNEST($unrelated_kept_list) AS unrelated_kept,
  UNNEST($relative_cost_list) AS relative_cost,
  UNNEST($recommended_list) AS recommended
