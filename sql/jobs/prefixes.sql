-- prefixes
--
-- Step of a job: how frequent tokens are in prefixes, which is what the exact join costs.
SELECT token_frequencies(prefix_tokens(shingle_hashes(texts.text, $shingle), frequencies.sketch, $threshold)) AS sketch
FROM (SELECT text, 0 AS all_rows FROM texts WHERE shingles > 0) AS texts
JOIN (SELECT sketch, 0 AS all_rows FROM frequencies) AS frequencies
  ON texts.all_rows = frequencies.all_rows
