//! `record_similarity(a, b, fields, missing, threshold, normalize)`

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, ListArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Missing, SetMeasure, Shingle, WeightedField, WeightedFields, record_fields};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use crate::record_sets::FieldShingler;

/// Hashes of records that are kept for the next pairs of a batch.
const KEPT_HASHES: usize = 1 << 22;

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
        description = "The weight, the measure and the shingle of each field: a literal."
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
        description = "Whether fields are normalised before: a constant."
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
        Ok(DataType::new_list(
            DataType::Struct(columns(fields.fields().len())),
            true,
        ))
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
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let pair = left.get(row).zip(right.get(row));
            valid.push(pair.is_some());
            let mut is_found = false;
            if let Some((a, b)) = pair {
                let [a, b] = records.sets(a, b)?;
                of_pair.clear();
                let similarity = fields.similarity(missing, a, b, &mut of_pair);
                is_found = similarity >= threshold;
                if is_found {
                    let all = std::iter::once(&similarity).chain(&of_pair);
                    for (column, value) in found.iter_mut().zip(all) {
                        column.push(Some(*value).filter(|value| !value.is_nan()));
                    }
                }
            }
            lengths.push(usize::from(is_found));
        }
        let arrays = found
            .into_iter()
            .map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
        let columns = columns(count);
        let values = StructArray::try_new(columns.clone(), arrays.collect(), None)?;
        Ok(Arc::new(ListArray::try_new(
            Field::new_list_field(DataType::Struct(columns), true).into(),
            OffsetBuffer::from_lengths(lengths),
            Arc::new(values),
            Some(NullBuffer::from(valid)),
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The constant `fields`.
fn specification(constants: &Constants<'_>) -> Result<WeightedFields> {
    let one = WeightedFields::new(vec![WeightedField {
        weight: 1.0,
        measure: SetMeasure::Jaccard,
        shingle: Shingle::Word(1),
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

/// The sets of the records of a batch. A record stands in many pairs, and is shingled once for those that follow one
/// another.
struct Records<'a> {
    fields: &'a WeightedFields,
    shingler: FieldShingler,
    sets: BTreeMap<&'a str, Vec<Vec<u64>>>,
    hashes: usize,
}

impl<'a> Records<'a> {
    fn new(fields: &'a WeightedFields, normalize: bool) -> Self {
        Self {
            fields,
            shingler: FieldShingler::new(normalize),
            sets: BTreeMap::new(),
            hashes: 0,
        }
    }

    /// The sets of two records.
    fn sets(&mut self, a: &'a str, b: &'a str) -> Result<[&[Vec<u64>]; 2]> {
        if self.hashes > KEPT_HASHES {
            self.sets.clear();
            self.hashes = 0;
        }
        for record in [a, b] {
            if !self.sets.contains_key(record) {
                let sets = self.shingled(record)?;
                self.hashes += sets.iter().map(Vec::len).sum::<usize>();
                self.sets.insert(record, sets);
            }
        }
        Ok([&self.sets[a], &self.sets[b]])
    }

    fn shingled(&mut self, record: &str) -> Result<Vec<Vec<u64>>> {
        let wrong =
            |error: &dyn std::fmt::Display| exec_datafusion_err!("record_similarity: {error}");
        let mut sets = Vec::new();
        for (field, spec) in record_fields(record).zip(self.fields.fields()) {
            let field = field.map_err(|error| wrong(&error))?;
            let mut set = Vec::new();
            self.shingler.set_into(field, spec.shingle, &mut set);
            sets.push(set);
        }
        match sets.len() == self.fields.fields().len() {
            true => Ok(sets),
            false => exec_err!(
                "record_similarity: a record has {} fields, but {} are compared",
                sets.len(),
                self.fields.fields().len()
            ),
        }
    }
}
