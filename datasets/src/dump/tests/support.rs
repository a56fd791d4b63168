//! Sessions, files and rows for the tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::super::{DumpOptions, DumpTable};

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

/// One value as text.
pub(super) async fn value(session: &SessionContext, sql: &str) -> Result<String> {
    let text = query(session, sql).await?;
    let cell = text.lines().nth(3).unwrap_or_default();
    Ok(cell.trim_matches(['|', ' ']).to_owned())
}

/// All rows, in an order of their own, each as text.
pub(super) async fn all_rows(session: &SessionContext) -> Result<Vec<String>> {
    let text = query(session, "SELECT * FROM pages").await?;
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    rows.sort_unstable();
    Ok(rows)
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
