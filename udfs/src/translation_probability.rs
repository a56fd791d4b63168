//! `translation_probability(source, target, least, greatest, total)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

/// The maximal sum of the probabilities of a target term: 1, with a tolerance for rounding in a file.
const MAX_TOTAL: f64 = 1.01;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Checks and returns p(source term | target term) of a translation table. It is an error that names the terms if the probability is outside [0, 1], a pair of terms has two different probabilities, or the probabilities of one target term sum to more than 1.01. The function `translate_terms` calls it.",
    syntax_example = "translation_probability(source, target, least, greatest, total)",
    sql_example = r#"```sql
> SELECT translation_probability('haus', 'house', 0.7, 0.7, 0.9) AS probability;
+-------------+
| probability |
+-------------+
| 0.7         |
+-------------+
```"#,
    argument(
        name = "source",
        description = "A term of the language to translate from."
    ),
    argument(
        name = "target",
        description = "A term of the language to translate to."
    ),
    argument(
        name = "least",
        description = "The smallest probability that the pair has; NULL gives NULL, here and in the others."
    ),
    argument(
        name = "greatest",
        description = "The greatest probability that the pair has."
    ),
    argument(
        name = "total",
        description = "The sum of the probabilities of the target term."
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TranslationProbability;

impl Function for TranslationProbability {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "translation_probability",
        all: &[
            ("source", Kind::Text),
            ("target", Kind::Text),
            ("least", Kind::Number),
            ("greatest", Kind::Number),
            ("total", Kind::Number),
        ],
        required: 5,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (sources, targets) = (args.texts(0)?, args.texts(1)?);
        let (least, greatest, totals) = (args.floats(2)?, args.floats(3)?, args.floats(4)?);
        let mut out = Float64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let terms = sources.get(row).zip(targets.get(row));
            let numbers = (least.get(row), greatest.get(row), totals.get(row));
            let (Some((source, target)), (Some(least), Some(greatest), Some(total))) =
                (terms, numbers)
            else {
                out.append_null();
                continue;
            };
            for probability in [least, greatest] {
                if !(0.0..=1.0).contains(&probability) {
                    return exec_err!(
                        "the probability of '{source}' given '{target}' must be between 0 and 1, found {probability}"
                    );
                }
            }
            if least != greatest {
                return exec_err!(
                    "the pair of '{source}' and '{target}' has two probabilities, {least} and {greatest}"
                );
            }
            if total > MAX_TOTAL {
                return exec_err!(
                    "the probabilities of source terms given '{target}' must sum to 1 at most, found {total:.3}; the columns source and target may be mixed up"
                );
            }
            out.append_value(greatest);
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call, call_scalar, plan_error, scalar};

    fn arguments(numbers: [f64; 3]) -> Vec<datafusion_expr::ColumnarValue> {
        let mut arguments = vec![scalar("haus"), scalar("house")];
        arguments.extend(numbers.map(scalar));
        arguments
    }

    #[test]
    fn right_ones_pass() {
        for probability in [0.0, 0.25, 1.0] {
            let result = call_scalar(
                TranslationProbability,
                arguments([probability, probability, 1.009]),
            );
            assert_eq!(result, ScalarValue::Float64(Some(probability)));
        }
        let mut with_null = arguments([0.5; 3]);
        with_null[3] = scalar(ScalarValue::Null);
        assert!(call_scalar(TranslationProbability, with_null).is_null());
    }

    #[test]
    fn wrong_ones_are_named() {
        let error = |numbers| {
            call(TranslationProbability, arguments(numbers))
                .expect_err("a wrong probability")
                .strip_backtrace()
        };
        let range = "Execution error: the probability of 'haus' given 'house' must be between 0 and 1, found";
        assert_eq!(error([1.5; 3]), format!("{range} 1.5"));
        assert_eq!(error([-0.5, 0.5, 0.5]), format!("{range} -0.5"));
        assert_eq!(error([0.5, f64::NAN, 0.5]), format!("{range} NaN"));
        assert_eq!(
            error([0.25, 0.5, 0.5]),
            "Execution error: the pair of 'haus' and 'house' has two probabilities, 0.25 and 0.5"
        );
        assert_eq!(
            error([0.5, 0.5, 1.02]),
            "Execution error: the probabilities of source terms given 'house' must sum to 1 at most, found 1.020; the columns source and target may be mixed up"
        );
        assert_eq!(
            plan_error(TranslationProbability, &[scalar("a")]),
            "Error during planning: translation_probability takes 5 arguments (source, target, least, greatest, total), found 1"
        );
    }
}
