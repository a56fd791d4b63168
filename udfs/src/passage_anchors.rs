//! `passage_anchors(text, words[, normalize[, cut[, changed]]])`

use std::ops::RangeInclusive;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{GramSpec, Grams};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::spans::Spans;

/// The allowed numbers of words of a passage.
pub(crate) const WORDS: RangeInclusive<usize> = 1..=1_000;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the anchors of the passages of a text, which are its runs of `words` words. The anchor of a passage is the hash of some of its words, selected by winnowing, so that equal passages have the same anchor. An anchor that occurs once in a collection belongs to passages that occur once.",
    syntax_example = "passage_anchors(text, words[, normalize[, cut[, changed]]])",
    sql_example = r#"```sql
> SELECT cardinality(anchors) AS anchors, cardinality(array_distinct(anchors)) AS distinct_anchors
  FROM (SELECT passage_anchors('to be or not to be', 2) AS anchors);
+---------+------------------+
| anchors | distinct_anchors |
+---------+------------------+
| 5       | 4                |
+---------+------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "words",
        description = "The number of words of a passage: a constant from 1 to 1000."
    ),
    argument(
        name = "normalize",
        description = "Whether words are compared in their normal form, as `normalize_text` gives it: a constant, true by default."
    ),
    argument(
        name = "cut",
        description = "Words that are left out: a list of structs with the integer fields first_word and end_word. A row without a list has all of its words."
    ),
    argument(
        name = "changed",
        description = "Words, also those that are left out, in the form of `cut`. Of a row with such a list, only the anchors of those passages are returned that hold one of the words, or between two of whose words one is left out, each of them twice."
    ),
    related_udf(name = "key_filter"),
    related_udf(name = "passage_grams")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PassageAnchors;

impl Function for PassageAnchors {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "passage_anchors",
        all: &[
            ("text", Kind::Text),
            ("words", Kind::Count),
            ("normalize", Kind::Flag),
            ("cut", Kind::Records),
            ("changed", Kind::Records),
        ],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        gram_spec(constants, 1)?;
        check_cut(Self::PARAMETERS.function, types, 3)?;
        check_cut(Self::PARAMETERS.function, types, 4)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let spec = gram_spec(&args.constants(), 1)?;
        let texts = args.texts(0)?;
        let function = Self::PARAMETERS.function;
        let changed = cut(function, args, 4)?;
        let cut = cut(function, args, 3)?;
        let mut grams = Grams::default();
        let (mut of_row, mut changed_of_row) = (Vec::new(), Vec::new());
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let Some(text) = texts.get(row) else {
                out.push_null()?;
                continue;
            };
            if let Some(cut) = &cut {
                cut.row(row, &mut of_row)?;
            }
            grams.read(text, &of_row, spec);
            let changed = match &changed {
                Some(changed) if changed.has(row) => {
                    changed.row(row, &mut changed_of_row)?;
                    Some(changed_of_row.as_slice())
                }
                _ => None,
            };
            out.push(|anchors| grams.anchors_into(changed, anchors))?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The constants `words` and `normalize`, which follow one another.
pub(crate) fn gram_spec(constants: &Constants<'_>, index: usize) -> Result<GramSpec> {
    Ok(GramSpec {
        words: constants.integer(index, WORDS, *WORDS.start())?,
        normalize: constants.flag(index + 1, true)?,
    })
}

/// Checks the type of the words that are left out.
pub(crate) fn check_cut(function: &str, types: &[&DataType], index: usize) -> Result<()> {
    match types.get(index) {
        Some(data_type) => Spans::check(function, data_type, Spans::WORDS),
        None => Ok(()),
    }
}

/// The words that are left out, if they are given.
pub(crate) fn cut(function: &'static str, args: &Arguments, index: usize) -> Result<Option<Spans>> {
    match args.has(index) {
        true => Ok(Some(Spans::new(function, args, index, Spans::WORDS)?)),
        false => Ok(None),
    }
}
