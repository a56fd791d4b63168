-- word_cuts
--
-- Step of a job: the words of each text that the rounds before have cut.
SELECT id, array_agg(named_struct('first_word', first_word, 'end_word', end_word)) AS cut
FROM all_passages
GROUP BY id
