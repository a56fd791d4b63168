//! `run_keys(sentences, min_length, max_gap)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field};
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{MAX_GAP, RunKeys as Keys};
use xxhash_rust::xxh3::xxh3_64;

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters, check_fields};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a list of keys for each sentence of a document. Sentences of two documents that belong to a common run of similar sentences share a key: each key is the hash of a window of classes and of the position of the sentence in it. A sentence whose neighbours are similar nowhere else shares no key, however often it occurs in the collection.",
    syntax_example = "run_keys(sentences, min_length, max_gap)",
    sql_example = r#"```sql
> SELECT run_keys([named_struct('position', 0, 'class', 'a'), named_struct('position', 1, 'class', 'b')], 2, 0) AS keys;
+-------------------------------------------------+
| keys                                            |
+-------------------------------------------------+
| [[11441142697622924735], [4817646053074487066]] |
+-------------------------------------------------+
```"#,
    argument(
        name = "sentences",
        description = "A list of structs with the fields position, an integer, and class, a text; sorted by position, each position once. Similar sentences must be of the same class. NULL gives NULL."
    ),
    argument(
        name = "min_length",
        description = "The minimum number of sentences of a run, a constant of at least 1."
    ),
    argument(
        name = "max_gap",
        description = "The number of sentences that may be between two sentences of a run: a constant from 0 to 20, as in `partial_duplicates`."
    ),
    related_udf(name = "run_chains")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunKeys;

impl Function for RunKeys {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "run_keys",
        all: &[
            ("sentences", Kind::Records),
            ("min_length", Kind::Count),
            ("max_gap", Kind::Count),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        keys(constants)?;
        check_fields(
            Self::PARAMETERS.function,
            types[0],
            &["position"],
            &["class"],
        )?;
        Ok(DataType::new_list(HashLists::data_type(), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let spec = keys(&args.constants())?;
        let sentences = args.records(0)?;
        let (positions, texts) = (sentences.integers("position")?, sentences.texts("class")?);
        let (mut classes, mut keys) = (Vec::new(), Vec::new());
        let mut lists = HashLists::new(function, args.rows());
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let range = sentences.get(row);
            valid.push(range.is_some());
            let range = range.unwrap_or_default();
            lengths.push(range.len());
            classes.clear();
            for at in range.clone() {
                match (positions.is_valid(at), texts.get(at)) {
                    (true, Some(class)) => classes.push(xxh3_64(class.as_bytes())),
                    _ => return exec_err!("{function}: a position or a class is NULL"),
                }
            }
            let positions = &positions.values()[range];
            if !positions.is_sorted_by(|a, b| a < b) {
                return exec_err!("{function}: the positions must be ascending");
            }
            keys.clear();
            spec.keys_into(positions, &classes, &mut keys);
            let mut rest = keys.as_slice();
            for at in 0..positions.len() {
                let of_sentence = rest.partition_point(|&(sentence, _)| sentence == at);
                let (own, others) = rest.split_at(of_sentence);
                lists.push(|list| list.extend(own.iter().map(|&(_, key)| key)))?;
                rest = others;
            }
        }
        let field = Field::new_list_field(HashLists::data_type(), true);
        Ok(Arc::new(ListArray::try_new(
            field.into(),
            OffsetBuffer::from_lengths(lengths),
            lists.finish(),
            Some(NullBuffer::from(valid)),
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn keys(constants: &Constants<'_>) -> Result<Keys> {
    let min_length = constants.integer(1, 1..=u32::MAX, 1)?;
    let max_gap = constants.integer(2, 0..=MAX_GAP, 0)?;
    Ok(Keys::new(min_length, max_gap))
}
