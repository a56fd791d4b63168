//! `run_chains(runs, max_gap)`

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{MAX_GAP, Run, chains_into};

use crate::columns::{Arguments, Constants, Kind, Parameters, PartLists, check_fields};
use crate::function::Function;

const FIELDS: [&str; 4] = ["first_a", "last_a", "first_b", "last_b"];

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a list with the number of the chain of each run of two documents. Runs that continue each other with a gap of at most max_gap are of one chain. A run continues another one if it begins after its end in both documents, with i sentences between them in one and j in the other, where the smaller of i and j is at most max_gap, and so is their difference.",
    syntax_example = "run_chains(runs, max_gap)",
    sql_example = r#"```sql
> SELECT run_chains([
    named_struct('first_a', 0, 'last_a', 3, 'first_b', 7, 'last_b', 10),
    named_struct('first_a', 5, 'last_a', 8, 'first_b', 13, 'last_b', 16)], 1) AS chains;
+--------+
| chains |
+--------+
| [0, 0] |
+--------+
```"#,
    argument(
        name = "runs",
        description = "A list of structs with the integer fields first_a, last_a, first_b and last_b. NULL gives NULL."
    ),
    argument(name = "max_gap", description = "A constant from 0 to 20."),
    related_udf(name = "run_keys")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunChains;

impl Function for RunChains {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "run_chains",
        all: &[("runs", Kind::Records), ("max_gap", Kind::Count)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        max_gap(constants)?;
        check_fields(Self::PARAMETERS.function, types[0], &FIELDS, &[])?;
        Ok(PartLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let max_gap = max_gap(&args.constants())?;
        let records = args.records(0)?;
        let fields = [
            records.integers(FIELDS[0])?,
            records.integers(FIELDS[1])?,
            records.integers(FIELDS[2])?,
            records.integers(FIELDS[3])?,
        ];
        let mut runs = Vec::new();
        let mut out = PartLists::new(function, args.rows());
        for row in 0..args.rows() {
            let Some(range) = records.get(row) else {
                out.push_null()?;
                continue;
            };
            runs.clear();
            for at in range {
                if fields.iter().any(|field| field.is_null(at)) {
                    return exec_err!("{function}: a position is NULL");
                }
                let [first_a, last_a, first_b, last_b] =
                    [0, 1, 2, 3].map(|field: usize| fields[field].value(at));
                runs.push(Run {
                    first_a,
                    last_a,
                    first_b,
                    last_b,
                });
            }
            out.push(|chains| chains_into(&runs, max_gap, chains))?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn max_gap(constants: &Constants<'_>) -> Result<u32> {
    constants.integer(1, 0..=MAX_GAP, 0)
}
