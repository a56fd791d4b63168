-- sentence_runs(input)
--
-- Finds the runs of similar sentences of documents. A building block of partial_duplicates.
--
-- Inputs
--   input: document, position, text, start_offset, end_offset
-- Parameters
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
--   document_type: text = 'Int64' | the Arrow type of document
--   held_type: text = 'Int64' | the type of documents in structs: document_type, or 'LargeUtf8' for texts
-- Columns
--   document_a: as id | the smaller document, or the same as document_b
--   first_a: Int64 | first position of the run
--   last_a: Int64 | last position of the run
--   document_b: as id | the other document
--   first_b: Int64 | first position in it
--   last_b: Int64 | last position in it
--   length: Int64 | number of pairs of similar sentences
--   start_a: Int64 | smallest start_offset of the run in document_a
--   end_a: Int64 | largest end_offset of the run in document_a
--   start_b: Int64 | smallest start_offset of the run in document_b
--   end_b: Int64 | largest end_offset of the run in document_b
-- Guarantees
--   As for partial_duplicates. The parameter parts must be 1 if max_bucket is not 0.
WITH sentences AS (
  SELECT
    document,
    position,
    start_offset,
    end_offset,
    CASE WHEN $normalize THEN normalize_text(text) ELSE text END AS text
  FROM (
    SELECT
      document,
      position,
      min(start_offset) AS start_offset,
      max(end_offset) AS end_offset,
      same_text(concat(CAST(document AS VARCHAR), ' at position ', position), min(text), max(text)) AS text
    FROM input
    WHERE document IS NOT NULL AND position IS NOT NULL AND text IS NOT NULL
    GROUP BY document, position
  )
),
-- Similar texts are of one class; a class is named by its smallest text.
classes AS (
  SELECT member['id'] AS text, member['cluster_id'] AS class
  FROM (
    SELECT UNNEST(connected_components(id_a, id_b)) AS member
    FROM item_pairs(
      (
        SELECT CAST(0 AS TINYINT) AS side, text AS id, text AS item, CAST(0 AS TINYINT) AS group_value
        FROM sentences
        GROUP BY text
      ),
      method => $method,
      threshold => $threshold,
      shingle => $shingle,
      target_recall => $target_recall,
      num_hashes => $num_hashes,
      seed => $seed,
      parts => $parts
    )
  )
),
-- Texts of structs are of type LargeUtf8: there may be more than 2 GiB of them, and texts of type Utf8View would refer to
-- the buffers of whole batches, and each operator counts all of them.
documents AS (
  SELECT
    document,
    array_sort(array_agg(named_struct(
      'position', position,
      'class', arrow_cast(class, 'LargeUtf8'),
      'text', arrow_cast(text, 'LargeUtf8'),
      'start_offset', start_offset,
      'end_offset', end_offset
    ))) AS sentences
  FROM (
    SELECT
      document, position, text, class, start_offset, end_offset,
      count(*) OVER (PARTITION BY class) AS copies
    FROM (
      SELECT
        sentences.document,
        sentences.position,
        sentences.text,
        sentences.start_offset,
        sentences.end_offset,
        coalesce(classes.class, sentences.text) AS class
      FROM classes
      RIGHT JOIN sentences ON classes.text = sentences.text
    )
  )
  WHERE copies > 1
  GROUP BY document
),
keyed AS (
  SELECT document, UNNEST(sentences) AS sentence, UNNEST(run_keys(sentences, $min_length, $max_gap)) AS keys
  FROM documents
),
candidates AS (
  SELECT
    CAST(0 AS TINYINT) AS side,
    CAST(0 AS TINYINT) AS group_value,
    arrow_cast(concat(
      CAST(sentence['position'] AS VARCHAR), ' ',
      CAST(sentence['start_offset'] AS VARCHAR), ' ',
      CAST(sentence['end_offset'] AS VARCHAR), ' ',
      CAST(document AS VARCHAR)
    ), 'LargeUtf8') AS id,
    shingle_hashes(sentence['text'], $shingle) AS tokens,
    keys,
    UNNEST(key_parts(keys, $parts)) AS part
  FROM keyed
),
sides AS (
  SELECT
    split_part(id_a, ' ', 1) AS position_a,
    split_part(id_a, ' ', 2) AS start_a,
    split_part(id_a, ' ', 3) AS end_a,
    id_a,
    split_part(id_b, ' ', 1) AS position_b,
    split_part(id_b, ' ', 2) AS start_b,
    split_part(id_b, ' ', 3) AS end_b,
    id_b
  FROM similar_pairs(
    candidates,
    threshold => $threshold,
    verify => 'exact',
    max_bucket => $max_bucket,
    parts => $parts
  )
),
pairs AS (
  SELECT
    named_struct(
      'document', arrow_cast(
        substr(id_a, character_length(position_a) + character_length(start_a) + character_length(end_a) + 4),
        $held_type
      ),
      'position', CAST(position_a AS BIGINT),
      'start_offset', CAST(nullif(start_a, '') AS BIGINT),
      'end_offset', CAST(nullif(end_a, '') AS BIGINT)
    ) AS one,
    named_struct(
      'document', arrow_cast(
        substr(id_b, character_length(position_b) + character_length(start_b) + character_length(end_b) + 4),
        $held_type
      ),
      'position', CAST(position_b AS BIGINT),
      'start_offset', CAST(nullif(start_b, '') AS BIGINT),
      'end_offset', CAST(nullif(end_b, '') AS BIGINT)
    ) AS other
  FROM sides
),
-- A run on a diagonal has one difference of positions, and one difference of position and row number.
diagonals AS (
  SELECT
    a['document'] AS document_a,
    b['document'] AS document_b,
    a['position'] AS position_a,
    b['position'] AS position_b,
    a['start_offset'] AS start_a,
    a['end_offset'] AS end_a,
    b['start_offset'] AS start_b,
    b['end_offset'] AS end_b,
    a['position'] - row_number() OVER (
      PARTITION BY a['document'], b['document'], b['position'] - a['position']
      ORDER BY a['position']
    ) AS island
  FROM (
    SELECT
      CASE WHEN in_order THEN one ELSE other END AS a,
      CASE WHEN in_order THEN other ELSE one END AS b
    FROM (
      SELECT
        one,
        other,
        one['document'] < other['document']
          OR one['document'] = other['document'] AND one['position'] < other['position'] AS in_order
      FROM pairs
    )
  )
),
-- The documents are in the structs, because the engine takes the columns of a GROUP BY for a key even after UNNEST, and
-- would not group by the chain (apache/datafusion#24787).
runs AS (
  SELECT
    array_agg(named_struct(
      'document_a', document_a,
      'first_a', first_a,
      'last_a', last_a,
      'document_b', document_b,
      'first_b', first_b,
      'last_b', last_b,
      'length', length,
      'start_a', start_a,
      'end_a', end_a,
      'start_b', start_b,
      'end_b', end_b
    )) AS runs
  FROM (
    SELECT
      document_a,
      document_b,
      min(position_a) AS first_a,
      max(position_a) AS last_a,
      min(position_b) AS first_b,
      max(position_b) AS last_b,
      count(*) AS length,
      min(start_a) AS start_a,
      max(end_a) AS end_a,
      min(start_b) AS start_b,
      max(end_b) AS end_b
    FROM diagonals
    GROUP BY document_a, document_b, position_b - position_a, island
  )
  GROUP BY document_a, document_b
)
SELECT
  arrow_cast(run['document_a'], $document_type) AS document_a,
  min(run['first_a']) AS first_a,
  max(run['last_a']) AS last_a,
  arrow_cast(run['document_b'], $document_type) AS document_b,
  min(run['first_b']) AS first_b,
  max(run['last_b']) AS last_b,
  sum(run['length']) AS length,
  min(run['start_a']) AS start_a,
  max(run['end_a']) AS end_a,
  min(run['start_b']) AS start_b,
  max(run['end_b']) AS end_b
FROM (
  SELECT UNNEST(runs) AS run, UNNEST(run_chains(runs, $max_gap)) AS chain
  FROM runs
)
GROUP BY run['document_a'], run['document_b'], chain
HAVING sum(run['length']) >= $min_length
