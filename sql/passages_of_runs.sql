-- passages_of_runs(input)
--
-- Returns the passages that the runs of each text have in common with those of others. A building block of
-- shared_passages.
--
-- Equal runs are stored once, in a collection. The places of each n-gram in these make a tree by the units that follow, in which two places
-- part where the passage ends that they have in common.
--
-- Inputs
--   input: id, number, copies, at, key, units
-- Parameters
--   min_passage
-- Columns
--   id: as id | a text with passages
--   passages: any | a list of structs: for each passage at, its first unit in the text, and length, the number of its units
-- Guarantees
--   input has the runs of each text, as shared_runs returns them, with the number of the text, which stands for it in comparisons, and the number of its copies, itself included.
-- Copies of a text are other texts for each other: they count as a text with a number of its own.
WITH collection AS (
  SELECT
    run_collection(packed_run(units, key, number, CASE WHEN copies > 1 THEN -1 - number ELSE number END, $min_passage)) AS runs,
    0 AS all_rows
  FROM input
),
found AS (
  SELECT
    passage['key'] AS key,
    passage['at'] AS at,
    passage['length'] AS length,
    passage['not_in'] AS not_in
  FROM (
    SELECT UNNEST(run_passages(collection.runs, parts.part, 32, $min_passage)) AS passage
    FROM collection
    JOIN (SELECT value AS part, 0 AS all_rows FROM generate_series(0, 31) GROUP BY value) AS parts
      ON collection.all_rows = parts.all_rows
  )
)
SELECT runs.id, array_agg(named_struct('at', runs.at + found.at, 'length', found.length)) AS passages
FROM found
JOIN input AS runs ON found.key = runs.key
WHERE found.not_in IS NULL OR found.not_in <> runs.number
GROUP BY runs.id
