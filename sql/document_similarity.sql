-- document_similarity(pairs, sentences)
--
-- Counts the sentences that two documents share: those of one that have a similar sentence in the other, by pairs of
-- sentences that a join or a job has found and verified. Order the result by shared to get the most similar documents.
--
-- Inputs
--   input: id_a, id_b
--   input_b: id, document
-- Parameters
--   id_a
--   id_b.end
--   id: column = id | the id of a sentence, in the second relation
--   document: column = document | the document of the sentence, in the second relation: an integer or a text
-- Columns
--   document_a: as id | the smaller document
--   document_b: as id | the larger document
--   shared: Int64 | the smaller of the next two numbers
--   shared_a: Int64 | number of sentences of the first document with a similar one in the second
--   shared_b: Int64 | number of sentences of the second document with a similar one in the first
-- Guarantees
--   One row for each two documents that share a sentence. Pairs within a document do not count, and repeated pairs count once.
--   The pairs of a job with pairs 'linked' have one pair for each copy, so that the counts may be too small; with pairs 'all' they are exact.
-- Example
--   WITH sentences AS (
--     SELECT * FROM (VALUES
--       (1, 'a', 'The mill burned down in 1896.'), (2, 'a', 'Nobody was hurt.'),
--       (3, 'b', 'The mill burned down in 1896.'), (4, 'b', 'It was built again.')
--     ) AS v (id, document, text)
--   )
--   SELECT * FROM document_similarity((SELECT * FROM jaccard_join(sentences, threshold => 0.8)), sentences)
WITH located AS (
  SELECT a.document AS first, b.document AS second, input.id_a, input.id_b
  FROM input
  JOIN input_b AS a ON input.id_a = a.id
  JOIN input_b AS b ON input.id_b = b.id
  WHERE a.document <> b.document
),
sides AS (
  SELECT first AS own, second AS other, id_a AS id
  FROM located
  UNION ALL
  SELECT second AS own, first AS other, id_b AS id
  FROM located
),
sentences AS (
  SELECT own, other, id
  FROM sides
  GROUP BY own, other, id
),
counts AS (
  SELECT
    least(own, other) AS document_a,
    greatest(own, other) AS document_b,
    count(*) FILTER (WHERE own < other) AS shared_a,
    count(*) FILTER (WHERE own > other) AS shared_b
  FROM sentences
  GROUP BY least(own, other), greatest(own, other)
)
SELECT document_a, document_b, least(shared_a, shared_b) AS shared, shared_a, shared_b
FROM counts
