//! `earlier_passages(passages, min_copies)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, UInt64Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use arrow::row::{RowConverter, SortField};
use datafusion_common::{Result, exec_err, internal_err, plan_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{AnchoredPassages, EarlierFinder};

use crate::columns::{
    Arguments, Constants, KeyLists, Kind, Parameters, StructLists, check_fields, integer_field,
};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the passages of a group that already occur earlier in it, in the order of rank and position, as runs of consecutive passages whose first occurrences are consecutive too: id and at, the text and the position of the first passage of the run; passages, their number; first_id and first_at, where the first passage occurs first; copies, the number of occurrences of the rarest passage, the first one included.",
    syntax_example = "earlier_passages(passages, min_copies)",
    sql_example = r#"```sql
> WITH grams AS (
    SELECT id, UNNEST(passage_grams(text, keys, 2)) AS gram
    FROM (VALUES (1, 'to be or not'), (2, 'or to be or')) AS texts (id, text)
    CROSS JOIN (SELECT key_filter(passage_anchors(line, 2)) AS keys FROM (VALUES ('to be or'), ('to be or')) AS lines (line))
  )
  SELECT run['id'] AS id, run['at'] AS at, run['passages'] AS passages, run['first_id'] AS first_id, run['first_at'] AS first_at
  FROM (
    SELECT UNNEST(earlier_passages(array_agg(named_struct('id', id, 'rank', id, 'at', gram['at'], 'keys', gram['keys'])), 2)) AS run
    FROM grams
    GROUP BY gram['anchor']
  )
  ORDER BY at;
+----+----+----------+----------+----------+
| id | at | passages | first_id | first_at |
+----+----+----------+----------+----------+
| 2  | 1  | 1        | 1        | 0        |
| 2  | 2  | 1        | 1        | 1        |
+----+----+----------+----------+----------+
```"#,
    argument(
        name = "passages",
        description = "The passages of all texts that have one anchor: a list of structs with id, rank (a value that is different for each text and can be sorted), the integer at, and keys, as `passage_grams` returns them. NULL gives NULL."
    ),
    argument(
        name = "min_copies",
        description = "The minimum number of occurrences of a passage: a constant from 2 to 4,294,967,295."
    ),
    related_udf(name = "passage_grams")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EarlierPassages;

impl Function for EarlierPassages {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "earlier_passages",
        all: &[("passages", Kind::Records), ("min_copies", Kind::Count)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        let function = Self::PARAMETERS.function;
        min_copies(constants)?;
        check_fields(function, types[0], &["at"], &[])?;
        let keys = field(types[0], "keys")?.data_type();
        if *keys != KeyLists::data_type() {
            return plan_err!(
                "{function}: the field keys must be {}, found {keys}",
                KeyLists::data_type()
            );
        }
        let rank = field(types[0], "rank")?.data_type();
        if !RowConverter::supports_fields(&[SortField::new(rank.clone())]) {
            return plan_err!("{function}: {rank} has no order");
        }
        let id = field(types[0], "id")?;
        Ok(StructLists::data_type(fields(id.data_type())))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let min_copies = min_copies(&args.constants())?;
        let records = args.records(0)?;
        let (ranks, positions) = (records.places("rank")?, records.integers("at")?);
        let (ids, keys) = (records.field("id")?, records.keys("keys")?);
        let mut finder = EarlierFinder::default();
        let (mut own, mut first) = (Vec::new(), Vec::new());
        let [mut at, mut passages, mut first_at, mut copies] = [const { Vec::<i64>::new() }; 4];
        let mut lists = StructLists::new(function, args.rows());
        let mut group = Vec::new();
        for row in 0..args.rows() {
            let range = records.get(row);
            if let Some(range) = range.clone() {
                if range
                    .clone()
                    .any(|at| ranks.is_null(at) || positions.is_null(at))
                {
                    return exec_err!("{function}: a rank or a position is NULL");
                }
                group.clear();
                group.extend(range.clone().map(|at| AnchoredPassages {
                    rank: ranks.value(at),
                    at: positions.value(at),
                    keys: keys.get(at),
                }));
                finder.for_each(&group, min_copies, |run| {
                    own.push((range.start + run.list) as u64);
                    first.push((range.start + run.first_list) as u64);
                    at.push(run.at);
                    passages.push(run.passages);
                    first_at.push(run.first_at);
                    copies.push(run.copies);
                });
            }
            lists.end_row(range.is_some(), own.len())?;
        }
        let integers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let ids_of = |places: Vec<u64>| take(ids, &UInt64Array::from(places), None);
        lists.finish(
            fields(ids.data_type()),
            vec![
                ids_of(own)?,
                integers(at),
                integers(passages),
                ids_of(first)?,
                integers(first_at),
                integers(copies),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn min_copies(constants: &Constants<'_>) -> Result<i64> {
    Ok(i64::from(constants.integer(1, 2..=u32::MAX, 2)?))
}

/// A field of the structs of a list.
fn field<'a>(data_type: &'a DataType, name: &str) -> Result<&'a FieldRef> {
    let function = EarlierPassages::PARAMETERS.function;
    let (DataType::List(list) | DataType::LargeList(list)) = data_type else {
        return internal_err!("{function}: {data_type} is not a list");
    };
    let DataType::Struct(fields) = list.data_type() else {
        return internal_err!("{function}: {data_type} is not a list of structs");
    };
    match fields.find(name) {
        Some((_, field)) => Ok(field),
        None => plan_err!("{function}: there is no field {name} in {data_type}"),
    }
}

fn fields(id: &DataType) -> Fields {
    let id = |name| Field::new(name, id.clone(), true);
    Fields::from(vec![
        id("id"),
        integer_field("at"),
        integer_field("passages"),
        id("first_id"),
        integer_field("first_at"),
        integer_field("copies"),
    ])
}
