-- partial_duplicates(input)
--
-- Finds runs of consecutive sentences that two documents share: from the pairs of similar sentences, the maximal runs
-- with a constant difference of positions (Zhang, Zhang, Yu, Huang, SIGIR 2010).
--
-- The relation has a row for each sentence, as the function sentences returns them, or for each document, whose text is
-- then split. Its rows are documents if the argument id is given, or if it has no columns document and position.
--
-- Every line break of a document ends a sentence, unless the splitter is 'published'. Texts whose lines are wrapped
-- have to be unwrapped first: `regexp_replace(text, '([^\n])\n([^\n])', '\1 \2', 'g')` leaves all offsets as they are.
--
-- Inputs
--   input: document, position, text, start_offset, end_offset
-- Parameters
--   document: column = document | of sentences: the document of a sentence, integers or texts
--   position: column = position | of sentences: the number of a sentence in its document
--   text.sentence
--   start_column: column | of sentences: the offset of a sentence in its document, for the spans of runs
--   end_column: column | of sentences: the offset after its end
--   id.document
--   language: language = 'en' | the language of documents, which decides abbreviations and punctuation
--   language_column
--   splitter
--   min_length.run
--   max_gap
--   threshold
--   shingle
--   normalize
--   method.sentences
--   target_recall
--   num_hashes
--   seed
--   max_bucket.run
--   parts
-- Columns
--   document_a: as id | the smaller document, or the same as document_b
--   first_a: Int64 | position of the first sentence of the run
--   last_a: Int64 | position of the last one
--   document_b: as id | the other document
--   first_b: Int64 | position of the first sentence of the run in it; greater than first_a if the documents are the same
--   last_b: Int64 | position of the last one
--   length: Int64 | number of pairs of similar sentences in the run
--   start_a: Int64 | offset of the run in document_a: of documents in characters; of sentences as start_column has it, or NULL
--   end_a: Int64 | offset after its end
--   start_b: Int64 | offset of the run in document_b
--   end_b: Int64 | offset after its end
-- Guarantees
--   Complete with the method 'exact': every run of pairs of sentences whose exact Jaccard similarity is at least the threshold, each once.
--   Runs are maximal. A sentence is in a run for each repetition of it, so runs may overlap.
--   Within one document a run is compared with later positions only, never with itself.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH docs AS (
--     SELECT * FROM (VALUES
--       (1, 'The mill stands on the river. It was built in 1720. The town rebuilt it of stone. It is a museum.'),
--       (2, 'Our tour ends here. The mill stands on the river. It was built in 1720. The town rebuilt it of stone.')
--     ) AS v (id, text)
--   )
--   SELECT document_a, first_a, last_a, document_b, first_b, last_b, length FROM partial_duplicates(docs, id => id, text => text, min_length => 3)
SELECT
  document_a, first_a, last_a, document_b, first_b, last_b, length, start_a, end_a, start_b, end_b
FROM sentence_runs(
  input,
  min_length => $min_length,
  max_gap => $max_gap,
  threshold => $threshold,
  shingle => $shingle,
  normalize => $normalize,
  method => $method,
  target_recall => $target_recall,
  num_hashes => $num_hashes,
  seed => $seed,
  max_bucket => $max_bucket,
  parts => $parts,
  document_type => $document_type,
  held_type => $held_type
)
