-- contamination(corpus, items)
--
-- Finds the items of benchmark sets, such as questions and answers, in the texts of a corpus: word for word, with some
-- words changed, or inside of longer texts. Runs of at least min_run equal words are evidence, and shorter runs beside
-- them count, too; an item is found in a text if runs cover at least min_coverage of its words, so that the text
-- around it does not matter. An item of fewer words than a run must occur as a whole. Words are compared in their
-- normal form; the characters between them are not compared.
--
-- One index of the n-grams of all items is given to every partition of the corpus, which is read once and neither
-- sorted nor repartitioned. N-grams that occur in many items, such as instructions that all questions of a set begin
-- with, are ignored (Brown et al. 2020, appendix C, do the same with n-grams of 13 words).
--
-- If the items have a column benchmark or field, such as the set and the part of a question that a text is, the result has
-- it, too.
--
-- Inputs
--   input: id, text
--   input_b: id, text, and benchmark and field if the relation has them
-- Parameters
--   id
--   text
--   id_b | the id column of the items; default: that of id
--   text_b | the text column of the items; default: that of text
--   benchmark: column | a column of the items that is copied to the result; default: benchmark, if there is such a column
--   field: column | another one; default: field, if there is such a column
--   min_coverage
--   min_run
--   max_items
--   min_words.items
-- Columns
--   corpus_id: as id | a row of the corpus
--   item_id: as id | an item that occurs in its text
--   benchmark: as input | the benchmark of the item, if the items have that column
--   field: as input | the field of the item, if the items have that column
--   kind: Utf8 | 'verbatim': one run holds all words of the item; 'near': runs hold some of them; 'short': all words of an item of fewer words than a run
--   coverage: Float64 | share of the item's words that the runs hold; words that only ignored n-grams hold count neither as held nor as words of the item
--   hits: Int64 | n-grams of min_run words of the item in the runs that are not ignored
--   ignored_hits: Int64 | n-grams of the item in the runs that occur in more than max_items items
--   longest_run: Int64 | words of the longest run
--   start_char: Int64 | offset of the first character of the runs in the text
--   end_char: Int64 | offset after the last character of the runs, also of those that are not listed
--   runs: List(Struct("start_char": Int64, "end_char": Int64, "item_start_char": Int64, "item_end_char": Int64, "words": Int64)) | the runs in the order of the text, the first 100: start_char and end_char in the text, item_start_char and item_end_char in the item, words
-- Guarantees
--   Complete and exact on 64-bit hashes of words: all runs of all groups that count. A run is a maximal sequence of equal words. Two runs are neighbours if the end of one and the beginning of the other are fewer words apart, in the text and in the item, than either of them has, and than min_run; a group is a run with its neighbours, theirs, and so on. At most 256 runs of an item in a text have their neighbours looked for, and at most 256 neighbours are found, so that texts of few different words, such as tables of digits, are not compared at all of their places. A group counts if a run of at least min_run words in it has an n-gram that is not ignored.
--   An item of few words may keep no such run when two of its words are changed. With s as three quarters of min_run, rounded up, this concerns items of at least 2 s words and fewer than 3 min_run: by default, s = 6 and 12 to 23 words. For them, a group also counts if a run of at least s words in it has an n-gram of s words that occurs in at most max_items items, and the group holds three quarters of the item's words.
--   With the defaults, an item of 12 or more different words is found if one word in every dozen, at any place in it, is replaced, removed or preceded by another one. An edited item of fewer words often keeps no run: a lower min_run finds it.
--   Ids of the corpus may be repeated or NULL: each row is reported. Rows of either relation without a text are left out.
--   Items with the same words are one item for max_items; each of their rows is reported, with its own id, benchmark and field. Ids of items may be repeated or NULL. Runs anywhere in a text add up, so that an item of coverage 1 may be 'near'. Items of fewer words than min_words, and those all of whose n-grams are ignored, are not looked for; a warning in the log says how many.
--   The rows do not depend on the number of partitions.
-- Example
--   WITH corpus AS (SELECT * FROM (VALUES
--     (1, 'A quiz for the long evening: which town lies between the old mill and the harbour of Port Adeline? Aldermoor, of course.'),
--     (2, 'The harbour of Port Adeline is a town of its own.')
--   ) AS v (id, text)),
--   items AS (SELECT * FROM (VALUES
--     ('q1', 'Which town lies between the old mill and the harbour of Port Adeline?'),
--     ('q2', 'Which of the towns is the oldest one on the river Brenn?')
--   ) AS v (id, text))
--   SELECT corpus_id, item_id, kind, coverage, longest_run, start_char, end_char FROM contamination(corpus, items)
WITH distinct_items AS (
  SELECT CAST(row_number() OVER (ORDER BY text) AS BIGINT) AS number, text, items
  FROM (
    SELECT text, array_agg(item) AS items
    FROM input_b
    WHERE text IS NOT NULL
    GROUP BY text
  )
),
indexed AS (
  SELECT
    item_index(item_list(number, text), $min_run, $max_items, $min_words) AS items,
    0 AS all_rows
  FROM distinct_items
),
found AS (
  SELECT
    id,
    hit['item'] AS number,
    hit['kind'] AS kind,
    hit['coverage'] AS coverage,
    hit['hits'] AS hits,
    hit['ignored_hits'] AS ignored_hits,
    hit['longest_run'] AS longest_run,
    hit['start_char'] AS start_char,
    hit['end_char'] AS end_char,
    hit['runs'] AS runs
  FROM (
    SELECT own.id, UNNEST(contained_items(own.text, indexed.items, $min_coverage)) AS hit
    FROM indexed
    JOIN (SELECT id, text, 0 AS all_rows FROM input) AS own ON indexed.all_rows = own.all_rows
  )
)
SELECT
  found.id AS corpus_id,
  item['id'] AS item_id,
  item,
  found.kind,
  found.coverage,
  found.hits,
  found.ignored_hits,
  found.longest_run,
  found.start_char,
  found.end_char,
  found.runs
FROM found
JOIN (SELECT number, UNNEST(items) AS item FROM distinct_items) AS rows_of_items ON found.number = rows_of_items.number
