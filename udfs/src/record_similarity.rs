//! `record_similarity(a, b, fields, missing, threshold, normalize)`

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{
    FieldComparison, FieldValue, Missing, WeightedField, WeightedFields, record_fields,
};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists};
use crate::function::Function;
use crate::record_fields::FieldReader;

/// Bytes of values of records that are kept for the next pairs of a batch.
const KEPT_BYTES: usize = 1 << 25;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the weighted similarity of two records and those of their fields, s1, s2 and so on, as a list of one struct, or the empty list if it is below the threshold. `field_join` verifies its candidates by it.",
    syntax_example = "record_similarity(a, b, fields, missing, threshold, normalize)",
    sql_example = r#"```sql
> SELECT found[1]['similarity'] AS similarity, found[1]['s1'] AS s1
  FROM (
    SELECT record_similarity(
      '8:the mill0:', '8:the barn4:here', '0.5 jaccard word:1, 0.5 containment word:1', 'rescale', 0.3, true) AS found
  );
+--------------------+--------------------+
| similarity         | s1                 |
+--------------------+--------------------+
| 0.3333333333333333 | 0.3333333333333333 |
+--------------------+--------------------+
```"#,
    argument(
        name = "a",
        description = "The fields of a record as one text, each after its length in bytes and a colon; NULL gives NULL."
    ),
    argument(name = "b", description = "The same."),
    argument(
        name = "fields",
        description = "The weight and the measure of each field, and its shingle if it is compared by sets of them: a literal."
    ),
    argument(
        name = "missing",
        description = "A constant. 'zero': the similarity of a field that a record lacks is 0; 'rescale': it is left out and NULL."
    ),
    argument(
        name = "threshold",
        description = "The minimum similarity: a constant greater than 0 and at most 1."
    ),
    argument(
        name = "normalize",
        description = "Whether fields are normalised first: a constant."
    ),
    related_udf(name = "record_sets")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RecordSimilarity;

impl Function for RecordSimilarity {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "record_similarity",
        all: &[
            ("a", Kind::Text),
            ("b", Kind::Text),
            ("fields", Kind::Name),
            ("missing", Kind::Name),
            ("threshold", Kind::Threshold),
            ("normalize", Kind::Flag),
        ],
        required: 6,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.require_literal(2)?;
        let fields = specification(constants)?;
        constants.parsed(3, Missing::Zero)?;
        constants.threshold(4)?;
        constants.flag(5, true)?;
        Ok(StructLists::data_type(columns(fields.fields().len())))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let constants = args.constants();
        let fields = specification(&constants)?;
        let missing = constants.parsed(3, Missing::Zero)?;
        let threshold = constants.threshold(4)?;
        let count = fields.fields().len();
        let (left, right) = (args.texts(0)?, args.texts(1)?);
        let mut records = Records::new(&fields, constants.flag(5, true)?);
        let mut found: Vec<Vec<Option<f64>>> = vec![Vec::new(); count + 1];
        let mut of_pair = Vec::with_capacity(count);
        let mut lists = StructLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let pair = left.get(row).zip(right.get(row));
            if let Some((a, b)) = pair {
                let [a, b] = records.values(a, b)?;
                let similarity = fields.similarity(missing, threshold, a, b, &mut of_pair);
                if let Some(similarity) = similarity {
                    let all = std::iter::once(&similarity).chain(&of_pair);
                    for (column, value) in found.iter_mut().zip(all) {
                        column.push(Some(*value).filter(|value| !value.is_nan()));
                    }
                }
            }
            lists.end_row(pair.is_some(), found[0].len())?;
        }
        let arrays = found
            .into_iter()
            .map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
        lists.finish(columns(count), arrays.collect())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The constant `fields`.
fn specification(constants: &Constants<'_>) -> Result<WeightedFields> {
    let one = WeightedFields::new(vec![WeightedField {
        weight: 1.0,
        comparison: FieldComparison::Edit,
    }]);
    let one = one.map_err(|error| exec_datafusion_err!("record_similarity: {error}"))?;
    constants.parsed(2, one)
}

/// The columns of the result: the similarity, and those of a number of fields.
fn columns(fields: usize) -> Fields {
    let names = (1..=fields).map(|number| format!("s{number}"));
    let names = std::iter::once("similarity".to_owned()).chain(names);
    names
        .map(|name| Field::new(name, DataType::Float64, true))
        .collect()
}

/// The values of the fields of the records of a batch. A record occurs in many pairs, and is read once for those that
/// follow one another.
struct Records<'a> {
    fields: &'a WeightedFields,
    reader: FieldReader,
    values: BTreeMap<&'a str, Vec<FieldValue>>,
    bytes: usize,
}

impl<'a> Records<'a> {
    fn new(fields: &'a WeightedFields, normalize: bool) -> Self {
        Self {
            fields,
            reader: FieldReader::new(normalize),
            values: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// The values of two records.
    fn values(&mut self, a: &'a str, b: &'a str) -> Result<[&[FieldValue]; 2]> {
        if self.bytes > KEPT_BYTES {
            self.values.clear();
            self.bytes = 0;
        }
        for record in [a, b] {
            if !self.values.contains_key(record) {
                let values = self.read(record)?;
                self.bytes += values.iter().map(FieldValue::size).sum::<usize>();
                self.values.insert(record, values);
            }
        }
        Ok([&self.values[a], &self.values[b]])
    }

    fn read(&mut self, record: &str) -> Result<Vec<FieldValue>> {
        let wrong =
            |error: &dyn std::fmt::Display| exec_datafusion_err!("record_similarity: {error}");
        let mut values = Vec::new();
        for (field, spec) in record_fields(record).zip(self.fields.fields()) {
            let field = field.map_err(|error| wrong(&error))?;
            values.push(match spec.comparison {
                FieldComparison::Sets(_, shingle) => {
                    let mut set = Vec::new();
                    self.reader.set_into(field, shingle, &mut set);
                    FieldValue::Set(set)
                }
                FieldComparison::Edit => FieldValue::text(self.reader.text(field)),
            });
        }
        match values.len() == self.fields.fields().len() {
            true => Ok(values),
            false => exec_err!(
                "record_similarity: a record has {} fields, but {} are compared",
                values.len(),
                self.fields.fields().len()
            ),
        }
    }
}
