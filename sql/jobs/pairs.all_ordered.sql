-- pairs.all_ordered
--
-- pairs.all where the pairs are those of ranks in keep order, which are mapped back to ids.
SELECT id_a, id_b, similarity
FROM row_pairs(
  (SELECT id, ids FROM texts WHERE compared),
  (
    SELECT a.id AS id_a, b.id AS id_b, similar.similarity
    FROM similar
    JOIN text_ranks AS a ON similar.id_a = a.rank
    JOIN text_ranks AS b ON similar.id_b = b.rank
  )
)
ORDER BY id_a, id_b
