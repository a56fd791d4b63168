-- repeated_units(input)
--
-- Lists the repeated lines or paragraphs of texts: those that already occur earlier, in the order of rank. A
-- building block of repeated_text and of jobs.
--
-- Inputs
--   input: id, text, rank, group_value
-- Parameters
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
--   Ids must be unique. Rows with NULL in group_value are left out; those of different values are not compared.
WITH units AS (
  SELECT id, rank, group_value, unit['start_char'] AS start_char, unit['end_char'] AS end_char, unit['key'] AS key
  FROM (
    SELECT id, rank, group_value, UNNEST(text_units(text, $unit, $min_length, $normalize)) AS unit
    FROM input
    WHERE group_value IS NOT NULL
  )
),
repeated AS (
  SELECT
    key,
    group_value,
    count(*) AS copies,
    first_value(id ORDER BY rank, start_char) AS first_id,
    first_value(start_char ORDER BY rank, start_char) AS first_start_char,
    first_value(end_char ORDER BY rank, start_char) AS first_end_char
  FROM units
  GROUP BY key, group_value
  HAVING count(*) >= $min_copies
)
SELECT
  units.id,
  units.start_char,
  units.end_char,
  repeated.first_id,
  repeated.first_start_char,
  repeated.first_end_char,
  repeated.copies
FROM repeated
JOIN units ON repeated.key = units.key AND repeated.group_value = units.group_value
WHERE units.id <> repeated.first_id OR units.start_char <> repeated.first_start_char
