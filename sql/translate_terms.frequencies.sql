-- translate_terms(frequencies, translations)
--
-- translate_terms for a first relation of document frequencies.
--
-- Inputs
--   input: term, df
--   input_b: source, target, probability
-- Columns
--   term: text | a target term
--   df: Float64 | its expected frequency
WITH translations AS (
  SELECT
    source,
    target,
    translation_probability(
      source, target, min_probability, max_probability, sum(max_probability) OVER (PARTITION BY target)
    ) AS probability
  FROM (
    SELECT source, target, min(probability) AS min_probability, max(probability) AS max_probability
    FROM input_b
    WHERE source IS NOT NULL AND target IS NOT NULL AND probability IS NOT NULL
    GROUP BY source, target
  )
)
SELECT
  translations.target AS term,
  CAST(sum(CAST(translations.probability * frequencies.df AS DECIMAL(38, 15))) AS DOUBLE) AS df
FROM translations
JOIN input AS frequencies ON translations.source = frequencies.term
WHERE frequencies.df > 0 AND translations.probability > 0
GROUP BY translations.target
