-- removed
--
-- Part of a step of a job: lists each removed row with the kept row that represents it.
SELECT id, representative_id, similarity, false AS is_repeated, cluster_id
FROM clusters
WHERE NOT kept
