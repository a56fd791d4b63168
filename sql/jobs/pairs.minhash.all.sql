-- pairs.minhash.all
--
-- Step of a job: pairs of rows by MinHash bands, verified.
WITH documents AS (
  SELECT CAST(0 AS TINYINT) AS side, UNNEST(ids) AS id, text, CAST(0 AS TINYINT) AS across
  FROM texts
  WHERE shingles > 0
)
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
ORDER BY id_a, id_b
