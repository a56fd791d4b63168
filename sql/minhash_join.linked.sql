-- minhash_join.linked(input)
--
-- minhash_join with linked copies: pairs between the smallest ids of distinct texts, and one pair of similarity 1
-- between each copy and the smallest id with its text. A text with k copies adds k - 1 pairs, not k * (k - 1) / 2.
SELECT id_a, id_b, max(similarity) AS similarity
FROM minhash_pairs(
  (
    SELECT side, id, text, group_value
    FROM distinct_texts(input, normalize => $normalize, group_rule => $group_rule)
  ),
  threshold => $threshold,
  shingle => $shingle,
  num_hashes => $num_hashes,
  seed => $seed,
  bits => $bits,
  scheme => $scheme,
  bands => $bands,
  rows => $rows,
  draws => $draws,
  draw_size => $draw_size,
  verify => $verify,
  max_bucket_pairwise => $max_bucket_pairwise,
  max_bucket => $max_bucket,
  parts => $parts,
  group_rule => $group_rule
)
GROUP BY id_a, id_b
UNION ALL
SELECT id_a, id_b, CASE WHEN $verify = 'none' THEN NULL ELSE similarity END AS similarity
FROM copy_pairs(
  (
    SELECT id, ids
    FROM distinct_texts(input, normalize => $normalize, group_rule => $group_rule)
    -- A condition on the text alone would be checked before copies are found, for every row.
    WHERE CASE WHEN cardinality(ids) > 1 THEN shingle_count(text, $shingle) > 0 ELSE false END
      AND ($group_rule = 'any' OR group_value IS NOT NULL)
  )
)
