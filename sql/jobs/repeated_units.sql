-- repeated_units
--
-- View of a job: lists the repeated lines or paragraphs.
SELECT id, start_char, end_char, first_id, first_start_char, first_end_char, copies
FROM repeated_units(
  (SELECT id, text, rank, group_value FROM ordered_documents),
  unit => $unit,
  min_copies => $min_copies,
  min_length => $min_length,
  normalize => $normalize,
  threshold => $threshold,
  shingle => $shingle
)
