-- pairs.minhash.linked
--
-- Step of a job: finds pairs of similar distinct texts by MinHash bands, verifies them, and adds one pair for each
-- copy.
WITH documents AS (
  SELECT CAST(0 AS TINYINT) AS side, id, text, CAST(0 AS TINYINT) AS across
  FROM texts
  WHERE compared
)
SELECT id_a, id_b, max(similarity) AS similarity
FROM minhash_pairs(
  documents,
  threshold => $threshold,
  shingle => $shingle,
  num_hashes => $num_hashes,
  seed => $seed,
  bands => $bands,
  rows => $rows,
  bucket_pairs => $bucket_pairs,
  parts => $parts
)
GROUP BY id_a, id_b
UNION ALL
SELECT id_a, id_b, CAST(1.0 AS DOUBLE) AS similarity
FROM (
  SELECT id AS id_a, UNNEST(ids) AS id_b
  FROM texts
  WHERE compared AND cardinality(ids) > 1
)
WHERE id_a <> id_b
ORDER BY id_a, id_b
