//! The columns of stored rows.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int8Array, ListArray, ListBuilder, RecordBatch,
    StringViewArray, UInt32Array, UInt64Array, UInt64Builder,
};
use datafusion::arrow::compute::{cast, filter_record_batch, take_record_batch};
use datafusion::arrow::datatypes::{
    DataType, Field, Int8Type, Schema, SchemaRef, UInt32Type, UInt64Type,
};
use datafusion::common::{Result, exec_err, internal_err};
use neardup_kernels::pairs::{KeyPart, Role, SetRow};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The schema of stored rows: id, keys, length, text, in a join of two relations side, and in one of several parts home.
pub(super) fn schema(id: &DataType, two_sides: bool, parts: u32) -> SchemaRef {
    let item = Field::new_list_field(DataType::UInt64, true);
    let mut fields = vec![
        Field::new("id", id.clone(), false),
        Field::new("keys", DataType::List(Arc::new(item)), false),
        Field::new("length", DataType::UInt64, false),
        Field::new("text", DataType::Utf8View, false),
    ];
    if two_sides {
        fields.push(Field::new("side", DataType::Int8, false));
    }
    if parts > 1 {
        fields.push(Field::new("home", DataType::UInt32, false));
    }
    Arc::new(Schema::new(fields))
}

/// Rows in the schema for storing. Rows without an id, keys or text are left out.
pub(super) fn stored(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let mut columns = Vec::with_capacity(schema.fields().len());
    let mut all = true;
    let mut is_complete = vec![true; batch.num_rows()];
    for field in schema.fields() {
        let Some(column) = batch.column_by_name(field.name()) else {
            return internal_err!("similar_pairs: no column '{}'", field.name());
        };
        let column = cast(column, field.data_type())?;
        if column.null_count() > 0 {
            all = false;
            for (row, complete) in is_complete.iter_mut().enumerate() {
                *complete &= column.is_valid(row);
            }
        }
        columns.push(column);
    }
    if all {
        return Ok(RecordBatch::try_new(Arc::clone(schema), columns)?);
    }
    let fields = schema.fields().iter();
    let fields: Vec<Field> = fields
        .map(|field| field.as_ref().clone().with_nullable(true))
        .collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
    let batch = filter_record_batch(&batch, &BooleanArray::from(is_complete))?;
    Ok(RecordBatch::try_new(
        Arc::clone(schema),
        batch.columns().to_vec(),
    )?)
}

/// The rows of a batch, by the part that they belong to.
pub(super) fn by_part(batch: RecordBatch, parts: u32) -> Result<Vec<(u32, RecordBatch)>> {
    if parts <= 1 {
        return Ok(vec![(0, batch)]);
    }
    let Some(column) = batch.column_by_name("part") else {
        return internal_err!("similar_pairs: no column 'part'");
    };
    let column = cast(column, &DataType::UInt32)?;
    let column = column.as_primitive::<UInt32Type>();
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, part) in column.iter().enumerate() {
        if let Some(part) = part {
            if part >= parts {
                return exec_err!("similar_pairs: part {part} is not one of {parts} parts");
            }
            rows.entry(part).or_default().push(row as u32);
        }
    }
    let rows = rows.into_iter();
    rows.map(|(part, rows)| Ok((part, take_record_batch(&batch, &UInt32Array::from(rows))?)))
        .collect()
}

/// The columns of a batch of stored rows of a part.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    pub(super) ids: ArrayRef,
    keys: ListArray,
    key_values: UInt64Array,
    pub(super) lengths: UInt64Array,
    texts: StringViewArray,
    sides: Option<Int8Array>,
    homes: Option<UInt32Array>,
    part: u32,
}

impl Columns {
    pub(super) fn of(batch: &RecordBatch, part: Option<KeyPart>) -> Result<Self> {
        let [ids, keys, lengths, texts, ..] = batch.columns() else {
            return internal_err!("similar_pairs: {} stored columns", batch.num_columns());
        };
        let keys = keys.as_list::<i32>();
        Ok(Self {
            ids: Arc::clone(ids),
            keys: keys.clone(),
            key_values: keys.values().as_primitive::<UInt64Type>().clone(),
            lengths: lengths.as_primitive::<UInt64Type>().clone(),
            texts: texts.as_string_view().clone(),
            sides: (batch.column_by_name("side"))
                .map(|sides| sides.as_primitive::<Int8Type>().clone()),
            homes: (batch.column_by_name("home"))
                .map(|homes| homes.as_primitive::<UInt32Type>().clone()),
            part: part.map_or(0, |part| part.part),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn keys(&self, row: usize) -> &[u64] {
        let offsets = self.keys.value_offsets();
        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
        &self.key_values.values()[start..end]
    }

    /// The batch of these columns with fewer keys.
    pub(super) fn retain_keys(
        &self,
        batch: &RecordBatch,
        is_kept: impl Fn(u64) -> bool,
    ) -> Result<RecordBatch> {
        let mut keys = ListBuilder::new(UInt64Builder::new());
        for row in 0..self.len() {
            let of_row = self.keys(row).iter().copied();
            keys.append_value(of_row.filter(|&key| is_kept(key)).map(Some));
        }
        let mut keys = keys.finish();
        keys.shrink_to_fit();
        let mut columns = batch.columns().to_vec();
        columns[1] = Arc::new(keys);
        Ok(RecordBatch::try_new(batch.schema(), columns)?)
    }

    pub(super) fn text(&self, row: usize) -> &str {
        self.texts.value(row)
    }

    pub(super) fn side(&self, row: usize) -> u8 {
        let sides = self.sides.as_ref();
        sides.map_or(0, |sides| u8::from(sides.value(row) != 0))
    }

    /// What a row is to the part.
    pub(super) fn role(&self, row: usize) -> Role {
        let home = (self.homes.as_ref()).map_or(self.part, |homes| homes.value(row));
        match home.cmp(&self.part) {
            Ordering::Less => Role::Earlier,
            Ordering::Equal => Role::Home,
            Ordering::Greater => Role::Later,
        }
    }

    /// A row with these keys, whose set is empty.
    pub(super) fn with_keys<'a>(&self, row: usize, keys: &'a [u64]) -> SetRow<'a> {
        SetRow {
            keys,
            set: &[],
            side: self.side(row),
            role: self.role(row),
        }
    }

    /// The number of keys and the bytes of the text of a row.
    pub(super) fn sizes(&self, row: usize) -> (usize, usize) {
        (self.keys(row).len(), self.text(row).len())
    }
}
