//! Sessions and files for the tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::super::{WordVectorOptions, WordVectorTable};

/// A session with the table `vectors` over files.
pub(super) fn vectors(partitions: usize, locations: &[&str]) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(partitions);
    let session = SessionContext::new_with_config(config);
    let locations = locations.iter().map(|&name| name.to_owned()).collect();
    let table = WordVectorTable::try_new(locations, WordVectorOptions::default()).expect("a table");
    session
        .register_table("vectors", Arc::new(table))
        .expect("a new table");
    session
}

/// The answer as text.
pub(super) async fn query(session: &SessionContext, sql: &str) -> Result<String> {
    let batches = session.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

/// The message of an error.
pub(super) fn message<T>(outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.strip_backtrace(),
    }
}

/// A file below the corpora, or `None` with a visible line where they are absent.
pub(in super::super) fn corpus(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("NEARDUP_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut roots = root
        .into_iter()
        .chain(above.map(|above| above.join("shared")));
    let path = roots
        .by_ref()
        .map(|root| root.join("datasets").join(name))
        .find(|path| path.exists());
    if path.is_none() {
        println!("skipped: {name} is not present");
    }
    path
}
