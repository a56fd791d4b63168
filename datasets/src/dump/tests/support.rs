//! Sessions, files and rows for the tests.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::physical_plan::collect;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::super::{DumpOptions, DumpTable};
use crate::generate::{Generator, Kind, Spec};
use crate::sample::SAMPLE_DUMP;

pub(super) fn session(partitions: usize) -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions))
}

/// A session with the table `pages` over files.
pub(super) fn pages(
    partitions: usize,
    files: &[&Path],
    options: &[(&str, &str)],
) -> (SessionContext, DumpTable) {
    let locations = files.iter().map(|file| file.display().to_string());
    let options = DumpOptions::from_texts(options.iter().copied()).expect("options");
    let table = DumpTable::try_new(locations.collect(), options).expect("table");
    let session = session(partitions);
    session
        .register_table("pages", Arc::new(table.clone()))
        .expect("a new table");
    (session, table)
}

/// The answer as text.
pub(super) async fn query(session: &SessionContext, sql: &str) -> Result<String> {
    let batches = session.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

/// The answer, and the bytes that its scans read.
pub(super) async fn run(session: &SessionContext, sql: &str) -> Result<(Vec<RecordBatch>, usize)> {
    let plan = session.sql(sql).await?.create_physical_plan().await?;
    let batches = collect(Arc::clone(&plan), session.task_ctx()).await?;
    let mut scanned = 0;
    let mut plans = vec![plan];
    while let Some(plan) = plans.pop() {
        let metrics = plan.metrics().unwrap_or_default();
        scanned += metrics
            .sum_by_name("bytes_scanned")
            .map_or(0, |metric| metric.as_usize());
        plans.extend(plan.children().into_iter().cloned());
    }
    Ok((batches, scanned))
}

/// One value as text.
pub(super) async fn value(session: &SessionContext, sql: &str) -> Result<String> {
    let text = query(session, sql).await?;
    let cell = text.lines().nth(3).unwrap_or_default();
    Ok(cell.trim_matches(['|', ' ']).to_owned())
}

/// All rows as fingerprints, in an order of their own.
pub(super) async fn rows(session: &SessionContext) -> Result<Vec<u64>> {
    fingerprints(&session.sql("SELECT * FROM pages").await?.collect().await?)
}

pub(super) fn fingerprints(batches: &[RecordBatch]) -> Result<Vec<u64>> {
    let mut rows = Vec::new();
    for batch in batches {
        let options = FormatOptions::default().with_null("<null>");
        let columns = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let mut hasher = DefaultHasher::new();
            for column in &columns {
                column.value(row).to_string().hash(&mut hasher);
            }
            rows.push(hasher.finish());
        }
    }
    rows.sort_unstable();
    Ok(rows)
}

/// The message of an error.
pub(super) fn message<T>(outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.strip_backtrace(),
    }
}

/// A file below the corpora, or `None` with a visible line where they are absent.
pub(super) fn corpus(name: &str) -> Option<PathBuf> {
    let roots = std::env::var_os("NEARDUP_SHARED")
        .map(PathBuf::from)
        .into_iter()
        .chain(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .ancestors()
                .map(|above| above.join("shared")),
        );
    for root in roots {
        let path = root.join("datasets").join(name);
        if path.exists() {
            return Some(path);
        }
    }
    println!("skipped: {name} is not present");
    None
}

/// The XML of the bundled sample.
pub(super) fn sample_xml() -> Vec<u8> {
    let mut xml = Vec::new();
    bzip2::read::MultiBzDecoder::new(SAMPLE_DUMP)
        .read_to_end(&mut xml)
        .expect("the sample decodes");
    xml
}

/// The header of a dump of `wiki`, and pages of about `bytes` bytes each.
pub(super) fn generated(wiki: &str, pages: usize, bytes: usize) -> Vec<u8> {
    let spec = Spec {
        rows: pages.min(300) as u64,
        seed: 1,
        kind: Kind::Sentences,
    };
    let sentences: Vec<String> = Generator::new(spec).map(|row| row.text).collect();
    let mut xml = format!(
        "<mediawiki version=\"0.11\" xml:lang=\"en\"><siteinfo><dbname>{wiki}</dbname></siteinfo>\n"
    );
    for page in 1..=pages {
        let head = format!(
            "<page><title>Page {page}</title><ns>0</ns><id>{page}</id><revision><id>{page}</id>\
             <timestamp>2020-01-01T00:00:00Z</timestamp><text>"
        );
        xml.push_str(&head);
        let end = xml.len() + bytes;
        let mut next = page;
        while xml.len() < end {
            xml.push_str(&sentences[next % sentences.len()]);
            next += 1;
        }
        xml.push_str("</text></revision></page>\n");
    }
    xml.push_str("</mediawiki>\n");
    xml.into_bytes()
}

pub(super) fn write(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, bytes).expect("a writable directory");
    path
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// One bz2 stream with blocks of 100,000 bytes.
pub(super) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
