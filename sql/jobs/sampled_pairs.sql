-- sampled_pairs
--
-- View or step of a job: all pairs of a text of the sample (id_a) and another text, each once, by the exact join.
SELECT sampled AS id_a, CASE WHEN a = sampled THEN b ELSE a END AS id_b, similarity
FROM (
  SELECT
    least(id_a, id_b) AS a,
    greatest(id_a, id_b) AS b,
    min(id_a) AS sampled,
    max(similarity) AS similarity
  FROM exact_pairs(
    sampled_items,
    threshold => $threshold,
    shingle => $shingle,
    parts => $parts,
    sides => 2,
    group_rule => $group_rule
  )
  WHERE id_a <> id_b
  GROUP BY least(id_a, id_b), greatest(id_a, id_b)
)
