//! Prints the largest clusters and some removed rows, after the summary of `dedup`.

use super::options::Global;
use super::out;
use super::visible::{shell_word, visible_line};
use super::why::changed;
use console::truncate_str;
use datafusion::common::Result;
use neardup::jobs::{Examples, Figure, Job, Manifest, ReportRow, examples};
use std::io::Write;

/// Maximum number of columns of a line.
const WIDTH: usize = 110;

/// Prints the largest clusters of a job, facts that differ between kept and removed rows, and the commands that show
/// more, or the existing report.
/// `directory` is the job's, as the user names it.
pub(super) async fn print(
    job: &Job,
    directory: &str,
    report: Option<&str>,
    global: &Global,
) -> Result<()> {
    let found = examples(&global.session()?, directory).await?;
    let shown = shell_word(directory);
    out::print(|out| {
        for line in lines(&found) {
            writeln!(out, "{}", truncate_str(&line, WIDTH, "…"))?;
        }
        if found.clusters == 0 {
            let more = match has_a_row_for_each_text_file(job.manifest()) {
                true => {
                    "each .txt file is one row; --delimiter tab --quote none --column-names text \
                     makes each line one"
                }
                false => {
                    "a lower --threshold finds more, and --shingle char:5 does in texts of few \
                     words"
                }
            };
            return Ok(writeln!(out, "\nno rows are similar; {more}")?);
        }
        writeln!(out, "\nlook at it: neardup show {shown}")?;
        let mut ids = found.drifts.iter().map(|pair| &pair.removed.id);
        if let Some(id) = ids.find(|id| !id.starts_with('-')) {
            writeln!(out, "            neardup why {} {shown}", shell_word(id))?;
        }
        match report {
            Some(file) => writeln!(out, "the report: {}", visible_line(file))?,
            None => writeln!(out, "            neardup report {shown}")?,
        }
        Ok(())
    })
}

/// Whether the inputs are `.txt` files, of which each is one row.
fn has_a_row_for_each_text_file(manifest: &Manifest) -> bool {
    let mut names = manifest.inputs.iter().map(|file| file.path.as_str());
    let rows = (manifest.step("texts")).and_then(|step| step.figure(Figure::Rows)?.as_u64());
    names.all(|name| name.contains(".txt")) && rows == Some(manifest.inputs.len() as u64)
}

fn lines(examples: &Examples) -> Vec<String> {
    let mut lines = Vec::new();
    if !examples.largest.is_empty() {
        lines.push(match examples.clusters > examples.largest.len() as u64 {
            true => format!("\nlargest of {} clusters", examples.clusters),
            false => "\nlargest clusters".to_owned(),
        });
    }
    for (size, row) in &examples.largest {
        lines.push(format!("  {size:>8} rows  {}", text(row)));
    }
    if !examples.drifts.is_empty() {
        lines.push("\nremoved rows that state another fact".to_owned());
    }
    for pair in &examples.drifts {
        let changes = pair
            .changes
            .iter()
            .map(|(kind, kept, own)| changed(*kind, kept, own));
        let changes = changes.collect::<Vec<_>>().join(", ");
        lines.push(format!("  {changes}: {}", text(&pair.removed)));
    }
    lines
}

/// The id of a row, its title if it has one, and its text in one line.
fn text(row: &ReportRow) -> String {
    let start: String = row.text.chars().take(WIDTH).collect();
    let words = [row.id.as_str(), row.title.as_str(), start.as_str()];
    let words = words.into_iter().filter(|word| !word.is_empty());
    visible_line(&words.collect::<Vec<_>>().join("  ")).into_owned()
}
