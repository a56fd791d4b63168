-- field_join(input [, input_b])
--
-- Finds every pair of records that are similar in several fields, such as title, body and answer of the threads of a
-- forum: the weighted mean of the similarities of the fields is at least the threshold (Wu, Zhang, Huang 2011). The result
-- is exact and complete. With two relations, a pair is a row of the first and a row of the second.
--
-- Candidates are records of which one field is similar: the similarity of all of them is at most that of the most similar
-- field, so it is enough to join each field at the threshold. Fields of small weights are not joined, as long as the
-- threshold that the other fields must reach without them is above nine tenths of the threshold. All fields of a candidate
-- are then compared. Fields by edit similarity are joined as in edit_join: they are for short texts, such as names and
-- titles, and below a threshold of 0.75 most of their texts are candidates of each other.
--
-- Inputs
--   input: id, the columns of fields
--   input_b: id, the columns of fields_b
-- Parameters
--   id
--   id_b
--   fields: columns | the text columns that are compared, as in [title, body, answer]
--   fields_b: columns | those of the second relation, in the same order; default: those of fields
--   weights: list of number in [0, 1] | the weight of each field, as in [0.4, 0.2, 0.4]: 0 or at least 1e-9, with the sum 1; default: equal weights
--   measures: list of one of jaccard|containment|edit | how each field is compared, or one for all: 'jaccard': common shingles, divided by those of either text; 'containment': divided by those of the text that has fewer; 'edit': 1 minus the edit distance of the texts, divided by the characters of the longer one; default 'jaccard'
--   threshold | minimum of the weighted mean
--   shingle
--   shingles: list of shingle | how the texts of each field are split into shingles, or one for all, instead of shingle; of no effect on fields by 'edit'
--   missing: one of zero|rescale = 'zero' | what a field counts that is NULL or empty (also: without shingles, such as white space) in one of two records: 'zero': its similarity is 0; 'rescale': it is left out, and the weights of the others are divided by their sum
--   normalize
--   across
--   within
--   parts
-- Columns
--   id_a: as id | the smaller id; with two relations the id of the first
--   id_b: as id | the other id
--   similarity: Float64 | the weighted mean: the sum of weight * similarity, in the order of the fields, divided by the sum of the weights
--   …_similarity: Float64 | for each field, such as title_similarity: the similarity of its texts; NULL if it is left out
-- Guarantees
--   Complete: recall 1 and precision 1, for sets of shingles on their 64-bit hashes. The mean is that of Float64; one that is less than the threshold by a share of at most 1e-12, as rounding makes it, is the threshold.
--   Each unordered pair is reported once, id_a < id_b; a row is never paired with itself. Rows with a NULL id, and rows whose fields are all NULL or empty, are in no pair.
--   Rows with the same id and the same fields are one row; an id with different fields is an error that names the id. A field that is NULL is the same as an empty one.
--   The rows do not depend on the number of partitions or parts.
-- Example
--   WITH threads AS (SELECT * FROM (VALUES
--     (1, 'Visa for my wife', 'How long does a family visa take?', 'About three weeks'),
--     (2, 'Visa for my wife', 'How long does a family visa take', 'About three weeks, if nothing is missing'),
--     (3, 'Visa for my wife', 'Where do I sell a used car?', NULL)
--   ) AS v (id, title, body, answer))
--   SELECT * FROM field_join(threads, fields => [title, body, answer], weights => [0.4, 0.2, 0.4],
--     measures => ['jaccard', 'jaccard', 'containment'], shingle => 'word:2', threshold => 0.5)
WITH records AS (
  SELECT side, id, group_value, text AS record
  FROM unique_rows(input, normalize => false, group_rule => $group_rule)
),
candidates AS (
  SELECT id_a, id_b
  FROM (
    SELECT id_a, id_b
    FROM set_pairs(
      (
        SELECT
          side,
          id,
          CAST(item['field'] AS VARCHAR) || CASE WHEN $group_rule = 'agree' THEN ' ' || CAST(group_value AS VARCHAR) ELSE '' END
            AS group_value,
          item['tokens'] AS tokens
        FROM (
          SELECT side, id, group_value, UNNEST(record_sets(record, $jaccard_fields, $normalize)) AS item
          FROM records
        )
      ),
      threshold => $field_threshold,
      parts => $parts,
      sides => $sides,
      group_rule => 'agree'
    )
    WHERE $jaccard_fields <> ''
    UNION ALL
    SELECT id_a, id_b
    FROM containment_sides(
      (
        SELECT
          side,
          id,
          CAST(item['field'] AS VARCHAR) || CASE WHEN $group_rule = 'agree' THEN ' ' || CAST(group_value AS VARCHAR) ELSE '' END
            AS group_value,
          item['tokens'] AS tokens
        FROM (
          SELECT side, id, group_value, UNNEST(record_sets(record, $containment_fields, $normalize)) AS item
          FROM records
        )
      ),
      share_of => 'smaller',
      threshold => $field_threshold,
      parts => $parts,
      sides => $sides,
      group_rule => 'agree'
    )
    WHERE $containment_fields <> ''
    UNION ALL
    SELECT id_a, id_b
    FROM edit_pairs(
      (
        SELECT
          side,
          id,
          CAST(item['field'] AS VARCHAR) || CASE WHEN $group_rule = 'agree' THEN ' ' || CAST(group_value AS VARCHAR) ELSE '' END
            AS group_value,
          item['text'] AS text
        FROM (
          SELECT side, id, group_value, UNNEST(record_texts(record, $edit_fields, $normalize)) AS item
          FROM records
        )
      ),
      threshold => $field_threshold,
      parts => $parts,
      sides => $sides,
      group_rule => 'agree'
    )
    WHERE $edit_fields <> ''
  )
  GROUP BY id_a, id_b
)
SELECT id_a, id_b, found['similarity'] AS similarity, found
FROM (
  SELECT
    candidates.id_a,
    candidates.id_b,
    UNNEST(
      record_similarity(a.record, b.record, $weighted_fields, $missing, $threshold, $normalize)
    ) AS found
  FROM candidates
  JOIN (SELECT id, group_value, record FROM records WHERE side = 0) AS a ON candidates.id_a = a.id
  JOIN (SELECT id, group_value, record FROM records WHERE side = $sides - 1) AS b ON candidates.id_b = b.id
  WHERE $group_rule <> 'differ' OR a.group_value <> b.group_value
)
