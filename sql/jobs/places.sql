-- places
--
-- Step of a job: for each distinct text the place in keep order of the first of its rows.
SELECT members.node AS id, min(ranks.rank) AS rank
FROM (
  SELECT id AS node, UNNEST(ids) AS id
  FROM texts
  WHERE compared
) AS members
JOIN ranks ON members.id = ranks.id
GROUP BY members.node
