//! Options of commands that read tables: the format of their files.

use super::flags::{help, read};
use clap::Args;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;

/// The format of input files of separated values, JSON and plain text.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "CSV, TSV, JSON and text files")]
pub(crate) struct Reading {
    #[arg(long, value_name = "C", help = help("delimiter"), value_parser = read::<String>("delimiter"))]
    delimiter: Option<String>,
    #[arg(long, value_name = "C", help = help("quote"), value_parser = read::<String>("quote"))]
    quote: Option<String>,
    #[arg(long, value_name = "N", help = help("skip_lines"), value_parser = read::<u64>("skip_lines"))]
    skip_lines: Option<u64>,
    /// The first line of CSV and TSV files is a row; the columns are called column_1, column_2, …
    #[arg(long)]
    no_header: bool,
    #[arg(long, value_name = "A,B,…", help = help("column_names"), value_parser = read::<String>("column_names"))]
    column_names: Option<String>,
    #[arg(long, value_name = "LABEL", help = help("encoding"), value_parser = read::<String>("encoding"))]
    encoding: Option<String>,
    /// Read all columns of CSV and TSV files as text, also numbers
    #[arg(long)]
    all_text: bool,
}

impl Reading {
    /// The options with values that are given, of those with these names in a session.
    pub(crate) fn given(&self, names: &[&str]) -> Vec<(&'static str, String)> {
        let skip_lines = self.skip_lines.map(|lines| lines.to_string());
        let given = [
            ("--delimiter", "delimiter", &self.delimiter),
            ("--quote", "quote", &self.quote),
            ("--skip-lines", "skip_lines", &skip_lines),
            ("--column-names", "column_names", &self.column_names),
            ("--encoding", "encoding", &self.encoding),
        ];
        let given = given.into_iter();
        given
            .filter(|(_, name, _)| names.contains(name))
            .filter_map(|(option, _, value)| Some((option, value.clone()?)))
            .collect()
    }

    /// The options without values that are given, of those with these names in a session.
    pub(crate) fn flags(&self, names: &[&str]) -> Vec<&'static str> {
        let flags = [
            ("--no-header", "header", self.no_header),
            ("--all-text", "all_text", self.all_text),
        ];
        let given = flags.into_iter();
        given
            .filter(|(_, name, is_given)| *is_given && names.contains(name))
            .map(|(option, _, _)| option)
            .collect()
    }

    /// Sets the options of a session.
    pub(crate) fn set(&self, context: &SessionContext) -> Result<()> {
        let given = [
            ("delimiter", self.delimiter.clone()),
            ("quote", self.quote.clone()),
            ("skip_lines", self.skip_lines.map(|lines| lines.to_string())),
            ("header", self.no_header.then(|| "false".to_owned())),
            ("column_names", self.column_names.clone()),
            ("encoding", self.encoding.clone()),
            ("all_text", self.all_text.then(|| "true".to_owned())),
        ];
        let state = context.state_ref();
        let mut state = state.write();
        let options = state.config_mut().options_mut();
        for (name, value) in given {
            if let Some(value) = value {
                options.set(&format!("neardup.{name}"), &value)?;
            }
        }
        Ok(())
    }
}
