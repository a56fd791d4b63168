-- prefixes
--
-- Step of a job: how frequent tokens are in prefixes, which is what the exact join costs.
SELECT token_frequencies(prefix_tokens(shingle_hashes(texts.text, $shingle), frequencies.sketch, $threshold)) AS sketch
FROM (SELECT sketch, 0 AS all_rows FROM frequencies) AS frequencies
JOIN (SELECT text, 0 AS all_rows FROM texts WHERE shingles > 0) AS texts
  ON frequencies.all_rows = texts.all_rows
