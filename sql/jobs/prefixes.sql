-- prefixes
--
-- Step of a job: counts how frequent tokens are in prefixes, from which the cost of the exact join is estimated. It
-- uses a sample: the texts whose hash, in hexadecimal, has a prefix below $sample.
SELECT token_frequencies(
  keys_within(
    prefix_tokens(shingle_hashes(texts.text, $shingle), frequencies.sketch, $threshold),
    CASE WHEN $group_rule = 'agree' THEN CAST(texts.group_value AS VARCHAR) ELSE '' END
  )
) AS sketch
FROM (SELECT arrow_cast(sketch, 'BinaryView') AS sketch, 0 AS all_rows FROM frequencies) AS frequencies
JOIN (
  SELECT text, group_value, 0 AS all_rows
  FROM texts
  WHERE compared AND left(md5(CAST(id AS VARCHAR)), 2) < $sample
) AS texts
  ON frequencies.all_rows = texts.all_rows
