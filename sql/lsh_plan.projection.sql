-- lsh_plan.projection(threshold, target_recall)
--
-- lsh_plan of projection_join: the settings that the model has, one a row.
--
-- Columns
--   method: text | exhaustive, bands or window
--   bits: Int64 | bits of a signature
--   max_distance: Int64 | the most bits in which signatures may differ
--   tables: Int64 | tables or permutations
--   key_bits: Int64 | bits of a key
--   window: Int64 | rows before a row that it is compared with
--   expected_recall: Float64 | of pairs at the threshold: found times kept
--   found: Float64 | probability that some table finds a pair at the threshold
--   kept: Float64 | probability that the distance test keeps it
--   unrelated_kept: Float64 | probability that the distance test keeps a pair of cosine 0
--   relative_cost: Float64 | time in units of comparing all pairs
--   recommended: Boolean | the cheapest setting that reaches target_recall
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
