//! `word_runs(text, runs[, cut])`

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::{DataType, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{WordRun, word_runs};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::passage_anchors::{check_cut, cut};
use crate::spans::Spans;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the positions of runs of words in a text: first_word and end_word (after the last one), counted among all of its words, and start_char and end_char. Words are the UAX #29 words that hold a letter or a digit, counted from 0.",
    syntax_example = "word_runs(text, runs[, cut])",
    sql_example = r#"```sql
> SELECT run['start_char'] AS start_char, run['end_char'] AS end_char
  FROM (SELECT UNNEST(word_runs('See the (old) map.', [named_struct('first_word', 1, 'end_word', 3)])) AS run);
+------------+----------+
| start_char | end_char |
+------------+----------+
| 4          | 12       |
+------------+----------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "runs",
        description = "A list of structs with the integer fields first_word and end_word. A row without a list has no runs."
    ),
    argument(
        name = "cut",
        description = "Words that do not count in runs: a list of structs with the integer fields first_word and end_word."
    ),
    related_udf(name = "passage_grams"),
    related_udf(name = "cut_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WordRuns;

impl Function for WordRuns {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "word_runs",
        all: &[
            ("text", Kind::Text),
            ("runs", Kind::Records),
            ("cut", Kind::Records),
        ],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        Spans::check(Self::PARAMETERS.function, types[1], Spans::WORDS)?;
        check_cut(Self::PARAMETERS.function, types, 2)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let (lists, found) = runs_of_texts(function, args, |_, text, runs, cut| {
            word_runs(text, runs, cut)
        })?;
        let column = |value: fn(&WordRun) -> usize| {
            let values = found.iter().map(|run| value(run) as i64);
            Arc::new(Int64Array::from_iter_values(values)) as ArrayRef
        };
        lists.finish(
            fields(),
            vec![
                column(|run| run.words.start),
                column(|run| run.words.end),
                column(|run| run.chars.start),
                column(|run| run.chars.end),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    let [first, end] = Spans::WORDS;
    let [start, stop] = Spans::CHARS;
    Fields::from([first, end, start, stop].map(integer_field).to_vec())
}

/// Reads the arguments that `word_runs` and `whole_runs` have in common: texts, and the runs and the cut of each.
/// Returns what `find` gives for the row, the text, the runs and the cut, for all rows, and its lists.
pub(crate) fn runs_of_texts<T>(
    function: &'static str,
    args: &Arguments,
    mut find: impl FnMut(usize, &str, &[Range<usize>], &[Range<usize>]) -> Vec<T>,
) -> Result<(StructLists, Vec<T>)> {
    let texts = args.texts(0)?;
    let runs = Spans::new(function, args, 1, Spans::WORDS)?;
    let cut = cut(function, args, 2)?;
    let (mut runs_of_row, mut cut_of_row) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    let mut lists = StructLists::new(function, args.rows());
    for row in 0..args.rows() {
        let text = texts.get(row);
        if let Some(text) = text {
            runs.row(row, &mut runs_of_row)?;
            if let Some(cut) = &cut {
                cut.row(row, &mut cut_of_row)?;
            }
            found.extend(find(row, text, &runs_of_row, &cut_of_row));
        }
        lists.end_row(text.is_some(), found.len())?;
    }
    Ok((lists, found))
}
