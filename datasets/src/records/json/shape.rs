//! Infers the kinds of values under each key of all objects.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, plan_err};

/// Maximum number of keys of all objects under one key; with more, the keys are assumed to be data, not columns.
const MAX_FIELDS: usize = 10_000;

/// Kinds of values; a key may hold several.
pub(in crate::records) mod kind {
    pub(in crate::records) const BOOLEAN: u16 = 1;
    /// Fits 64 bits with a sign.
    pub(in crate::records) const INTEGER: u16 = 2;
    /// Fits 64 bits without a sign only.
    pub(in crate::records) const UNSIGNED: u16 = 4;
    /// An integer of more than 64 bits, or a fraction that no double holds.
    pub(in crate::records) const BIG: u16 = 8;
    pub(in crate::records) const FLOAT: u16 = 16;
    pub(in crate::records) const TEXT: u16 = 32;
    pub(in crate::records) const LIST: u16 = 64;
    pub(in crate::records) const OBJECT: u16 = 128;
    pub(in crate::records) const NEGATIVE: u16 = 256;
    /// An integer that a double does not hold.
    pub(in crate::records) const WIDE: u16 = 512;
}

const SCALAR: u16 =
    kind::BOOLEAN | kind::INTEGER | kind::UNSIGNED | kind::BIG | kind::FLOAT | kind::TEXT;

/// The file and row in which a value occurs.
#[derive(Debug, Clone)]
pub(in crate::records) struct Position {
    pub(in crate::records) file: Arc<str>,
    pub(in crate::records) row: u64,
    pub(in crate::records) line: u64,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: row {} (line {})", self.file, self.row, self.line)
    }
}

/// The index of a node in a [`Shape`].
pub(in crate::records) type NodeId = usize;

/// All values under one key, with the shape of what is nested in them.
#[derive(Debug, Default, Clone)]
struct Node {
    kinds: u16,
    /// Where a scalar, a list and an object occurred first.
    first: [Option<Position>; 3],
    fields: Vec<(String, NodeId)>,
    indices: HashMap<String, usize>,
    item: Option<NodeId>,
}

/// The shape of all objects of a file; node 0 is that of the rows.
#[derive(Debug, Clone)]
pub(in crate::records) struct Shape {
    nodes: Vec<Node>,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
        }
    }
}

/// The rows themselves.
pub(in crate::records) const ROWS: NodeId = 0;

fn class(kinds: u16) -> usize {
    match kinds {
        kinds if kinds & kind::LIST != 0 => 1,
        kinds if kinds & kind::OBJECT != 0 => 2,
        _ => 0,
    }
}

impl Shape {
    /// Records a value.
    pub(in crate::records) fn see(
        &mut self,
        node: NodeId,
        kinds: u16,
        position: impl FnOnce() -> Position,
    ) {
        let node = &mut self.nodes[node];
        node.kinds |= kinds;
        let first = &mut node.first[class(kinds)];
        if first.is_none() {
            *first = Some(position());
        }
    }

    /// The node of the items of a list.
    pub(in crate::records) fn item(&mut self, list: NodeId) -> NodeId {
        if let Some(item) = self.nodes[list].item {
            return item;
        }
        let item = self.add();
        self.nodes[list].item = Some(item);
        item
    }

    /// The node under a key of an object. `expected` is the index that the key has if its object lists the keys in the
    /// same order as others; returns the actual index.
    pub(in crate::records) fn field(
        &mut self,
        object: NodeId,
        key: &str,
        expected: usize,
    ) -> Option<(NodeId, usize)> {
        let node = &self.nodes[object];
        if let Some((known, field)) = node.fields.get(expected)
            && known == key
        {
            return Some((*field, expected));
        }
        if let Some(index) = node.indices.get(key) {
            return Some((node.fields[*index].1, *index));
        }
        if node.fields.len() == MAX_FIELDS {
            return None;
        }
        let field = self.add();
        let node = &mut self.nodes[object];
        let index = node.fields.len();
        node.indices.insert(key.to_owned(), index);
        node.fields.push((key.to_owned(), field));
        Some((field, index))
    }

    fn add(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// Adds the values of the next file.
    pub(in crate::records) fn merge(&mut self, other: &Self) -> Result<()> {
        let mut pending = vec![(ROWS, ROWS)];
        while let Some((mine, theirs)) = pending.pop() {
            let node = &other.nodes[theirs];
            self.nodes[mine].kinds |= node.kinds;
            for (first, position) in self.nodes[mine].first.iter_mut().zip(&node.first) {
                if first.is_none() {
                    first.clone_from(position);
                }
            }
            if let Some(item) = node.item {
                pending.push((self.item(mine), item));
            }
            for (position, (key, field)) in node.fields.iter().enumerate() {
                match self.field(mine, key, position) {
                    Some((known, _)) => pending.push((known, *field)),
                    None => return too_many(&node.first[2]),
                }
            }
        }
        Ok(())
    }

    /// Whether a row has a value under this key, which may be null.
    pub(in crate::records) fn has(&self, key: &str) -> bool {
        self.nodes[ROWS].indices.contains_key(key)
    }

    /// The columns of the rows.
    pub(in crate::records) fn fields(&self) -> Result<Fields> {
        self.fields_of(ROWS, "")
    }

    fn fields_of(&self, object: NodeId, path: &str) -> Result<Fields> {
        let fields = self.nodes[object].fields.iter().map(|(key, field)| {
            let path = match path {
                "" => key.clone(),
                path => format!("{path}.{key}"),
            };
            Ok(Field::new(key, self.data_type(*field, &path)?, true))
        });
        fields.collect()
    }

    /// Depth of nodes is bounded by the scanner.
    fn data_type(&self, node: NodeId, path: &str) -> Result<DataType> {
        let Node {
            kinds, first, item, ..
        } = &self.nodes[node];
        let classes = [kinds & SCALAR, kinds & kind::LIST, kinds & kind::OBJECT];
        if classes.iter().filter(|kinds| **kinds != 0).count() > 1 {
            let mut held = ["a single value", "a list", "an object"]
                .into_iter()
                .zip(first)
                .filter_map(|(what, position)| Some((what, position.as_ref()?)));
            if let (Some((one, here)), Some((other, there))) = (held.next(), held.next()) {
                return plan_err!(
                    "{here}: '{path}' holds {one}, but in {there} it holds {other}; a column holds one kind"
                );
            }
        }
        if kinds & kind::LIST != 0 {
            let item = match item {
                Some(item) => self.data_type(*item, path)?,
                None => DataType::Utf8,
            };
            return Ok(DataType::new_list(item, true));
        }
        if kinds & kind::OBJECT != 0 {
            let fields = self.fields_of(node, path)?;
            return Ok(match fields.is_empty() {
                false => DataType::Struct(fields),
                // Parquet has no objects without keys; an empty map is one.
                true => empty_map(),
            });
        }
        Ok(scalar(*kinds))
    }
}

pub(in crate::records) fn too_many<T>(position: &Option<Position>) -> Result<T> {
    let position = position
        .as_ref()
        .map_or_else(String::new, |position| format!("{position}: "));
    plan_err!(
        "{position}more than {MAX_FIELDS} different keys in objects of one kind; keys that are data belong into lists of (key, value)"
    )
}

fn empty_map() -> DataType {
    let entries = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, true),
    ]);
    let entries = Field::new("entries", DataType::Struct(entries), false);
    DataType::Map(Arc::new(entries), false)
}

/// The type that holds the values as they were written, in which a text is the last resort.
fn scalar(kinds: u16) -> DataType {
    use kind::{BIG, BOOLEAN, FLOAT, INTEGER, NEGATIVE, TEXT, UNSIGNED, WIDE};
    let has = |kind: u16| kinds & kind != 0;
    let numbers = kinds & (INTEGER | UNSIGNED | BIG | FLOAT);
    match (numbers, has(BOOLEAN)) {
        _ if has(TEXT) => DataType::Utf8,
        (0, true) => DataType::Boolean,
        (0, false) | (_, true) => DataType::Utf8,
        _ if has(BIG) => DataType::Utf8,
        _ if !has(FLOAT) => match (has(UNSIGNED), has(NEGATIVE)) {
            (false, _) => DataType::Int64,
            (true, false) => DataType::UInt64,
            (true, true) => DataType::Utf8,
        },
        _ if has(WIDE) => DataType::Utf8,
        _ => DataType::Float64,
    }
}
