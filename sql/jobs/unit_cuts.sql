-- unit_cuts
--
-- Step of a job: lists the lines or paragraphs that stood before, which are cut out of the texts.
SELECT
  cuts.id,
  cuts.start_char,
  cuts.end_char,
  cuts.first_id AS kept_id,
  cuts.first_start_char AS kept_start_char,
  cuts.first_end_char AS kept_end_char,
  cuts.copies,
  substr(documents.text, cuts.start_char + 1, cuts.end_char - cuts.start_char) AS passage
FROM repeated_units(
  (SELECT id, text, place, group_value FROM ordered_documents),
  unit => $unit,
  min_copies => $min_copies,
  min_length => $min_length,
  normalize => $normalize
) AS cuts
JOIN documents ON cuts.id = documents.id
