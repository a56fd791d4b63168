-- changes
--
-- Step of a job: for each text in which the round before found repeated passages, the words of these (changed), and for
-- each text with cuts the words that were cut in the last round or in an earlier one (cut). Both are numbers among all
-- words of the text, and changed may have words that were cut before.
SELECT
  id,
  array_agg(named_struct('first_word', first_word, 'end_word', end_word)) FILTER (WHERE is_cut) AS cut,
  array_agg(named_struct('first_word', first_word, 'end_word', end_word)) FILTER (WHERE NOT is_cut) AS changed
FROM (
  SELECT id, first_word, end_word, true AS is_cut
  FROM passage_origins
  UNION ALL
  SELECT id, span['first_word'] AS first_word, span['end_word'] AS end_word, true AS is_cut
  FROM (
    SELECT id, UNNEST(cut) AS span
    FROM cut_texts
    WHERE cut IS NOT NULL
  )
  UNION ALL
  SELECT id, span['first_word'] AS first_word, span['end_word'] AS end_word, false AS is_cut
  FROM (
    SELECT of_text.id, UNNEST(word_runs(texts.text, of_text.runs, texts.cut)) AS span
    FROM (
      SELECT id, array_agg(named_struct('first_word', first_word, 'end_word', end_word)) AS runs
      FROM found_runs
      GROUP BY id
    ) AS of_text
    JOIN cut_texts AS texts ON of_text.id = texts.id
  )
)
GROUP BY id
