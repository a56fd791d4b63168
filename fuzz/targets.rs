// What must hold of any bytes: each function takes some and panics where a promise is broken. The targets of
// libFuzzer in `fuzz_targets/` and the mutations of `tests/sql/hostile/` call the same functions.
//
// To add a target: a function here, its name in TARGETS, seeds in `corpus/NAME/` or in `seeds`, and a file in
// `fuzz_targets/`.

use datafusion::arrow::array::RecordBatch;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup_kernels::{Shingle, ShingleScratch, edit_similarity, jaccard, normalize_into};
use neardup_wikidump::sentences::{Splitter, split};
use neardup_wikidump::wikitext::to_plain;
use neardup_wikidump::{DumpInfo, DumpReader, OnError, Page, ReadAt, ReadOptions, Revisions};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("bzip2", dump),
    ("xml", dump),
    ("gzip", dump),
    ("wikitext", wikitext),
    ("sentences", sentences),
    ("shingles", shingles),
    ("arguments", arguments),
    ("word_vectors", word_vectors),
    ("manifest", manifest),
    ("tables", tables),
];

/// The target of a name.
pub fn target(name: &str) -> fn(&[u8]) {
    let found = TARGETS.iter().find(|target| target.0 == name);
    found.expect("a target").1
}

/// A dump in any container: an error or rows, the same however the file is cut; what can be read without a fault is
/// read the same where faults are skipped.
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
        assert_eq!(rows, skipped, "other rows where faults are skipped");
        assert!(
            losses.is_empty() || losses.pages_stray + losses.fields > 0,
            "a silent loss: {losses}"
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
            "other rows in {parts} parts where faults are skipped"
        );
        if strict.is_err() {
            assert!(
                !losses.is_empty() || !cut_losses.is_empty(),
                "an error that is no loss: {strict:?}"
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

/// Wikitext: plain text of which no block is empty or begins or ends with a space.
pub fn wikitext(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for language in [None, Some("en"), Some("de"), Some("fr"), Some("")] {
        let plain = to_plain(&text, language);
        for block in plain.split('\n').filter(|_| !plain.is_empty()) {
            assert!(!block.is_empty(), "an empty block for {language:?}");
            assert!(
                !block.starts_with(' ') && !block.ends_with(' '),
                "a block with a space at its end: {block:?}"
            );
        }
    }
}

/// Sentences: places in order that do not overlap, none of them blank.
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

/// Normal forms stay what they are; sets are sorted and distinct; a text is like itself.
pub fn shingles(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut normal, mut again) = (String::new(), String::new());
    normalize_into(&text, &mut normal);
    normalize_into(&normal, &mut again);
    assert_eq!(normal, again, "a normal form has another normal form");
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
    // Empty texts are like nothing.
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

/// Whatever stands in a statement: rows or an error.
pub fn arguments(data: &[u8]) {
    let Ok(statement) = std::str::from_utf8(data) else {
        return;
    };
    // Nothing here may write, and rows of these would be without end.
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
            // What a plan may hold is bounded, what it may take is not asked for.
            drop(frame.into_optimized_plan());
        }
    });
}

/// A file of word vectors: rows or an error.
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

/// The manifest of a directory of a job: tables or an error.
pub fn manifest(data: &[u8]) {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("manifest.json"), data).expect("a file");
    let path = directory.path().display().to_string();
    wait(async move {
        let context = session();
        if let Ok(found) = neardup::jobs::register(&context, &path).await {
            assert!(found.difference(&found).is_none());
            // Nothing outside of the directory is a table of the job.
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

/// A table of documents in each of the formats of text: rows or an error.
pub fn tables(data: &[u8]) {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["rows.csv", "rows.tsv", "rows.jsonl", "rows.json"] {
        let path = directory.path().join(name);
        std::fs::write(&path, data).expect("a file");
        query(&format!("SELECT * FROM '{}'", path.display()));
    }
}

/// Runs a query to its end, whichever it has.
fn query(statement: &str) -> Option<Vec<RecordBatch>> {
    let statement = statement.to_owned();
    wait(async move { session().sql(&statement).await.ok()?.collect().await.ok() })
}

fn session() -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2);
    neardup::session(config, Arc::default()).expect("a session")
}

/// Runs a future on threads with room for deep plans.
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
