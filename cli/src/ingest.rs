//! `neardup ingest`.

use super::dedup::DumpArguments;
use super::options::{Cluster, Global};
use super::{progress, summary};
use clap::Args;
use datafusion::common::Result;
use neardup::jobs::{Ingest, ingest};
use std::time::Instant;

/// Convert dumps to Parquet: pages with their plain text, and sentences
///
/// Example: neardup ingest enwiki-pages-articles.xml.bz2 -o enwiki
/// Then: neardup sql --dir enwiki -c "SELECT title, sentence FROM sentences WHERE kind = 'sentence' LIMIT 10"
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Dumps (.xml, .xml.bz2, .xml.gz): files, directories or globs; - is standard input
    #[arg(value_name = "DUMP", required = true)]
    inputs: Vec<String>,
    /// Directory of the result
    #[arg(short, long, value_name = "DIR", default_value = "neardup-out")]
    output: String,
    #[command(flatten)]
    dump: DumpArguments,
    /// Replace another job in the directory
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    cluster: Cluster,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let begun = Instant::now();
    let options = Ingest {
        inputs: arguments.inputs.clone(),
        output: arguments.output.clone(),
        dump: arguments.dump.options(),
        overwrite: arguments.overwrite,
    };
    let job = ingest(
        &options,
        global.session_on(&arguments.cluster)?,
        progress::progress(global),
    )
    .await?;
    summary::print(&job, begun.elapsed(), global)
}
