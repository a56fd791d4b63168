-- i_match(input)
--
-- Computes the I-Match signature of each text: one hash of its words that are neither frequent nor rare in the
-- collection (Chowdhury, Frieder, Grossman, McCabe, TOIS 2002). Texts with the same signature have the same words of
-- that range, in any order.
--
-- The inverse document frequency of a word is ln(N / df), normalised to [0, 1] by the smallest and the largest of the
-- collection. If all words are equally frequent, it is 1.
--
-- Inputs
--   input: id, text
-- Parameters
--   id
--   text
--   min_idf: number in [0, 1] = 0.1 | smallest normalised inverse document frequency of a word of the signature
--   max_idf: number in [0, 1] = 1 | largest normalised inverse document frequency of a word of the signature; 0.9 leaves out the rarest words, such as misspelt ones
--   normalize
-- Columns
--   id: as id | the id of a text
--   signature: List(UInt64) | a list of one hash, or an empty list if no word is in the range
--   words: Int64 | number of distinct words in the range
-- Guarantees
--   One row for each text that is not blank. Rows with NULL have none.
--   Rows with the same id and the same text are one text; an id with different texts is an error that names the id.
-- Example
--   WITH docs AS (
--     SELECT * FROM (VALUES (1, 'the old mill burned'), (2, 'Burned, the old mill!'), (3, 'the river'), (4, 'the town')) AS v (id, text)
--   )
--   SELECT * FROM i_match(docs) ORDER BY id
WITH words AS (
  SELECT id, UNNEST(array_distinct(shingles(text, 'word:1'))) AS word
  FROM (
    SELECT id, CASE WHEN $normalize THEN normalize_text(text) ELSE text END AS text
    FROM (
      SELECT id, same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text
      FROM input
      WHERE id IS NOT NULL AND text IS NOT NULL
      GROUP BY id
    )
  )
),
frequencies AS (
  SELECT word, CAST(count(*) AS DOUBLE) AS df
  FROM words
  GROUP BY word
),
-- ln(N / df) is smallest at the largest df; N cancels out.
scaled AS (
  SELECT
    frequencies.word,
    CASE
      WHEN bounds.min_df = bounds.max_df THEN 1.0
      ELSE ln(bounds.max_df / frequencies.df) / ln(bounds.max_df / bounds.min_df)
    END AS idf
  FROM (
    SELECT min(df) AS min_df, max(df) AS max_df, 0 AS all_rows
    FROM frequencies
  ) AS bounds
  JOIN (SELECT word, df, 0 AS all_rows FROM frequencies) AS frequencies
    ON bounds.all_rows = frequencies.all_rows
)
SELECT
  id,
  set_signature(array_agg(CASE WHEN idf >= $min_idf AND idf <= $max_idf THEN word END)) AS signature,
  count(CASE WHEN idf >= $min_idf AND idf <= $max_idf THEN word END) AS words
FROM (
  SELECT words.id, words.word, scaled.idf
  FROM scaled
  JOIN words ON scaled.word = words.word
)
GROUP BY id
