-- lsh_plan.projection(threshold, target_recall)
--
-- lsh_plan of projection_join: the settings that the model has, one a row.
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
