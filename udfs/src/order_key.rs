//! `order_key(values, directions)`

use arrow::array::ArrayRef;
use arrow::compute::SortOptions;
use arrow::datatypes::DataType;
use datafusion_common::{Result, internal_err, plan_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use std::str::FromStr;

use crate::columns::{Arguments, Constants, Kind, Parameters, check_sortable};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a sort key, as bytes, that orders the fields of a struct from left to right, each in its direction, with NULL last. `keep_by` with several keys orders rows by it.",
    syntax_example = "order_key(values, directions)",
    sql_example = r#"```sql
> SELECT a, b FROM (VALUES (1, 'x'), (2, 'y'), (2, NULL), (2, 'x')) AS v(a, b) ORDER BY order_key(struct(a, b), 'desc,asc');
+---+---+
| a | b |
+---+---+
| 2 | x |
| 2 | y |
| 2 |   |
| 1 | x |
+---+---+
```"#,
    argument(
        name = "values",
        description = "A struct; NULL gives NULL, a struct of NULLs a key after all others."
    ),
    argument(
        name = "directions",
        description = "A constant: 'asc' or 'desc' for each field, with commas between them."
    ),
    related_udf(name = "number_order")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OrderKey;

/// The directions of the fields, `None` while they are not known.
#[derive(Debug, Clone)]
struct Directions(Option<Vec<SortOptions>>);

impl FromStr for Directions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let directions = text.split(',').map(|word| match word {
            "asc" | "desc" => Ok(SortOptions {
                descending: word == "desc",
                nulls_first: false,
            }),
            _ => Err(format!(
                "directions must be asc or desc for each field, with commas between them, found '{text}'"
            )),
        });
        Ok(Self(Some(directions.collect::<Result<_, _>>()?)))
    }
}

impl Function for OrderKey {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "order_key",
        all: &[("values", Kind::Struct), ("directions", Kind::Name)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        let function = Self::PARAMETERS.function;
        let fields = check_sortable(function, types[0])?;
        match constants.parsed(1, Directions(None))?.0 {
            Some(directions) if directions.len() != fields => plan_err!(
                "{function}: the struct has {fields} fields, but there are {} directions",
                directions.len()
            ),
            _ => Ok(DataType::Binary),
        }
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        match args.constants().parsed(1, Directions(None))?.0 {
            Some(directions) => args.sort_keys(0, &directions),
            None => internal_err!("order_key: there are no directions"),
        }
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::call;
    use arrow::array::{Array, AsArray, Float64Array, StringArray, StructArray};
    use arrow::compute::{SortColumn, lexsort_to_indices};
    use arrow::datatypes::Field;
    use datafusion_expr::ColumnarValue;
    use std::sync::Arc;

    fn text(text: &str) -> ColumnarValue {
        ColumnarValue::Scalar(text.into())
    }

    fn values() -> (ArrayRef, ArrayRef) {
        let numbers = [
            Some(2.5),
            None,
            Some(-0.0),
            Some(2.5),
            Some(-7.0),
            None,
            Some(0.0),
        ];
        let texts = [
            Some("b"),
            Some("a"),
            None,
            Some("ab"),
            Some(""),
            Some("ä"),
            Some("\0"),
        ];
        (
            Arc::new(Float64Array::from(numbers.to_vec())),
            Arc::new(StringArray::from(texts.to_vec())),
        )
    }

    fn rows() -> ColumnarValue {
        let (numbers, texts) = values();
        let field = |name: &str, array: &ArrayRef| {
            Arc::new(Field::new(name, array.data_type().clone(), true))
        };
        let fields = vec![
            (field("a", &numbers), Arc::clone(&numbers)),
            (field("b", &texts), Arc::clone(&texts)),
        ];
        ColumnarValue::Array(Arc::new(StructArray::from(fields)))
    }

    #[test]
    fn keys_are_in_the_order_of_the_fields() {
        for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
            let word = |descending| if descending { "desc" } else { "asc" };
            let directions = format!("{},{}", word(first), word(second));
            let ColumnarValue::Array(keys) =
                call(OrderKey, vec![rows(), text(&directions)]).expect("keys")
            else {
                panic!("a scalar");
            };
            let keys = keys.as_binary::<i32>();
            let mut found: Vec<u32> = (0..keys.len() as u32).collect();
            found.sort_by_key(|&row| keys.value(row as usize));
            let (numbers, texts) = values();
            let column = |values, descending| SortColumn {
                values,
                options: Some(SortOptions {
                    descending,
                    nulls_first: false,
                }),
            };
            let columns = [column(numbers, first), column(texts, second)];
            let expected = lexsort_to_indices(&columns, None).expect("indices");
            assert_eq!(found, expected.values().to_vec(), "{directions}");
        }
    }

    #[test]
    fn directions_are_checked() {
        for (directions, why) in [
            ("asc", "the struct has 2 fields, but there are 1 directions"),
            ("asc,up", "directions must be asc or desc"),
        ] {
            let error = call(OrderKey, vec![rows(), text(directions)]).expect_err(directions);
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
