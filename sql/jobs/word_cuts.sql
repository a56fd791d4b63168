-- word_cuts
--
-- Step of a job: lists the words of each text that were cut in the last round or in an earlier one.
SELECT id, array_agg(named_struct('first_word', first_word, 'end_word', end_word)) AS cut
FROM (
  SELECT id, first_word, end_word
  FROM passage_origins
  UNION ALL
  SELECT id, span['first_word'] AS first_word, span['end_word'] AS end_word
  FROM (
    SELECT id, UNNEST(cut) AS span
    FROM cut_texts
    WHERE cut IS NOT NULL
  )
)
GROUP BY id
