-- translate_terms(counts, translations)
--
-- Translates term counts or document frequencies to another language by a lexical translation table. The count of a
-- source term is distributed to its possible target terms, weighted by their probabilities (tf*(e) = Σ_f p(f|e)·tf(f)
-- and df*(e) = Σ_f p(f|e)·df(f); Ture, Elsayed and Lin, 2011).
--
-- The columns of the first relation decide the result: a relation with tf gives id, term, tf; one with df gives term,
-- df.
--
-- The table holds the probability of each source term, given the target term: for German counts and an English
-- vocabulary p(german | english), so that the probabilities of one English term sum to 1 at most. With a table of
-- columns english, german and p:
-- `translate_terms(german_counts, lexicon, source => german, target => english, probability => p)`.
--
-- If the table has target terms that do not occur in the collection to compare with, leave them out: `(SELECT german AS
-- source, english AS target, p AS probability FROM lexicon WHERE english IN (SELECT term FROM english_counts))`. Terms
-- that match nothing make vectors longer and their cosines smaller.
--
-- Terms that are not source terms of the table are lost. `SELECT count(*), sum(tf) FROM german_counts WHERE term NOT
-- IN (SELECT german FROM lexicon WHERE german IS NOT NULL)` counts them.
--
-- Inputs
--   input: id, term, tf
--   input_b: source, target, probability
-- Parameters
--   id.document
--   term: column = term | a term of the document, in the language of source
--   tf: column = tf | how often the term occurs in the document
--   df: column = df | instead of id and tf: in how many documents the term occurs
--   source: column = source | a term of the source language
--   target: column = target | a term of the target language
--   probability: column = probability | probability of the source term, given the target term
-- Columns
--   id: as id | the id of a document; absent if the first relation has df
--   term: text | a target term
--   tf: Float64 | its expected count; if the first relation has df, instead the column df with the expected document frequency
-- Guarantees
--   Sums are computed with 15 decimal places, so that they do not depend on the order of rows.
--   Repeated rows of a pair of terms count once. Different probabilities for a pair of terms, a probability outside [0, 1], and a target term whose probabilities sum to more than 1.01 are errors.
--   Rows with NULL and counts and probabilities of 0 are ignored.
-- Example
--   WITH counts AS (SELECT * FROM (VALUES (1, 'haus', 2), (1, 'zug', 4)) AS v (id, term, tf)),
--   lexicon AS (SELECT * FROM (VALUES ('haus', 'house', 0.5), ('zug', 'train', 0.75)) AS v (source, target, probability))
--   SELECT * FROM translate_terms(counts, lexicon) ORDER BY term
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
  counts.id,
  translations.target AS term,
  CAST(sum(CAST(translations.probability * counts.tf AS DECIMAL(38, 15))) AS DOUBLE) AS tf
FROM translations
JOIN input AS counts ON translations.source = counts.term
WHERE counts.id IS NOT NULL AND counts.tf > 0 AND translations.probability > 0
GROUP BY counts.id, translations.target
