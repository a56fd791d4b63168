//! Random rows, and rows as tables.

use super::random::Random;
use super::texts;
use datafusion::arrow::array::{
    ArrayRef, FixedSizeBinaryBuilder, Int64Array, ListArray, RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float32Type};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use std::fmt;
use std::sync::Arc;

/// The id of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    Number(i128),
    Text(String),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A row of `id, text, page, place, vector, signature`. Values of `place` are distinct.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: Option<Id>,
    pub text: Option<String>,
    pub page: Option<i64>,
    pub place: i64,
    pub vector: Option<Vec<f32>>,
    pub signature: Option<[u8; 4]>,
}

/// Rows and their layout in memory.
#[derive(Debug, Clone)]
pub struct Table {
    pub rows: Vec<Row>,
    pub id_type: DataType,
    pub text_type: DataType,
    /// Rows of a batch.
    pub batch: usize,
    /// Number of partitions over which the batches are distributed.
    pub partitions: usize,
}

/// Parameters of random rows.
struct Shape {
    numbers: bool,
    /// Numbers stay below it, from its negative or 0.
    range: (i128, i128),
    dimensions: usize,
    template: String,
}

const NUMBERS: &[(DataType, i128, i128)] = &[
    (DataType::Int64, i64::MIN as i128, i64::MAX as i128),
    (DataType::Int64, 0, 200),
    (DataType::Int64, 0, (1 << 43) - 1),
    (DataType::Int32, i32::MIN as i128, i32::MAX as i128),
    (DataType::Int16, i16::MIN as i128, i16::MAX as i128),
    (DataType::UInt32, 0, u32::MAX as i128),
    (DataType::UInt64, 0, u64::MAX as i128),
];

const TEXTS: &[DataType] = &[DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View];

impl Table {
    /// Random rows, at most `max_rows`. With `sentences`, ids are in the range from which sentence ids can be made.
    pub fn random(random: &mut Random, max_rows: usize, sentences: bool) -> Self {
        let numbers = sentences || random.percent(75);
        let (mut id_type, min_id, max_id) = random.pick(NUMBERS).clone();
        let mut range = (min_id, max_id);
        if sentences {
            (id_type, range) = (DataType::Int64, (0, 4_000));
        }
        if !numbers {
            id_type = random.pick(TEXTS).clone();
        }
        let slot = [
            "the bridge # was built by the king of the north",
            "# x # y",
            "a b c d e f g # h i j k l m n o p",
        ];
        let shape = Shape {
            numbers,
            range,
            dimensions: random.between(1, 6),
            template: (*random.pick(&slot)).to_owned(),
        };
        let count = match random.below(20) {
            0 => random.below(2),
            1..12 => random.between(2, max_rows.min(14)),
            _ => random.between(2, max_rows),
        };
        let mut table = Self {
            rows: vec![],
            id_type,
            text_type: random.pick(TEXTS).clone(),
            batch: *random.pick(&[1, 3, 10, 1000]),
            partitions: random.between(1, 4),
        };
        for _ in 0..count {
            table.push(random, &shape);
        }
        if random.percent(3) && table.rows.len() > 1 {
            // One id with two texts.
            let (from, to) = (
                random.below(table.rows.len()),
                random.below(table.rows.len()),
            );
            table.rows[to].id = table.rows[from].id.clone();
        }
        table
    }

    fn push(&mut self, random: &mut Random, shape: &Shape) {
        let place = self.rows.len() as i64;
        if random.percent(4) && !self.rows.is_empty() {
            // A repeated row.
            let row = random.pick(&self.rows).clone();
            self.rows.push(Row { place, ..row });
            return;
        }
        let mut id = None;
        while id.is_none() || self.rows.iter().any(|row| row.id == id) {
            id = Some(fresh_id(random, shape));
        }
        let before: Vec<Option<String>> = self.rows.iter().map(|row| row.text.clone()).collect();
        self.rows.push(Row {
            id: id.filter(|_| !random.percent(3)),
            text: texts::text(random, &before, &shape.template),
            page: Some(random.below(4) as i64).filter(|_| !random.percent(10)),
            place,
            vector: vector(random, shape, &self.rows),
            signature: signature(random, &self.rows),
        });
    }

    /// Copies some of the rows into another table, whose ids get the same type.
    pub fn share(&self, random: &mut Random, other: &mut Self) {
        if self.id_type.is_integer() != other.id_type.is_integer() {
            *other = Self {
                rows: vec![],
                id_type: self.id_type.clone(),
                ..other.clone()
            };
        }
        let range = NUMBERS
            .iter()
            .find(|(data_type, ..)| *data_type == other.id_type);
        let fits = |id: &Id| match (id, range) {
            (Id::Number(number), Some((_, min_id, max_id))) => (min_id..=max_id).contains(&number),
            _ => true,
        };
        let dimensions = self
            .rows
            .iter()
            .find_map(|row| row.vector.as_ref().map(Vec::len));
        for row in &mut other.rows {
            // All vectors have the same length.
            row.vector = row
                .vector
                .take()
                .filter(|vector| dimensions.is_none_or(|length| vector.len() == length));
        }
        for row in &self.rows {
            let known = other.rows.iter().any(|other| other.id == row.id);
            if random.percent(40) && !known && row.id.as_ref().is_none_or(fits) {
                other.rows.push(Row {
                    place: other.rows.len() as i64,
                    ..row.clone()
                });
            }
        }
    }

    /// Registers the rows as a table of several partitions and batches.
    pub fn register(&self, context: &SessionContext, name: &str) -> Result<()> {
        let whole = self.batch_of(&self.rows)?;
        let mut partitions = vec![vec![]; self.partitions];
        let mut at = 0;
        while at < whole.num_rows() {
            let rows = self.batch.min(whole.num_rows() - at);
            partitions[at / self.batch % self.partitions].push(whole.slice(at, rows));
            at += rows;
        }
        let table = MemTable::try_new(whole.schema(), partitions)?;
        context.register_table(name, Arc::new(table))?;
        Ok(())
    }

    /// The rows as one batch.
    pub fn batch_of(&self, rows: &[Row]) -> Result<RecordBatch> {
        let ids: StringArray = rows
            .iter()
            .map(|row| row.id.as_ref().map(Id::to_string))
            .collect();
        let texts: StringArray = rows.iter().map(|row| row.text.clone()).collect();
        let pages: Int64Array = rows.iter().map(|row| row.page).collect();
        let places: Int64Array = rows.iter().map(|row| Some(row.place)).collect();
        let vectors = rows.iter().map(|row| {
            row.vector
                .as_ref()
                .map(|vector| vector.iter().copied().map(Some))
        });
        let vectors = ListArray::from_iter_primitive::<Float32Type, _, _>(vectors);
        let mut signatures = FixedSizeBinaryBuilder::new(4);
        for row in rows {
            match row.signature {
                Some(signature) => signatures.append_value(signature)?,
                None => signatures.append_null(),
            }
        }
        Ok(RecordBatch::try_from_iter_with_nullable([
            ("id", cast(&ids, &self.id_type)?, true),
            ("text", cast(&texts, &self.text_type)?, true),
            ("page", Arc::new(pages) as ArrayRef, true),
            ("place", Arc::new(places) as ArrayRef, true),
            ("vector", Arc::new(vectors) as ArrayRef, true),
            ("signature", Arc::new(signatures.finish()) as ArrayRef, true),
        ])?)
    }

    /// A statement that creates the rows.
    pub fn statement(&self, name: &str) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                let id = match &row.id {
                    None => "NULL".to_owned(),
                    Some(Id::Number(number)) => format!("'{number}'"),
                    Some(Id::Text(text)) => quoted(text),
                };
                let text = row.text.as_deref().map_or("NULL".to_owned(), quoted);
                let page = row.page.map_or("NULL".to_owned(), |page| page.to_string());
                let vector = row
                    .vector
                    .as_ref()
                    .map_or("NULL".to_owned(), |vector| format!("{vector:?}"));
                let signature = row.signature.map_or("NULL".to_owned(), |bytes| {
                    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    format!("X'{hex}'")
                });
                format!(
                    "({id}, {text}, {page}, {}, {vector}, {signature})",
                    row.place
                )
            })
            .collect();
        if rows.is_empty() {
            return format!("-- {name} has no rows");
        }
        format!(
            "CREATE TABLE {name} AS SELECT arrow_cast(id, '{}') AS id, arrow_cast(text, '{}') AS text, page, place,
              arrow_cast(vector, 'List(Float32)') AS vector, arrow_cast(signature, 'FixedSizeBinary(4)') AS signature
            FROM (VALUES\n  {}\n) AS v (id, text, page, place, vector, signature);",
            self.id_type, self.text_type, rows.join(",\n  ")
        )
    }
}

/// A text as an expression of SQL.
pub fn quoted(text: &str) -> String {
    let plain = text.chars().all(|c| !c.is_control());
    let text = text.replace('\'', "''");
    match plain {
        true => format!("'{text}'"),
        false => {
            let mut parts: Vec<String> = vec![];
            for c in text.chars() {
                match (
                    c.is_control(),
                    parts.last_mut().filter(|part| part.starts_with('\'')),
                ) {
                    (true, _) => parts.push(format!("chr({})", u32::from(c))),
                    (false, Some(part)) => part.insert(part.len() - 1, c),
                    (false, None) => parts.push(format!("'{c}'")),
                }
            }
            format!("concat({})", parts.join(", "))
        }
    }
}

fn fresh_id(random: &mut Random, shape: &Shape) -> Id {
    let (min_id, max_id) = shape.range;
    if shape.numbers {
        return Id::Number(match random.below(12) {
            0 => min_id,
            1 => max_id,
            2..9 => (min_id.max(-300) + random.below(600) as i128).clamp(min_id, max_id),
            _ => min_id + i128::from(random.number()) % (max_id - min_id + 1),
        });
    }
    Id::Text(match random.below(12) {
        0 => String::new(),
        1 => "é".to_owned(),
        2 => "e\u{301}".to_owned(),
        3 => format!("../{}", random.below(100)),
        4 => format!("a b\t{}", random.below(100)),
        5..8 => random.below(1000).to_string(),
        _ => format!("d{:03}", random.below(1000)),
    })
}

/// A vector, often close to, equal to or a multiple of an earlier one.
fn vector(random: &mut Random, shape: &Shape, rows: &[Row]) -> Option<Vec<f32>> {
    let earlier = (!rows.is_empty())
        .then(|| random.pick(rows).vector.clone())
        .flatten();
    let coordinate = |random: &mut Random| random.below(17) as f32 / 4.0 - 2.0;
    match (random.below(20), earlier) {
        (0, _) => None,
        (1, _) => Some(vec![0.0; shape.dimensions]),
        (2..6, Some(vector)) => Some(vector),
        (6..8, Some(vector)) => Some(vector.iter().map(|x| x * 4.0).collect()),
        (8..13, Some(mut vector)) => {
            let at = random.below(vector.len());
            vector[at] = coordinate(random);
            Some(vector)
        }
        _ => Some((0..shape.dimensions).map(|_| coordinate(random)).collect()),
    }
}

/// A signature, often at a small distance from an earlier one.
fn signature(random: &mut Random, rows: &[Row]) -> Option<[u8; 4]> {
    let earlier = (!rows.is_empty())
        .then(|| random.pick(rows).signature)
        .flatten();
    match (random.below(20), earlier) {
        (0, _) => None,
        (1..14, Some(mut signature)) => {
            for _ in 0..random.below(5) {
                signature[random.below(4)] ^= 1 << random.below(8);
            }
            Some(signature)
        }
        _ => Some((random.number() as u32).to_le_bytes()),
    }
}
