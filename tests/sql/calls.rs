//! Calls of every table function in all variants, for checks that apply to every plan.

use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

/// Name of a function and a query that calls it.
pub const CALLS: &[(&str, &str)] = &[
    ("bm25_vectors", "SELECT * FROM bm25_vectors(counts, frequencies)"),
    ("bm25_vectors", "SELECT * FROM bm25_vectors(counts, frequencies, k1 => 2, b => 0.5)"),
    ("components", "SELECT * FROM components(pairs)"),
    ("cosine_join", "SELECT * FROM cosine_join(vectors)"),
    ("cosine_join", "SELECT * FROM cosine_join(vectors, vectors, threshold => 0.5)"),
    ("deduplicate", "SELECT * FROM deduplicate(docs)"),
    ("deduplicate", "SELECT * FROM deduplicate(vectors, method => 'projection')"),
    ("deduplicate", "SELECT * FROM deduplicate(docs, keep => 'longest', method => 'minhash')"),
    ("deduplicate", "SELECT * FROM deduplicate(docs, measure => 'containment', keep => 'longest', threshold => 0.5)"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs, measure => 'containment', threshold => 0.5)"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs, measure => 'edit', threshold => 0.6)"),
    ("deduplicate", "SELECT * FROM deduplicate(docs, keep_by => 'page', resolution => 'components')"),
    ("deduplicate", "SELECT * FROM deduplicate(docs, keep_by => 'length(text) desc, page')"),
    ("deduplicate", "SELECT * FROM deduplicate(docs, text => [text, page])"),
    ("document_frequencies", "SELECT * FROM document_frequencies(counts)"),
    ("hamming_join", "SELECT * FROM hamming_join(signed, max_distance => 20)"),
    ("hamming_join", "SELECT * FROM hamming_join(signed, signed, max_distance => 30, method => 'exhaustive')"),
    ("hamming_join", "SELECT * FROM hamming_join(signed, max_distance => 30, method => 'bands', tables => 8, key_bits => 4)"),
    ("hamming_join", "SELECT * FROM hamming_join(signed, signed, max_distance => 30, method => 'window', tables => 3, window => 2)"),
    ("i_match", "SELECT * FROM i_match(docs)"),
    ("jaccard_join", "SELECT * FROM jaccard_join(docs)"),
    ("jaccard_join", "SELECT * FROM jaccard_join(docs, docs)"),
    ("containment_join", "SELECT * FROM containment_join(docs, threshold => 0.3, within => page)"),
    ("containment_join", "SELECT * FROM containment_join(docs, docs, share_of => 'a', threshold => 0.3)"),
    ("containment_join", "SELECT * FROM containment_join(sets, sets, signature_column => tokens, share_of => 'b', across => page, parts => 3)"),
    ("contamination", "SELECT * FROM contamination(docs, docs, min_run => 3, min_words => 1, benchmark => page, field => id)"),
    ("edit_join", "SELECT * FROM edit_join(docs, threshold => 0.6)"),
    ("edit_join", "SELECT * FROM edit_join(docs, docs, threshold => 0.9, across => page, parts => 2)"),
    ("field_join", "SELECT * FROM field_join(docs, fields => [text, page], weights => [0.7, 0.3], threshold => 0.3)"),
    (
        "field_join",
        "SELECT * FROM field_join(docs, docs, fields => [text, page], measures => ['jaccard', 'containment'], shingles => ['word:1', 'char:1'],
           missing => 'rescale', threshold => 0.4, across => page, parts => 3)",
    ),
    (
        "field_join",
        "SELECT * FROM field_join(docs, fields => text, measures => 'containment', shingle => 'word:1', threshold => 0.3, within => page)",
    ),
    (
        "field_join",
        "SELECT * FROM field_join(docs, fields => [text, page], measures => ['edit', 'edit'], threshold => 0.6, parts => 2)",
    ),
    (
        "field_join",
        "SELECT * FROM field_join(docs, docs, fields => [text, page], measures => ['jaccard', 'edit'], shingle => 'word:1', missing => 'rescale',
           threshold => 0.5, across => page)",
    ),
    ("jaccard_join", "SELECT * FROM jaccard_join(docs, across => page)"),
    ("jaccard_join", "SELECT * FROM jaccard_join(docs, copies => 'linked')"),
    ("jaccard_join", "SELECT * FROM jaccard_join(sets, signature_column => tokens, threshold => 0.5)"),
    ("jaccard_join", "SELECT * FROM jaccard_join(sets, sets, signature_column => tokens, across => page)"),
    ("lsh_plan", "SELECT * FROM lsh_plan(0.8)"),
    ("lsh_plan", "SELECT * FROM lsh_plan(0.8, method => 'projection')"),
    ("minhash_buckets", "SELECT * FROM minhash_buckets(docs)"),
    ("minhash_buckets", "SELECT * FROM minhash_buckets(docs, scheme => 'draws')"),
    ("minhash_join", "SELECT * FROM minhash_join(docs)"),
    ("minhash_join", "SELECT * FROM minhash_join(docs, docs, verify => 'edit')"),
    ("minhash_join", "SELECT * FROM minhash_join(docs, across => page, verify => 'estimate')"),
    ("minhash_join", "SELECT * FROM minhash_join(docs, scheme => 'draws', verify => 'none')"),
    ("minhash_join", "SELECT * FROM minhash_join(docs, copies => 'linked')"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs)"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs, method => 'minhash')"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs, resolution => 'components')"),
    ("near_duplicates", "SELECT * FROM near_duplicates(vectors, method => 'projection')"),
    ("near_duplicates", "SELECT * FROM near_duplicates(vectors, method => 'projection', resolution => 'components', threshold => 0.5)"),
    ("near_duplicates", "SELECT * FROM near_duplicates(vectors, method => 'projection', keep_by => 'page desc')"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs, keep => 'longest')"),
    ("near_duplicates", "SELECT * FROM near_duplicates(docs, keep_by => 'page desc', resolution => 'components')"),
    ("document_similarity", "SELECT * FROM document_similarity(pairs, docs, document => id)"),
    ("pair_quality", "SELECT * FROM pair_quality(pairs, pairs)"),
    ("partial_duplicates", "SELECT * FROM partial_duplicates(docs, min_length => 1)"),
    ("partial_duplicates", "SELECT * FROM partial_duplicates(docs, min_length => 1, max_gap => 1, method => 'minhash')"),
    ("partial_duplicates", "SELECT * FROM partial_duplicates(placed, min_length => 1)"),
    ("recall_by_similarity", "SELECT * FROM recall_by_similarity(pairs, pairs, similarity => id_a, bins => 1)"),
    ("repeated_passages", "SELECT * FROM repeated_passages(docs, min_words => 2)"),
    ("repeated_passages", "SELECT * FROM repeated_passages(docs, min_words => 1, min_copies => 3, normalize => false)"),
    ("repeated_text", "SELECT * FROM repeated_text(docs, min_length => 1)"),
    ("repeated_text", "SELECT * FROM repeated_text(docs, min_length => 1, threshold => 0.6)"),
    ("repeated_text", "SELECT * FROM repeated_text(docs, unit => 'paragraph', min_copies => 3, normalize => false)"),
    ("projection_join", "SELECT * FROM projection_join(vectors)"),
    ("projection_join", "SELECT * FROM projection_join(vectors, vectors, method => 'bands', threshold => 0.9)"),
    ("projection_join", "SELECT * FROM projection_join(vectors, method => 'window', across => page, threshold => 0.5)"),
    ("projection_join", "SELECT * FROM projection_join(vectors, verify => 'estimate')"),
    ("sentence_vector", "SELECT * FROM sentence_vector(docs, words, stop_words => false)"),
    ("sentence_vector", "SELECT * FROM sentence_vector(docs, words, language_column => page, stem => true)"),
    ("sentence_history", "SELECT * FROM sentence_history(docs, document => id, revision => id, timestamp => id)"),
    ("sentences", "SELECT * FROM sentences(docs)"),
    ("sentences", "SELECT * FROM sentences(docs, window => 2, carry => [page], min_length => 3)"),
    ("shared_passages", "SELECT * FROM shared_passages(docs, min_words => 2)"),
    ("shared_passages", "SELECT * FROM shared_passages(docs, min_passage => 'char:3', filter_bytes => 256)"),
    ("term_counts", "SELECT * FROM term_counts(docs)"),
    ("term_counts", "SELECT * FROM term_counts(docs, language_column => page, min_count => 1, min_terms => 1)"),
    ("translate_terms", "SELECT * FROM translate_terms(counts, translations)"),
    ("translate_terms", "SELECT * FROM translate_terms(frequencies, translations)"),
    ("simhash_join", "SELECT * FROM simhash_join(docs)"),
    ("simhash_join", "SELECT * FROM simhash_join(docs, docs, method => 'window', max_distance => 40)"),
    ("wiki_pages", "SELECT * FROM wiki_pages('datasets/sample/samplewiki-pages-articles.xml.bz2')"),
    ("word_vectors", "SELECT * FROM word_vectors('tests/data/words.vec')"),
    (
        "candidate_pairs",
        "SELECT * FROM candidate_pairs(
           (SELECT side, id, group_value, shingle_hashes(text, 'word:3') AS keys FROM rows_in))",
    ),
    (
        "compared_pairs",
        "SELECT * FROM compared_pairs(
           (SELECT side, id, simhash(text) AS signature, CAST(NULL AS BYTEA) AS vector FROM rows_in), pairs, max_distance => 40)",
    ),
    (
        "containment_pairs",
        "SELECT * FROM containment_pairs(
           (SELECT side, id, group_value, shingle_hashes(text, 'word:1') AS tokens FROM rows_in), threshold => 0.3)",
    ),
    (
        "containment_sides",
        "SELECT * FROM containment_sides(
           (SELECT side, id, group_value, shingle_hashes(text, 'word:1') AS tokens FROM rows_in), threshold => 0.3)",
    ),
    ("distinct_items", "SELECT * FROM distinct_items((SELECT side, id, text AS item, group_value FROM rows_in))"),
    ("distinct_items", "SELECT * FROM distinct_items(packed, measure => 'cosine')"),
    (
        "passages_of_runs",
        "SELECT * FROM passages_of_runs(
           (SELECT id, text_hash(text) AS number, 1 AS copies, 0 AS at, decode(md5(text), 'hex') AS key, text AS units FROM docs),
           min_passage => 'char:3')",
    ),
    (
        "shared_spans",
        "SELECT * FROM shared_spans((SELECT id, text, array_agg(id) AS ids FROM docs GROUP BY id, text), min_passage => 'word:2')",
    ),
    ("edit_pairs", "SELECT * FROM edit_pairs(rows_in, threshold => 0.6)"),
    ("copy_pairs", "SELECT * FROM copy_pairs((SELECT id, array_agg(id) AS ids FROM docs GROUP BY id))"),
    ("distinct_texts", "SELECT * FROM distinct_texts(rows_in)"),
    ("exact_pairs", "SELECT * FROM exact_pairs(rows_in)"),
    ("minhash_pairs", "SELECT * FROM minhash_pairs(rows_in, bands => 16, rows => 6)"),
    ("minhash_pairs", "SELECT * FROM minhash_pairs(rows_in, scheme => 'draws')"),
    ("item_pairs", "SELECT * FROM item_pairs((SELECT side, id, text AS item, group_value FROM rows_in))"),
    ("item_pairs", "SELECT * FROM item_pairs((SELECT side, id, text AS item, group_value FROM rows_in), method => 'minhash')"),
    ("item_pairs", "SELECT * FROM item_pairs(packed, method => 'projection')"),
    (
        "item_pairs",
        "SELECT * FROM item_pairs((SELECT side, id, text AS item, group_value FROM rows_in), measure => 'containment', threshold => 0.4)",
    ),
    (
        "item_pairs",
        "SELECT * FROM item_pairs((SELECT side, id, text AS item, group_value FROM rows_in), measure => 'edit', threshold => 0.6)",
    ),
    (
        "numbered_components",
        "SELECT * FROM numbered_components((SELECT id, id - 1 AS number FROM docs WHERE id IS NOT NULL), pairs)",
    ),
    ("numbered_ids", "SELECT * FROM numbered_ids(pairs)"),
    (
        "numbered_representatives",
        "SELECT * FROM numbered_representatives(
           (SELECT id, id - 1 AS number FROM docs WHERE id IS NOT NULL),
           (SELECT id_a, id_b, 0.9 AS similarity FROM pairs))",
    ),
    (
        "pair_representatives",
        "SELECT * FROM pair_representatives((SELECT id_a, id_b, 0.9 AS similarity FROM pairs))",
    ),
    (
        "prefix_pairs",
        "SELECT * FROM prefix_pairs(
           (SELECT side, id, group_value, text, shingle_hashes(text, 'word:3') AS tokens FROM rows_in),
           (SELECT token_frequencies(shingle_hashes(text, 'word:3')) AS sketch FROM rows_in))",
    ),
    ("resolved_duplicates", "SELECT * FROM resolved_duplicates((SELECT id, id AS rank, text AS item, 0 AS group_value FROM docs))"),
    (
        "resolved_duplicates",
        "SELECT * FROM resolved_duplicates((SELECT id, id AS rank, text AS item, 0 AS group_value FROM docs), resolution => 'components')",
    ),
    (
        "resolved_items",
        "SELECT * FROM resolved_items(
           (SELECT id, text AS item, array_agg(id) AS ids FROM docs GROUP BY id, text),
           (SELECT id_a, id_b, 0.9 AS similarity FROM pairs))",
    ),
    (
        "resolved_items",
        "SELECT * FROM resolved_items(
           (SELECT id, text AS item, array_agg(id) AS ids FROM docs GROUP BY id, text),
           (SELECT id_a, id_b, 0.9 AS similarity FROM pairs), resolution => 'components')",
    ),
    (
        "resolved_items",
        "SELECT * FROM resolved_items(
           (SELECT id, item, array_agg(id) AS ids FROM packed GROUP BY id, item),
           (SELECT id_a, id_b, 0.9 AS similarity FROM pairs), resolution => 'components', measure => 'cosine')",
    ),
    (
        "resolved_items",
        "SELECT * FROM resolved_items(
           (SELECT id, text AS item, array_agg(id) AS ids FROM docs GROUP BY id, text),
           (SELECT id_a, id_b, 0.9 AS similarity FROM pairs), measure => 'containment')",
    ),
    (
        "rows_with_shared_keys",
        "SELECT * FROM rows_with_shared_keys(
           (SELECT shingle_hashes(text, 'word:3') AS keys, 3 AS length FROM docs), parts => 4)",
    ),
    (
        "row_pairs",
        "SELECT * FROM row_pairs(
           (SELECT id, array_agg(id) AS ids FROM docs GROUP BY id), (SELECT id_a, id_b, 0.9 AS similarity FROM pairs))",
    ),
    (
        "similar_pairs",
        "SELECT * FROM similar_pairs((
           SELECT side, id, group_value, tokens, tokens AS keys, UNNEST(key_parts(tokens, 2)) AS part
           FROM (SELECT side, id, group_value, shingle_hashes(text, 'word:3') AS tokens FROM rows_in)), parts => 2)",
    ),
    (
        "sentence_runs",
        "SELECT * FROM sentence_runs(
           (SELECT id AS document, id AS position, text, 0 AS start_offset, 1 AS end_offset FROM docs), min_length => 1)",
    ),
    (
        "set_pairs",
        "SELECT * FROM set_pairs(
           (SELECT side, id, group_value, shingle_hashes(text, 'word:1') AS tokens FROM rows_in), threshold => 0.3)",
    ),
    (
        "signature_pairs",
        "SELECT * FROM signature_pairs(
           (SELECT side, id, group_value, simhash(text) AS signature, CAST(NULL AS BYTEA) AS vector FROM rows_in), max_distance => 40)",
    ),
    (
        "passage_origins",
        "SELECT * FROM passage_origins(
           (SELECT id, 0 AS first_word, 1 AS end_word, 0 AS start_char, 1 AS end_char, id AS first_id, 0 AS first_start_word,
              1 AS words, 2 AS copies FROM rows_in),
           (SELECT id, text, CASE WHEN id > 1 THEN [named_struct('first_word', 1, 'end_word', 2)] END AS cut FROM rows_in))",
    ),
    (
        "passage_positions",
        "SELECT * FROM passage_positions(
           (SELECT id, 0 AS first_word, 1 AS end_word, id AS first_id, 0 AS first_start_word, 2 AS copies FROM rows_in),
           (SELECT id, text, CASE WHEN id > 1 THEN [named_struct('first_word', 1, 'end_word', 2)] END AS cut FROM rows_in))",
    ),
    (
        "passage_runs",
        "WITH texts AS (
           SELECT id, text, id AS rank, group_value, CASE WHEN id > 1 THEN [named_struct('first_word', 1, 'end_word', 2)] END AS cut
           FROM rows_in)
         SELECT * FROM passage_runs((SELECT * FROM texts), (SELECT text, group_value, cut, cut AS changed FROM texts), min_words => 2)",
    ),
    (
        "sentence_origins",
        "SELECT * FROM sentence_origins(
           (SELECT id AS document, text AS key, text, 1 AS first_number, 1 AS last_number, id AS first_revision, id AS first_seen, id AS last_revision,
              CAST(NULL AS BIGINT) AS removed_revision, CAST(NULL AS BIGINT) AS removed_at FROM rows_in))",
    ),
    (
        "repeated_units",
        "SELECT * FROM repeated_units((SELECT id, text, id AS rank, group_value FROM rows_in), min_length => 1)",
    ),
    ("unique_rows", "SELECT * FROM unique_rows(rows_in)"),
    (
        "unique_sets",
        "SELECT * FROM unique_sets((SELECT side, id, group_value, shingle_hashes(text, 'word:1') AS tokens FROM rows_in))",
    ),
    ("unique_vectors", "SELECT * FROM unique_vectors((SELECT side, id, item AS vector, group_value FROM packed))"),
];

/// The relations of [`CALLS`].
pub const TABLES: &[&str] = &[
    "docs",
    "pairs",
    "rows_in",
    "counts",
    "frequencies",
    "translations",
    "signed",
    "vectors",
    "packed",
    "words",
    "sets",
    "placed",
];

/// A session with the relations of [`CALLS`], as files would hold them.
pub async fn session(config: SessionConfig) -> Result<SessionContext> {
    let context = neardup::session(config, Arc::default())?;
    let docs = "SELECT * FROM (VALUES
        (1, 'one two three four', 'A'), (2, 'One two  three four', 'B'), (3, 'five', NULL)) AS v (id, text, page)";
    fill(&context, docs).await?;
    Ok(context)
}

/// Makes the relations of [`CALLS`], with `docs` from a query for (id, text, page).
pub async fn fill(context: &SessionContext, docs: &str) -> Result<()> {
    let docs = format!("CREATE TABLE docs AS {docs}");
    let tables = [
        &docs,
        "CREATE TABLE pairs AS SELECT * FROM (VALUES (1, 2), (2, 3)) AS v (id_a, id_b)",
        "CREATE TABLE rows_in AS
           SELECT arrow_cast(0, 'Int8') AS side, id, text, page AS group_value FROM docs",
        "CREATE TABLE signed AS SELECT id, simhash(text) AS signature FROM docs",
        "CREATE TABLE vectors AS
           SELECT id, [coalesce(character_length(text), 0) + 0.5, id % 7 - 2.5, 3.0] AS vector, page FROM docs",
        "CREATE TABLE packed AS
           SELECT arrow_cast(0, 'Int8') AS side, id, packed_vector(vector, CAST(id AS VARCHAR)) AS item, page AS group_value
           FROM vectors",
        "CREATE TABLE counts AS
           SELECT id, term, tf FROM term_counts(docs, min_count => 1, min_terms => 1)",
        "CREATE TABLE frequencies AS SELECT term, df FROM document_frequencies(counts)",
        "CREATE TABLE translations AS
           SELECT term AS source, left(term, 2) AS target,
             1.0 / count(*) OVER (PARTITION BY left(term, 2)) AS probability
           FROM frequencies",
        "CREATE TABLE placed AS SELECT id AS document, id AS position, text FROM docs",
        "CREATE TABLE sets AS SELECT id, shingle_hashes(text, 'word:1') AS tokens, page FROM docs",
        "CREATE TABLE words AS SELECT word, arrow_cast(vector, 'List(Float32)') AS vector
           FROM (VALUES ('one', [1.0, 0.5]), ('three', [0.25, 2.0]), ('the', [3.0, 3.0])) AS v (word, vector)",
    ];
    for table in tables {
        context.sql(table).await?.collect().await?;
    }
    Ok(())
}

/// The query with the repository's files where it names them.
pub fn query(call: &str) -> String {
    let root = super::root().display();
    let mut query = call.to_owned();
    for directory in ["datasets/sample/", "tests/data/"] {
        query = query.replace(directory, &format!("{root}/{directory}"));
    }
    query
}
