-- pairs.ordered
--
-- pairs.linked where the pairs are those of ranks in keep order, which are mapped back to ids.
SELECT least(a.id, b.id) AS id_a, greatest(a.id, b.id) AS id_b, similar.similarity
FROM similar
JOIN text_ranks AS a ON similar.id_a = a.rank
JOIN text_ranks AS b ON similar.id_b = b.rank
UNION ALL
SELECT id_a, id_b, similarity
FROM copy_pairs((SELECT id, ids FROM texts WHERE compared))
ORDER BY id_a, id_b
