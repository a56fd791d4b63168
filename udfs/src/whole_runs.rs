//! `whole_runs(text, runs[, cut[, language]])`

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::{DataType, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{WholeRun, lines_of, whole_runs};
use neardup_wikitext::sentences::{Splitter, split};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::passage_anchors::check_cut;
use crate::spans::Spans;
use crate::word_runs::runs_of_texts;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Narrows runs of words to whole sentences of a text: those of which all words are in runs. Returns for each run first_word and end_word (after the last one), counted as in `runs`; first_of_all and end_of_all, counted among all words of the text; and start_char and end_char, which include the marks around the words of a whole sentence. All fields are NULL for a run without a word of such a sentence. A line break ends a sentence, too. Of a sentence that several runs cover together, each of them has a part.",
    syntax_example = "whole_runs(text, runs[, cut[, language]])",
    sql_example = r#"```sql
> SELECT run['first_word'] AS first_word, run['end_word'] AS end_word, run['start_char'] AS start_char, run['end_char'] AS end_char
  FROM (SELECT UNNEST(whole_runs('It rained. We went in! All was well.', [named_struct('first_word', 1, 'end_word', 6)])) AS run);
+------------+----------+------------+----------+
| first_word | end_word | start_char | end_char |
+------------+----------+------------+----------+
| 2          | 5        | 11         | 22       |
+------------+----------+------------+----------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "runs",
        description = "A list of structs with the integer fields first_word and end_word. A row without a list has no runs."
    ),
    argument(
        name = "cut",
        description = "Words that count neither in runs nor in sentences: a list of structs with the integer fields first_word and end_word. A row without a list has none."
    ),
    argument(
        name = "language",
        description = "The language code by which the text is split into sentences, a constant or a column; English if it is left out or NULL. A constant that is no language code, such as 'english', is an error."
    ),
    related_udf(name = "word_runs"),
    related_udf(name = "split_sentences")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WholeRuns;

impl Function for WholeRuns {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "whole_runs",
        all: &[
            ("text", Kind::Text),
            ("runs", Kind::Records),
            ("cut", Kind::Records),
            ("language", Kind::Language),
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
        let languages = args.optional_texts(3)?;
        let (lists, found) = runs_of_texts(function, args, |row, text, runs, cut| {
            let language = languages.as_ref().and_then(|languages| languages.get(row));
            let sentences: Vec<Range<usize>> = split(text, language, Splitter::Default)
                .flat_map(|(start, end)| lines_of(text, start..end))
                .collect();
            whole_runs(text, runs, cut, &sentences)
        })?;
        let column = |value: fn(&WholeRun) -> usize| {
            let values = found
                .iter()
                .map(|run| run.as_ref().map(|run| value(run) as i64));
            Arc::new(values.collect::<Int64Array>()) as ArrayRef
        };
        lists.finish(
            fields(),
            vec![
                column(|run| run.left.start),
                column(|run| run.left.end),
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
    let names = [first, end, "first_of_all", "end_of_all", start, stop];
    Fields::from(names.map(integer_field).to_vec())
}
