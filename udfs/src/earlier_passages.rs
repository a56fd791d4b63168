//! `earlier_passages(passages, min_copies)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, UInt64Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use arrow::row::{RowConverter, SortField};
use datafusion_common::{Result, exec_err, plan_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{AnchoredPassages, EarlierFinder, Place};

use crate::columns::{
    Arguments, Constants, Kind, Parameters, StructLists, check_fields, integer_field,
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
  ),
  placed AS (
    SELECT gram['anchor'] AS anchor, gram['keys'] AS keys, array_agg(named_struct('id', id, 'rank', id, 'at', gram['at'])) AS places
    FROM grams
    GROUP BY gram['anchor'], gram['keys']
  )
  SELECT run['id'] AS id, run['at'] AS at, run['passages'] AS passages, run['first_id'] AS first_id, run['first_at'] AS first_at
  FROM (
    SELECT UNNEST(earlier_passages(array_agg(named_struct('keys', keys, 'places', places)), 2)) AS run
    FROM placed
    GROUP BY anchor
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
        description = "The passages of all texts that have one anchor: a list of structs with keys, as `passage_grams` returns them, and places, where they occur: a list of structs with id, rank (a value that is different for each text and can be sorted) and the integer at. NULL gives NULL."
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
        let keys = field(types[0], "keys")?.data_type();
        if !keys.is_binary() {
            return plan_err!("{function}: the field keys must be bytes, found {keys}");
        }
        let places = field(types[0], "places")?.data_type();
        let rank = field(places, "rank")?.data_type();
        check_fields(function, places, &["at"], &[])?;
        if !RowConverter::supports_fields(&[SortField::new(rank.clone())]) {
            return plan_err!("{function}: {rank} has no order");
        }
        let id = field(places, "id")?;
        Ok(StructLists::data_type(fields(id.data_type())))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let min_copies = min_copies(&args.constants())?;
        let records = args.records(0)?;
        let (keys, lists) = (records.bytes("keys")?, records.records("places")?);
        let (ranks, positions) = (lists.places("rank")?, lists.integers("at")?);
        let ids = lists.field("id")?;
        if ranks.null_count() > 0 || positions.null_count() > 0 {
            return exec_err!("{function}: a rank or a position is NULL");
        }
        let places = ranks.values().iter().zip(positions.values());
        let places: Vec<Place> = places.map(|(&rank, &at)| Place { rank, at }).collect();
        let mut finder = EarlierFinder::default();
        let (mut own, mut first) = (Vec::new(), Vec::new());
        let [mut at, mut passages, mut first_at, mut copies] = [const { Vec::<i64>::new() }; 4];
        let mut out = StructLists::new(function, args.rows());
        let mut group = Vec::new();
        // Where each place of the group is among those of all rows.
        let mut numbers = Vec::new();
        for row in 0..args.rows() {
            let range = records.get(row);
            if let Some(range) = range.clone() {
                group.clear();
                numbers.clear();
                for record in range {
                    let places_of = lists.get(record).unwrap_or_default();
                    let (keys, rest) = keys.get(record).unwrap_or_default().as_chunks();
                    if !rest.is_empty() {
                        return exec_err!("{function}: keys have 16 bytes each");
                    }
                    numbers.extend(places_of.clone().map(|place| place as u64));
                    group.push(AnchoredPassages {
                        keys,
                        places: &places[places_of],
                    });
                }
                finder.for_each(&group, min_copies, |run| {
                    own.push(numbers[run.place]);
                    first.push(numbers[run.first_place]);
                    at.push(run.at);
                    passages.push(run.passages);
                    first_at.push(run.first_at);
                    copies.push(run.copies);
                });
            }
            out.end_row(range.is_some(), own.len())?;
        }
        let integers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let ids_of = |places: Vec<u64>| take(ids, &UInt64Array::from(places), None);
        out.finish(
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
        return plan_err!("{function}: {data_type} is not a list of structs");
    };
    let DataType::Struct(fields) = list.data_type() else {
        return plan_err!("{function}: {data_type} is not a list of structs");
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
