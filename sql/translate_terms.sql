-- translate_terms(counts, translations)
--
-- Counts or frequencies in the terms of another language, by a lexical translation table: a count is handed on to
-- the terms that it may translate, each by its probability (tf*(e) = Σ_f p(f|e)·tf(f) and df*(e) = Σ_f p(f|e)·df(f);
-- Ture, Elsayed and Lin, 2011).
--
-- The function goes by the columns of the first relation: one with tf gives id, term, tf; one with df gives term, df.
--
-- The table says how probable each source term is, given the target term: for German counts and an English
-- vocabulary p(german | english), so that the probabilities of one English term sum to 1 at most. With a table of
-- columns english, german and p:
-- `translate_terms(german_counts, lexicon, source => german, target => english, probability => p)`.
--
-- Of a table that knows more target terms than the collection to compare with, only those terms should be taken: `(SELECT
-- german AS source, english AS target, p AS probability FROM lexicon WHERE english IN (SELECT term FROM english_counts))`.
-- Terms that nothing is compared with make vectors long and their cosines small.
--
-- A term that the table does not have as a source is lost. `SELECT count(*), sum(tf) FROM german_counts WHERE term NOT
-- IN (SELECT german FROM lexicon WHERE german IS NOT NULL)` counts what is.
--
-- Inputs
--   input: id, term, tf
--   input_b: source, target, probability
-- Parameters
--   id: column = id | the id of a document
--   term: column = term | a term of it, in the language of source
--   tf: column = tf | how often it stands there
--   df: column = df | or, without id and tf: in how many documents it stands
--   source: column = source | a term of the language to translate from
--   target: column = target | a term of the language to translate to
--   probability: column = probability | probability of the source term, given the target term
-- Columns
--   id: as id | the id of a document; not where the first relation has df
--   term: text | a target term
--   tf: Float64 | its expected count; df, the expected frequency, where the first relation has df
-- Guarantees
--   Sums are of numbers with 15 decimal places, so that they do not depend on the order of rows.
--   A pair of terms that stands twice counts once; with two probabilities it is an error, as is a probability outside [0, 1] and a target term whose probabilities sum to more than 1.01.
--   Rows with NULL take no part, nor do counts and probabilities of 0.
WITH translations AS (
  SELECT
    source,
    target,
    translation_probability(
      source, target, least, greatest, sum(greatest) OVER (PARTITION BY target)
    ) AS probability
  FROM (
    SELECT source, target, min(probability) AS least, max(probability) AS greatest
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
