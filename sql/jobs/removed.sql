-- removed
--
-- Part of a step of a job that compares texts: lists each removed row with the kept row that represents it. The texts
-- tell the reason.
SELECT id, representative_id, similarity, CAST(NULL AS VARCHAR) AS reason, cluster_id
FROM clusters
WHERE NOT kept
