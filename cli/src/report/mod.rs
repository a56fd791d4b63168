//! `neardup report`: writes the result of a job as an HTML page.
//!
//! `page` writes the sections, `texts` those with clusters and pairs, `charts` the charts, `html` escapes texts and
//! marks differences. `report.css` and `report.js` are part of the page, which loads nothing.

mod charts;
mod command;
mod html;
mod page;
mod texts;

use super::options::Global;
use super::out;
use clap::Args;
use datafusion::common::Result;
use neardup::jobs::{report, write_report};
use std::io::Write;

/// Write a report about a job: DIR/report.html, a page that works without a network
///
/// It shows the command, the rows that were left out, sizes of clusters, similarities, kinds of near-duplicates, and
/// suspicious clusters and pairs with their differences. For large jobs it shows samples, and states this.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of the job
    #[arg(value_name = "DIR", default_value = "neardup-out")]
    directory: String,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let file = write(&arguments.directory, global).await?;
    out::print(|out| {
        let shown = super::visible::visible_line(&file);
        Ok(writeln!(out, "written to {shown}")?)
    })
}

/// Writes the report about a job into its directory, and returns the name of the file.
pub(super) async fn write(directory: &str, global: &Global) -> Result<String> {
    let context = global.session()?;
    let found = report(&context, directory).await?;
    let page = page::page(&found, directory);
    write_report(&context, directory, page).await
}
