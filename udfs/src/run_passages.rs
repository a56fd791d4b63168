//! `run_passages(collection, part, parts, min_passage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, Int64Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{CHARACTER_BYTES, HASH_BYTES, RunCollection, RunPassage, Shingle, WrongRuns};

use crate::columns::{
    Arguments, Constants, Kind, Parameters, StructLists, check_bytes, integer_field,
};
use crate::function::Function;
use crate::run_collection::RUNS;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the passages that the runs of a collection have in common with runs of other texts, and that cannot be extended in both: key, of the run; at, the number of the first unit in it, from 0; length, the number of units; and not_in, the number of the only text that has the others, in which this is no passage, or NULL if several have them. Words are compared by 48 bits of their XXH3-64 hashes, characters by their code points.",
    syntax_example = "run_passages(collection, part, parts, min_passage)",
    sql_example = r#"```sql
> SELECT passage['at'] AS at, passage['length'] AS length
  FROM (
    SELECT UNNEST(run_passages(run_collection(packed_run(units, decode(key, 'hex'), text, text, 'word:3')), 0, 1, 'word:3')) AS passage
    FROM (VALUES
      ('on the old mill', '00112233445566778899aabbccddeeff', 1),
      ('the old mill burned', 'ff112233445566778899aabbccddeeff', 2)
    ) AS runs (units, key, text)
  )
  ORDER BY at;
+----+--------+
| at | length |
+----+--------+
| 0  | 3      |
| 1  | 3      |
+----+--------+
```"#,
    argument(
        name = "collection",
        description = "The result of `run_collection`; NULL gives NULL."
    ),
    argument(
        name = "part",
        description = "Which part of the work is done, from 0: each passage is in one part. NULL gives NULL."
    ),
    argument(
        name = "parts",
        description = "The number of parts: a constant from 1 to 65536. In one part about an equal share of the n-grams is sorted."
    ),
    argument(
        name = "min_passage",
        description = "A constant: the unit and the minimum length of a passage, as in `gram_anchors`."
    ),
    related_udf(name = "run_collection"),
    related_udf(name = "passage_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunPassages;

impl Function for RunPassages {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "run_passages",
        all: &[
            ("collection", Kind::Records),
            ("part", Kind::Integer),
            ("parts", Kind::Count),
            ("min_passage", Kind::Shingle),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        check_bytes(Self::PARAMETERS.function, types[0], RUNS)?;
        parts(constants)?;
        constants.shingle(3)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let constants = args.constants();
        let (parts, shortest) = (parts(&constants)?, constants.shingle(3)?);
        let (collections, of_rows) = (args.records(0)?, args.integers(1)?);
        let pieces = collections.bytes(RUNS)?;
        let mut keys = BinaryBuilder::new();
        let [mut at, mut lengths] = [const { Vec::<i64>::new() }; 2];
        let mut not_in: Vec<Option<i64>> = Vec::new();
        let mut lists = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let both = collections.get(row).zip(of_rows.get(row));
            if let Some((range, part)) = both.clone() {
                let pieces = range.filter_map(|piece| pieces.get(piece));
                let part = u64::try_from(part).ok().filter(|&number| number < parts);
                let Some(part) = part else {
                    return exec_err!(
                        "{function}: part must be between 0 and {}, found {}",
                        parts - 1,
                        of_rows.get(row).unwrap_or_default()
                    );
                };
                let visit = |passage: RunPassage| {
                    keys.append_value(passage.key);
                    at.push(passage.first as i64);
                    lengths.push(passage.length as i64);
                    not_in.push(passage.not_in.map(u64::cast_signed));
                };
                let length = shortest.window();
                match shortest {
                    Shingle::Char(_) => {
                        of_part::<CHARACTER_BYTES>(pieces, length, part, parts, visit)
                    }
                    _ => of_part::<HASH_BYTES>(pieces, length, part, parts, visit),
                }
                .map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
            }
            lists.end_row(both.is_some(), at.len())?;
        }
        lists.finish(
            fields(),
            vec![
                Arc::new(keys.finish()),
                Arc::new(Int64Array::from(at)),
                Arc::new(Int64Array::from(lengths)),
                Arc::new(Int64Array::from(not_in)),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// Calls `visit` with the passages of a part of a collection.
fn of_part<'a, const UNIT: usize>(
    pieces: impl Iterator<Item = &'a [u8]>,
    length: usize,
    part: u64,
    parts: u64,
    visit: impl FnMut(RunPassage),
) -> Result<(), WrongRuns> {
    let collection = RunCollection::<UNIT>::new(pieces)?;
    collection.for_each_passage(length, part, parts, visit);
    Ok(())
}

fn parts(constants: &Constants<'_>) -> Result<u64> {
    constants.integer(2, 1..=65_536, 1)
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("key", DataType::Binary, true),
        integer_field("at"),
        integer_field("length"),
        integer_field("not_in"),
    ])
}
