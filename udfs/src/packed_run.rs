//! `packed_run(units, key, first_text, last_text, min_passage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::pack_run;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a run of `shared_runs` as bytes, for `run_collection`: its key, the numbers of two texts that hold it, and of each unit 48 bits of its XXH3-64 hash, or the three bytes of its code point if it is a character. NULL in an argument gives NULL.",
    syntax_example = "packed_run(units, key, first_text, last_text, min_passage)",
    sql_example = r#"```sql
> SELECT octet_length(encode(packed_run('the old mill', decode('00112233445566778899aabbccddeeff', 'hex'), 1, 2, 'word:2'), 'hex')) / 2 AS bytes;
+-------+
| bytes |
+-------+
| 58    |
+-------+
```"#,
    argument(name = "units", description = "The units of the run."),
    argument(name = "key", description = "Its key of 16 bytes."),
    argument(
        name = "first_text",
        description = "The smallest number of a text that holds it."
    ),
    argument(
        name = "last_text",
        description = "The largest number of a text that holds it; equal to first_text if there is only one."
    ),
    argument(
        name = "min_passage",
        description = "A constant, as in `gram_anchors`."
    ),
    related_udf(name = "shared_runs"),
    related_udf(name = "run_collection")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PackedRun;

impl Function for PackedRun {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "packed_run",
        all: &[
            ("units", Kind::Text),
            ("key", Kind::Bits),
            ("first_text", Kind::Integer),
            ("last_text", Kind::Integer),
            ("min_passage", Kind::Shingle),
        ],
        required: 5,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(4)?;
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shingle = args.constants().shingle(4)?;
        let (runs, keys) = (args.texts(0)?, args.bytes(1)?);
        let [first, last] = [args.integers(2)?, args.integers(3)?];
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        let mut packed = Vec::new();
        for row in 0..args.rows() {
            let texts = first.get(row).zip(last.get(row));
            let Some((run, (key, (first, last)))) = runs.get(row).zip(keys.get(row).zip(texts))
            else {
                out.append_null();
                continue;
            };
            let key = key.try_into().map_err(|_| {
                let function = Self::PARAMETERS.function;
                exec_datafusion_err!("{function}: key must have 16 bytes, found {}", key.len())
            })?;
            packed.clear();
            let texts = [first, last].map(i64::cast_unsigned);
            pack_run(run, key, texts, shingle, &mut packed);
            out.try_append_value(&packed)?;
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
