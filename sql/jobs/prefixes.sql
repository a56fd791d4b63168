-- prefixes
--
-- Step of a job: how frequent tokens are in prefixes, which is what the exact join costs, over a sample
-- of the texts: those whose hash begins below $sample in hexadecimal.
SELECT token_frequencies(prefix_tokens(shingle_hashes(texts.text, $shingle), frequencies.sketch, $threshold)) AS sketch
FROM (SELECT arrow_cast(sketch, 'BinaryView') AS sketch, 0 AS all_rows FROM frequencies) AS frequencies
JOIN (
  SELECT text, 0 AS all_rows
  FROM texts
  WHERE compared AND left(md5(CAST(id AS VARCHAR)), 2) < $sample
) AS texts
  ON frequencies.all_rows = texts.all_rows
