//! `word_runs(text, runs[, cut])`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{WordRun, word_runs};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::contained_items::{list, number};
use crate::function::Function;
use crate::passage_anchors::{check_cut, cut};
use crate::spans::Spans;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns where some runs of words stand in a text: first_word and end_word (after the last one), among all of its words, and start_char and end_char. Words are the UAX #29 words that hold a letter or a digit, counted from 0.",
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
        Ok(DataType::new_list(DataType::Struct(fields()), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let texts = args.texts(0)?;
        let runs = Spans::new(function, args, 1, Spans::WORDS)?;
        let cut = cut(function, args, 2)?;
        let (mut of_row, mut cut_of_row) = (Vec::new(), Vec::new());
        let mut out: Vec<WordRun> = Vec::new();
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let before = out.len();
            let text = texts.get(row);
            valid.push(text.is_some());
            if let Some(text) = text {
                runs.row(row, &mut of_row)?;
                if let Some(cut) = &cut {
                    cut.row(row, &mut cut_of_row)?;
                }
                out.extend(word_runs(text, &of_row, &cut_of_row));
            }
            lengths.push(out.len() - before);
        }
        let column = |value: fn(&WordRun) -> usize| {
            let values = out.iter().map(|run| value(run) as i64);
            Arc::new(Int64Array::from_iter_values(values)) as ArrayRef
        };
        list(
            fields(),
            [
                column(|run| run.words.start),
                column(|run| run.words.end),
                column(|run| run.chars.start),
                column(|run| run.chars.end),
            ],
            lengths.into_iter(),
            Some(NullBuffer::from(valid)),
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    let [first, end] = Spans::WORDS;
    let [start, stop] = Spans::CHARS;
    Fields::from([first, end, start, stop].map(number).to_vec())
}
