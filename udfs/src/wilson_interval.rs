//! `wilson_interval(successes, trials)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder, NullBufferBuilder, StructArray};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::wilson_interval;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the 95 % confidence interval of a share, such as a recall, that was measured on a sample: low and high, both from 0 to 1 (Wilson 1927). It holds for trials that do not depend on each other. NULL without trials, and if successes is not between 0 and trials.",
    syntax_example = "wilson_interval(successes, trials)",
    sql_example = r#"```sql
> SELECT round(i['low'], 3) AS low, round(i['high'], 3) AS high FROM (SELECT wilson_interval(99, 100) AS i);
+-------+-------+
| low   | high  |
+-------+-------+
| 0.946 | 0.998 |
+-------+-------+
```"#,
    argument(
        name = "successes",
        description = "The number of trials with the wanted outcome, such as the true pairs that were found; NULL gives NULL."
    ),
    argument(
        name = "trials",
        description = "The number of trials, such as all true pairs; NULL gives NULL."
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WilsonInterval;

impl Function for WilsonInterval {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "wilson_interval",
        all: &[("successes", Kind::Number), ("trials", Kind::Number)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Struct(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (successes, trials) = (args.floats(0)?, args.floats(1)?);
        let mut low = Float64Builder::with_capacity(args.rows());
        let mut high = Float64Builder::with_capacity(args.rows());
        let mut nulls = NullBufferBuilder::new(args.rows());
        for row in 0..args.rows() {
            let counts = successes.get(row).zip(trials.get(row));
            let interval =
                counts.and_then(|(successes, trials)| wilson_interval(successes, trials));
            low.append_option(interval.map(|ends| ends.0));
            high.append_option(interval.map(|ends| ends.1));
            nulls.append(interval.is_some());
        }
        let columns: Vec<ArrayRef> = vec![Arc::new(low.finish()), Arc::new(high.finish())];
        let nulls = nulls.finish();
        Ok(Arc::new(StructArray::try_new(fields(), columns, nulls)?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    let end = |name| Field::new(name, DataType::Float64, true);
    Fields::from(vec![end("low"), end("high")])
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, Int64Array};
    use arrow::datatypes::Float64Type;

    use super::*;
    use crate::calls::{call_array, column};

    #[test]
    fn ends_and_what_has_none() {
        let successes = Int64Array::from(vec![Some(0), Some(4), Some(5), None, Some(0)]);
        let trials = Int64Array::from(vec![Some(4), Some(4), Some(4), Some(4), Some(0)]);
        let result = call_array(WilsonInterval, vec![column(successes), column(trials)]);
        let result = result.as_struct();
        let valid: Vec<bool> = (0..5).map(|row| result.is_valid(row)).collect();
        assert_eq!(valid, [true, true, false, false, false]);
        let end =
            |of: usize, row: usize| result.column(of).as_primitive::<Float64Type>().value(row);
        assert_eq!((end(0, 0), end(1, 1)), (0.0, 1.0));
        assert!((end(1, 0) - 0.489_890).abs() < 1e-6 && (end(0, 1) - 0.510_110).abs() < 1e-6);
    }
}
