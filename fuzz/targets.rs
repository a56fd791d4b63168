// Invariants for arbitrary bytes: each function takes some bytes and panics if an invariant is violated. The targets of
// libFuzzer in `fuzz_targets/` and the mutations of `tests/sql/hostile/` call the same functions.
//
// To add a target, write a function here, add its name to TARGETS, seeds in `corpus/NAME/` or in `seeds`, and a file
// in `fuzz_targets/`.

use datafusion::arrow::array::RecordBatch;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup_kernels::{
    Shingle, ShingleScratch, edit_similarity, html_text_into, jaccard, normalize_into,
};
use neardup_wikidump::{DumpInfo, DumpReader, OnError, Page, ReadAt, ReadOptions, Revisions};
use neardup_wikitext::sentences::{Splitter, split};
use neardup_wikitext::to_plain;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// A name, and the function that checks its invariants.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("bzip2", dump),
    ("xml", dump),
    ("gzip", dump),
    ("wikitext", wikitext),
    ("html", html),
    ("sentences", sentences),
    ("shingles", shingles),
    ("arguments", arguments),
    ("word_vectors", word_vectors),
    ("manifest", manifest),
    ("tables", tables),
];

/// The function of the target `name`; panics if there is none.
pub fn target(name: &str) -> fn(&[u8]) {
    let found = TARGETS.iter().find(|target| target.0 == name);
    found.expect("a target").1
}

/// A dump in any container gives an error or rows. The rows are the same for any division of the file into parts, and
/// if a dump has no fault, also with `OnError::Skip`.
pub fn dump(data: &[u8]) {
    let source: Arc<dyn ReadAt> = Arc::new(data.to_vec());
    let options = |on_error| ReadOptions {
        revisions: Revisions::All,
        namespaces: None,
        redirects: true,
        on_error,
        max_page_bytes: 1 << 20,
        ..ReadOptions::default()
    };
    let strict = read(&source, 1, &options(OnError::Fail));
    let parts = 1 + data.len() % 5;
    let skipping = read(&source, 1, &options(OnError::Skip));
    let in_parts = read(&source, parts, &options(OnError::Skip));
    if let Ok((rows, losses)) = &strict {
        let (skipped, _) = skipping
            .as_ref()
            .expect("what is read without a fault is read");
        assert_eq!(rows, skipped, "other rows if faults are skipped");
        assert!(
            losses.is_empty()
                || losses.pages_stray
                    + losses.fields
                    + losses.pages_without_revision
                    + losses.without_footer
                    + losses.not_utf8
                    + losses.null_bytes
                    > 0,
            "an unreported loss: {losses}"
        );
        let again = read(&source, parts, &options(OnError::Fail)).map(|(rows, _)| rows);
        assert_eq!(
            again.as_ref().ok(),
            Some(rows),
            "other rows in {parts} parts"
        );
    }
    if let (Ok((rows, losses)), Ok((cut, cut_losses))) = (&skipping, &in_parts) {
        assert_eq!(
            rows, cut,
            "other rows in {parts} parts if faults are skipped"
        );
        if strict.is_err() {
            assert!(
                !losses.is_empty() || !cut_losses.is_empty(),
                "an error that is not counted as a loss: {strict:?}"
            );
        }
    }
}

type Rows = (Vec<Page>, neardup_wikidump::Losses);

fn read(source: &Arc<dyn ReadAt>, parts: usize, options: &ReadOptions) -> Result<Rows, String> {
    let text = |error: neardup_wikidump::DumpError| error.to_string();
    let info = DumpInfo::read(source, options.on_error).map_err(text)?;
    let site = Arc::new(info.site);
    let (mut pages, mut losses) = (Vec::new(), neardup_wikidump::Losses::default());
    let length = source.len();
    for part in 0..parts as u64 {
        let range = length * part / parts as u64..length * (part + 1) / parts as u64;
        let mut reader = DumpReader::open(
            Arc::clone(source),
            range,
            Arc::clone(&site),
            options.clone(),
        )
        .map_err(text)?;
        for page in &mut reader {
            pages.push(page.map_err(text)?);
        }
        losses.merge(reader.losses());
    }
    Ok((pages, losses))
}

/// Wikitext becomes plain text in which no block is empty or begins or ends with a space.
pub fn wikitext(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for language in [None, Some("en"), Some("de"), Some("fr"), Some("")] {
        let plain = to_plain(&text, language);
        for block in plain.split('\n').filter(|_| !plain.is_empty()) {
            assert!(!block.is_empty(), "an empty block for {language:?}");
            assert!(
                !block.starts_with(' ') && !block.ends_with(' '),
                "a block with a space at an end: {block:?}"
            );
        }
    }
}

/// The text of a page is not much longer than the page (a byte may be the replacement character, of three), and the
/// characters of its main content are characters of its text, in the same order.
pub fn html(data: &[u8]) {
    let page = String::from_utf8_lossy(data);
    let (mut all, mut main) = (String::new(), String::new());
    html_text_into(&page, false, &mut all);
    html_text_into(&page, true, &mut main);
    assert!(
        all.len() <= 3 * page.len(),
        "{} bytes of text of {} bytes",
        all.len(),
        page.len()
    );
    for text in [&all, &main] {
        assert_eq!(text.trim_ascii_end(), text, "white space at the end");
    }
    let mut chars = all.chars();
    for c in main.chars().filter(|c| !c.is_ascii_whitespace()) {
        assert!(
            chars.any(|other| other == c),
            "a character that the text does not have: {c:?}"
        );
    }
}

/// Sentences are ascending ranges that do not overlap, none of them blank.
pub fn sentences(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for language in [None, Some("en"), Some("zh"), Some("ar"), Some("xx")] {
        for splitter in [Splitter::Default, Splitter::Published] {
            let mut before = 0;
            for (start, end) in split(&text, language, splitter) {
                assert!(
                    before <= start && start < end && end <= text.len(),
                    "{before} {start} {end}"
                );
                assert!(
                    !text[start..end].trim().is_empty(),
                    "a blank sentence at {start}"
                );
                before = end;
            }
        }
    }
}

/// Normalisation is idempotent; sets are sorted and distinct; a text is similar to itself.
pub fn shingles(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut normal, mut again) = (String::new(), String::new());
    normalize_into(&text, &mut normal);
    normalize_into(&normal, &mut again);
    assert_eq!(normal, again, "normalisation is not idempotent");
    let window = 1 + data.first().map_or(0, |&byte| usize::from(byte) % 20);
    for shingle in [
        format!("char:{window}"),
        format!("word:{window}"),
        format!("space:{window}"),
    ] {
        let shingle: Shingle = shingle.parse().expect("a shingle");
        let mut hashes = Vec::new();
        shingle.hashes_into(&normal, &mut ShingleScratch::default(), &mut hashes);
        assert!(
            hashes.is_sorted_by(|a, b| a < b),
            "{shingle}: not sorted or not distinct"
        );
        assert!(hashes.is_empty() || jaccard(&hashes, &hashes) == 1.0);
    }
    // An empty text is similar to no text.
    if (1..2000).contains(&normal.len()) {
        assert_eq!(edit_similarity(&normal, &normal), 1.0);
    }
    let terms = neardup_kernels::Terms::new("en", true, true);
    terms.for_each(
        &text,
        &mut neardup_kernels::TermScratch::default(),
        |term| assert!(!term.is_empty()),
    );
}

/// Any statement gives a plan or an error.
pub fn arguments(data: &[u8]) {
    let Ok(statement) = std::str::from_utf8(data) else {
        return;
    };
    // Skip statements that may write, read from a network, or generate very many rows.
    let statement = statement.to_owned();
    let lower = statement.to_lowercase();
    let harmful = [
        "copy", "create", "insert", "drop", "series", "range", "repeat", "pad", "://", "set ",
    ];
    if harmful.iter().any(|word| lower.contains(word)) {
        return;
    }
    wait(async move {
        let context = session();
        let docs = "CREATE TABLE docs AS SELECT * FROM (VALUES
            (1, 'one two three four', 'A', [0.5, 1.0]), (2, 'One two  three four', 'B', [0.5, 2.0]),
            (3, NULL, NULL, NULL)) AS v (id, text, page, vector)";
        context
            .sql(docs)
            .await
            .expect("a statement")
            .collect()
            .await
            .expect("a table");
        if let Ok(frame) = context.sql(&statement).await {
            // The query is planned but not run, because its time is not bounded.
            drop(frame.into_optimized_plan());
        }
    });
}

/// A file of word vectors gives rows or an error.
pub fn word_vectors(data: &[u8]) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("words.vec");
    std::fs::write(&path, data).expect("a file");
    for format in [
        "",
        ", format => 'glove'",
        ", format => 'word2vec'",
        ", format => 'word2vec_binary'",
        ", format => 'fasttext'",
    ] {
        query(&format!(
            "SELECT * FROM word_vectors('{}'{format})",
            path.display()
        ));
    }
}

/// A manifest in the directory of a job gives tables or an error.
pub fn manifest(data: &[u8]) {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("manifest.json"), data).expect("a file");
    let path = directory.path().display().to_string();
    wait(async move {
        let context = session();
        if let Ok(found) = neardup::jobs::register(&context, &path).await {
            assert!(found.difference(&found).is_none());
            // No table of the job is outside its directory.
            for file in found.steps.iter().flat_map(|step| &step.files) {
                assert!(
                    !Path::new(&file.path).is_absolute() && !file.path.contains(".."),
                    "{}",
                    file.path
                );
            }
        }
    });
}

/// A table of documents in any of the text formats gives rows or an error.
pub fn tables(data: &[u8]) {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["rows.csv", "rows.tsv", "rows.jsonl", "rows.json"] {
        let path = directory.path().join(name);
        std::fs::write(&path, data).expect("a file");
        query(&format!("SELECT * FROM '{}'", path.display()));
    }
}

/// Runs a query; `None` if it fails.
fn query(statement: &str) -> Option<Vec<RecordBatch>> {
    let statement = statement.to_owned();
    wait(async move { session().sql(&statement).await.ok()?.collect().await.ok() })
}

fn session() -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2);
    neardup::session(config, Arc::default()).expect("a session")
}

/// Runs a future on threads with stacks that are large enough for deep plans.
fn wait<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(32 << 20)
            .enable_all()
            .build()
            .expect("a runtime")
    });
    match RUNTIME.block_on(RUNTIME.spawn(future)) {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
