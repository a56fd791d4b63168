-- shared_passages(input)
--
-- Finds the verbatim passages of at least a number of words or characters that occur in two or more texts, grouped by
-- their content: the result has a row for each occurrence of a passage, not for each pair of texts.
--
-- The candidates are pairs of texts that share a fingerprint (winnowing: Schleimer, Wilkerson, Aiken, SIGMOD 2003),
-- which each pair with such a passage does; their units are then compared.
--
-- Inputs
--   input: side, id, text, group_value
-- Parameters
--   id
--   text.verbatim
--   min_words
--   min_passage: shingle = 'word:12' | unit and minimum length of a passage: 'word:n', 'space:n' (pieces between white space) or 'char:n'
--   max_bucket.passages
--   parts
-- Columns
--   passage: UInt64 | the XXH3-64 hash of the passage: of its units joined by one space, or of its characters
--   id: as id | a text in which it occurs
--   start_char: Int64 | offset of its first character in the text
--   end_char: Int64 | offset after its last character
--   start_byte: Int64 | the same in bytes
--   end_byte: Int64 | the same in bytes
--   length: Int64 | number of units of the passage
--   occurrences: Int64 | number of occurrences of the passage, which are its rows
--   texts: Int64 | number of texts in which it occurs
-- Guarantees
--   Complete and maximal: for any two rows of the input, each run of equal units of at least the minimum length that cannot be extended in both texts, with its position in each.
--   No row without equal units: hashes only propose candidates. Each occurrence of a passage is reported once.
--   Passages of one text may overlap, and one may contain another: a passage that two texts share can be a part of a passage that others share.
--   An occurrence that is a part of a longer passage with every other text has a row for the longer passage only, and does not count in occurrences and texts of the shorter one.
--   With 'word', words are compared without normalisation, and the characters between them are not compared; with 'space' everything except runs of white space is compared, with 'char' everything.
--   Rows with NULL are not compared. An id with different texts is an error that names the id.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH docs AS (
--     SELECT * FROM (VALUES
--       (1, 'It is said that the old mill by the river burned down in 1896.'),
--       (2, 'The old mill: the old mill by the river burned down twice.')
--     ) AS v (id, text)
--   )
--   SELECT id, start_char, end_char, length, occurrences FROM shared_passages(docs, min_words => 6) ORDER BY id
WITH texts AS (
  SELECT side, id, group_value, text, ids
  FROM distinct_texts(input, normalize => false)
),
keyed AS (
  SELECT side, id, group_value, text, winnow(text, $hashed, $window) AS keys
  FROM texts
),
-- Copies of a text have the passages of the text with itself.
pairs AS (
  SELECT id_a, id_b
  FROM similar_pairs(
    (
      SELECT side, id, group_value, text, keys, keys AS signature, UNNEST(key_parts(keys, $parts)) AS part
      FROM keyed
    ),
    threshold => 1,
    verify => 'none',
    max_bucket => $max_bucket,
    parts => $parts
  )
  UNION ALL
  SELECT id AS id_a, id AS id_b
  FROM texts
  WHERE cardinality(ids) > 1
),
found AS (
  SELECT
    CASE WHEN span['side'] = 0 THEN id_a ELSE id_b END AS id,
    span['passage'] AS passage,
    span['length'] AS length,
    span['start_char'] AS start_char,
    span['end_char'] AS end_char,
    span['start_byte'] AS start_byte,
    span['end_byte'] AS end_byte
  FROM (
    SELECT pairs.id_a, pairs.id_b, UNNEST(common_passages(a.text, b.text, $min_passage)) AS span
    FROM pairs
    JOIN texts AS a ON pairs.id_a = a.id
    JOIN texts AS b ON pairs.id_b = b.id
  )
),
spans AS (
  SELECT id, passage, length, start_char, end_char, start_byte, end_byte
  FROM found
  GROUP BY id, passage, length, start_char, end_char, start_byte, end_byte
),
of_rows AS (
  SELECT
    UNNEST(texts.ids) AS id,
    spans.passage,
    spans.length,
    spans.start_char,
    spans.end_char,
    spans.start_byte,
    spans.end_byte
  FROM spans
  JOIN texts ON spans.id = texts.id
),
numbered AS (
  SELECT
    passage, id, start_char, end_char, start_byte, end_byte, length,
    row_number() OVER (PARTITION BY passage, length, id ORDER BY start_byte) AS number_in_text
  FROM of_rows
)
SELECT
  passage,
  id,
  start_char,
  end_char,
  start_byte,
  end_byte,
  length,
  count(*) OVER (PARTITION BY passage, length) AS occurrences,
  count(CASE WHEN number_in_text = 1 THEN id END) OVER (PARTITION BY passage, length) AS texts
FROM numbered
