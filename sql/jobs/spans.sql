-- spans
--
-- Step of a job: the places that are cut out of each text.
SELECT id AS cut_id, array_agg(named_struct('start_char', start_char, 'end_char', end_char)) AS spans
FROM cuts
GROUP BY id
