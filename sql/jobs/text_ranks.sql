-- text_ranks
--
-- Step of a job: computes the rank of each distinct text: that of its first row in keep order.
SELECT members.node AS id, min(ranks.rank) AS rank
FROM (
  SELECT id AS node, UNNEST(ids) AS id
  FROM texts
  WHERE compared
) AS members
JOIN ranks ON members.id = ranks.id
GROUP BY members.node
