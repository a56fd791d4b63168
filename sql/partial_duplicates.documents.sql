-- partial_duplicates.documents(input)
--
-- partial_duplicates of documents: splits their texts into sentences first. Spans are in characters.
SELECT
  document_a, first_a, last_a, document_b, first_b, last_b, length, start_a, end_a, start_b, end_b
FROM sentence_runs(
  (
    SELECT
      document,
      position,
      piece['sentence'] AS text,
      piece['start_char'] AS start_offset,
      piece['end_char'] AS end_offset
    FROM (
      SELECT
        document,
        UNNEST(pieces) AS piece,
        UNNEST(range(0, CAST(cardinality(pieces) AS BIGINT))) AS position
      FROM (
        SELECT document, split_sentences(text, language, $splitter) AS pieces
        FROM (
          SELECT
            document,
            same_text(CAST(document AS VARCHAR), min(text), max(text)) AS text,
            min(language) AS language
          FROM input
          WHERE document IS NOT NULL AND text IS NOT NULL
          GROUP BY document
        )
      )
    )
  ),
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
