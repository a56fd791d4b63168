//! `earlier_is_kept(later, earlier) OVER (ORDER BY later, earlier)`

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion_common::{Result, ScalarValue, exec_err, internal_err};
use datafusion_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion_expr::{Documentation, PartitionEvaluator, Signature, Volatility, WindowUDFImpl};
use datafusion_macros::user_doc;

use crate::columns::NUMBERS_END;

const NAME: &str = "earlier_is_kept";

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Decides which rows are kept, over similar pairs of numbers in keep order: in that order, a number that is paired with an earlier one that is kept is removed, every other one is kept (as by `representatives`). The result for a pair is whether its earlier number is kept. The pairs are read in ascending order of `later`, so that one bit for each number is held in memory.",
    syntax_example = "earlier_is_kept(later, earlier) OVER (ORDER BY later, earlier)",
    sql_example = r#"```sql
> SELECT later, earlier, earlier_is_kept(later, earlier) OVER (ORDER BY later, earlier) AS kept
  FROM (VALUES (1, 0), (2, 1), (3, 2)) AS pairs (later, earlier);
+-------+---------+-------+
| later | earlier | kept  |
+-------+---------+-------+
| 1     | 0       | true  |
| 2     | 1       | false |
| 3     | 2       | true  |
+-------+---------+-------+
```"#,
    argument(
        name = "later",
        description = "The later number of the pair in keep order, up to 2147483646."
    ),
    argument(
        name = "earlier",
        description = "The earlier number of the pair: from 0, less than later."
    ),
    related_udf(name = "representatives")
)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct EarlierIsKept {
    signature: Signature,
}

impl Default for EarlierIsKept {
    fn default() -> Self {
        let numbers = vec![DataType::Int64, DataType::Int64];
        Self {
            signature: Signature::exact(numbers, Volatility::Immutable),
        }
    }
}

impl WindowUDFImpl for EarlierIsKept {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn field(&self, args: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(args.name(), DataType::Boolean, false)))
    }

    fn partition_evaluator(
        &self,
        _: PartitionEvaluatorArgs<'_>,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::new(Removed::default()))
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The numbers that are removed.
#[derive(Debug, Default)]
struct Removed {
    /// A bit for each number.
    bits: Vec<u64>,
    /// The later number of the row before.
    last: i64,
}

impl Removed {
    fn contains(&self, number: usize) -> bool {
        let word = self.bits.get(number / 64).copied().unwrap_or_default();
        word >> (number % 64) & 1 == 1
    }

    fn insert(&mut self, number: usize) {
        let at = number / 64;
        if self.bits.len() <= at {
            self.bits.resize(at + 1, 0);
        }
        self.bits[at] |= 1 << (number % 64);
    }
}

impl PartitionEvaluator for Removed {
    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        let [later, earlier] = values else {
            return internal_err!("{NAME} has two arguments, found {}", values.len());
        };
        let [later, earlier] = [later, earlier].map(|column| column.as_primitive::<Int64Type>());
        let row = range.start;
        if later.is_null(row) || earlier.is_null(row) {
            return exec_err!("{NAME}: a number is NULL");
        }
        let (later, earlier) = (later.value(row), earlier.value(row));
        if !(0 <= earlier && earlier < later && later < NUMBERS_END) {
            return exec_err!(
                "{NAME}: numbers must be from 0 to {}, the earlier one less than the later one; found {later} and {earlier}",
                NUMBERS_END - 1
            );
        }
        if later < self.last {
            return exec_err!(
                "{NAME}: pairs must be in ascending order of their later number, found {later} after {}",
                self.last
            );
        }
        self.last = later;
        let is_kept = !self.contains(earlier as usize);
        if is_kept {
            self.insert(later as usize);
        }
        Ok(ScalarValue::Boolean(Some(is_kept)))
    }

    /// The result for a row depends on the rows before it only.
    fn is_causal(&self) -> bool {
        true
    }

    fn supports_bounded_execution(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::Int64Array;
    use neardup_kernels::SplitMix64;
    use neardup_kernels::representatives::{Edge, representatives};

    use super::*;

    fn columns(pairs: &[(i64, i64)]) -> Vec<ArrayRef> {
        let later: ArrayRef = Arc::new(Int64Array::from_iter_values(pairs.iter().map(|p| p.0)));
        let earlier: ArrayRef = Arc::new(Int64Array::from_iter_values(pairs.iter().map(|p| p.1)));
        vec![later, earlier]
    }

    fn run(pairs: &[(i64, i64)]) -> Result<Vec<bool>> {
        let columns = columns(pairs);
        let mut removed = Removed::default();
        (0..pairs.len())
            .map(|row| Ok(removed.evaluate(&columns, &(row..row + 1))? == true.into()))
            .collect()
    }

    #[test]
    fn decides_as_representatives_do() {
        let mut random = SplitMix64::new(7);
        for round in 0..100 {
            let numbers = 2 + round;
            let mut pairs: Vec<(i64, i64)> = (0..2 * round)
                .map(|_| (random.below(numbers) as i64, random.below(numbers) as i64))
                .filter(|(later, earlier)| later > earlier)
                .collect();
            pairs.sort_unstable();
            let edges: Vec<Edge> = pairs
                .iter()
                .map(|&(later, earlier)| Edge {
                    a: later as u32,
                    b: earlier as u32,
                    similarity: 0.5,
                })
                .collect();
            let found = representatives(numbers as u32, &edges);
            let expected: Vec<bool> = pairs
                .iter()
                .map(|&(_, earlier)| found[earlier as usize].node == earlier as u32)
                .collect();
            assert_eq!(run(&pairs).expect("valid pairs"), expected);
        }
    }

    #[test]
    fn errors_name_the_numbers() {
        let error = |pairs: &[(i64, i64)]| run(pairs).expect_err("an error").strip_backtrace();
        for (later, earlier) in [(1, 1), (1, 2), (1, -1), (NUMBERS_END, 0)] {
            assert_eq!(
                error(&[(later, earlier)]),
                format!(
                    "Execution error: earlier_is_kept: numbers must be from 0 to 2147483646, the earlier one less than the later one; found {later} and {earlier}"
                )
            );
        }
        assert_eq!(
            error(&[(3, 1), (2, 1)]),
            "Execution error: earlier_is_kept: pairs must be in ascending order of their later number, found 2 after 3"
        );
    }
}
