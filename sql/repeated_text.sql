-- repeated_text(input)
--
-- Lists the repeated lines or paragraphs of texts: those that already occur in a text of a smaller id, or earlier in
-- the same text. Without them each line or paragraph occurs once in the texts. The function cut_spans removes them.
-- With a threshold below 1, lines or paragraphs that are similar to one that is kept also count as copies.
--
-- Inputs
--   input: id, text
-- Parameters
--   id
--   text
--   unit
--   min_copies
--   min_length.unit
--   normalize
--   threshold.unit
--   shingle.unit
-- Columns
--   id: as id | a text with a repeated line or paragraph
--   start_char: Int64 | offset of its first character in the text
--   end_char: Int64 | offset after its last character
--   first_id: as id | the text in which it occurs first; with a threshold below 1, that of the line or paragraph that represents it
--   first_start_char: Int64 | offset of its first character there
--   first_end_char: Int64 | offset after its last character there
--   copies: Int64 | number of its occurrences, the first one included; with a threshold below 1, those of all lines or paragraphs that the same one represents
-- Guarantees
--   Complete: every occurrence of a line or paragraph but the first, in the order of ids and of positions in a text.
--   Equal lines or paragraphs have the same XXH3-128 hash; among 1e10 of them, two different ones have it with a probability below 1e-18.
--   With a threshold below 1 the different lines or paragraphs are resolved in the order of their first occurrences: one is listed if an earlier one that is kept is similar to it. Its representative is the most similar one that is kept, which may come later. Their similarity is exact.
--   Two lines or paragraphs that are kept are not similar, except in oversized buckets, as in near_duplicates, or if their copies are fewer than min_copies.
--   Lines or paragraphs without a shingle are compared for equality.
--   Rows with NULL are left out. An id with different texts is an error that names the id.
--   The rows do not depend on the number of partitions.
-- Example
--   WITH docs AS (SELECT * FROM (VALUES
--     (1, 'The mill burned down.' || chr(10) || 'All rights reserved, all wrongs reversed.'),
--     (2, 'The mill was rebuilt.' || chr(10) || 'All rights reserved, all wrongs reversed.')
--   ) AS v (id, text))
--   SELECT * FROM repeated_text(docs)
WITH texts AS (
  SELECT id, same_text(CAST(id AS VARCHAR), min(text), max(text)) AS text
  FROM input
  WHERE id IS NOT NULL AND text IS NOT NULL
  GROUP BY id
)
SELECT id, start_char, end_char, first_id, first_start_char, first_end_char, copies
FROM repeated_units(
  (SELECT id, text, id AS rank, 0 AS group_value FROM texts),
  unit => $unit,
  min_copies => $min_copies,
  min_length => $min_length,
  normalize => $normalize,
  threshold => $threshold,
  shingle => $shingle
)
