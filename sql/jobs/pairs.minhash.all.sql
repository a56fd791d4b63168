-- pairs.minhash.all
--
-- Step of a job: finds pairs of similar rows by MinHash bands and verifies them. Distinct texts are joined, and their
-- pairs are expanded to the pairs of their copies.
WITH documents AS (
  SELECT CAST(0 AS TINYINT) AS side, id, text, CAST(0 AS TINYINT) AS across
  FROM texts
  WHERE compared
),
similar AS (
  SELECT id_a, id_b, similarity
  FROM minhash_pairs(
    documents,
    threshold => $threshold,
    shingle => $shingle,
    num_hashes => $num_hashes,
    seed => $seed,
    bands => $bands,
    rows => $rows,
    parts => $parts
  )
)
SELECT id_a, id_b, similarity
FROM row_pairs((SELECT id, ids FROM texts WHERE compared), similar)
ORDER BY id_a, id_b
