//! The parameters of a function: names, kinds, coercion and checks.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, plan_err};
use datafusion_expr::{Signature, Volatility};

use super::bytes::is_bytes;
use super::ids::is_id;
use super::records::is_records;
use super::structs::is_struct;
use super::texts::is_text;
use super::vectors::is_vector;

/// The kind of values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string column, in any encoding.
    Text,
    /// Language codes, in a string column of any encoding. Constants that are no codes are refused.
    Language,
    /// Lists of hashes (UInt64, UInt32, or Int64, whose bits are taken as they are) or of strings,
    /// which are hashed.
    Set,
    /// A text or a set.
    TextOrSet,
    /// Lists of UInt32 or UInt64, of fixed size or not.
    Signature,
    /// An integer column.
    Integer,
    /// A constant integer.
    Count,
    /// A constant shingle.
    Shingle,
    /// A constant number in (0, 1].
    Threshold,
    /// A sketch of token frequencies, in any binary type.
    Sketch,
    /// Ids or their sort keys: integers or strings, in any encoding.
    Id,
    /// A column of Float64.
    Number,
    /// Lists of numbers, lists of (term, weight), or packed vectors.
    Vector,
    /// Bit signatures, in any binary type.
    Bits,
    /// A text, a set, or a list of (term, weight).
    TextOrWeights,
    /// A text, a set or a vector.
    Item,
    /// A constant that is one of a few names.
    Name,
    /// A constant truth value.
    Flag,
    /// Lists of Float32 or Float64, of fixed size or not.
    Numbers,
    /// Lists of structs.
    Records,
    /// Structs.
    Struct,
}

/// The parameters of a function.
#[derive(Debug)]
pub(crate) struct Parameters {
    /// The function's name.
    pub(crate) function: &'static str,
    /// Names and kinds, in order.
    pub(crate) all: &'static [(&'static str, Kind)],
    /// The number of required parameters; the ones after them have defaults.
    pub(crate) required: usize,
}

impl Parameters {
    /// A signature with arguments by position or by name. Types are handled by [`coerce`](Self::coerce) and
    /// [`check`](Self::check).
    pub(crate) fn signature(&self) -> Signature {
        let names = self
            .all
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        Signature {
            parameter_names: Some(names),
            ..Signature::user_defined(Volatility::Immutable)
        }
    }

    /// The types to cast the arguments to. Types that cannot be cast are left unchanged, so that
    /// [`check`](Self::check) reports them: DataFusion passes its errors on unchanged.
    pub(crate) fn coerce(&self, types: &[DataType]) -> Vec<DataType> {
        let kinds = self
            .all
            .iter()
            .map(|&(_, kind)| Some(kind))
            .chain(std::iter::repeat(None));
        types
            .iter()
            .zip(kinds)
            .map(|(data_type, kind)| coerce(kind, data_type))
            .collect()
    }

    /// Checks number and types of the arguments.
    pub(crate) fn check_types(&self, types: &[&DataType]) -> Result<()> {
        let (function, given) = (self.function, types.len());
        if given < self.required || given > self.all.len() {
            let names: Vec<_> = self.all.iter().map(|(name, _)| *name).collect();
            let count = match (self.required, self.all.len()) {
                (1, 1) => "1 argument".to_owned(),
                (min, max) if min == max => format!("{max} arguments"),
                (min, max) => format!("{min} to {max} arguments"),
            };
            return plan_err!(
                "{function} takes {count} ({}), found {given}",
                names.join(", ")
            );
        }
        for (&(name, kind), data_type) in self.all.iter().zip(types) {
            kind.check(function, name, data_type)?;
        }
        Ok(())
    }
}

impl Kind {
    /// Checks the type of an argument.
    pub(crate) fn check(self, function: &str, name: &str, data_type: &DataType) -> Result<()> {
        match accepts(self, data_type) {
            true => Ok(()),
            false => plan_err!(
                "{function}: {name} must be {}, found {data_type}",
                self.wanted()
            ),
        }
    }

    /// The description of the kind in error messages.
    pub(crate) fn wanted(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Language => "a language code such as de or pt-br",
            Kind::Set => "a list of hashes or of strings",
            Kind::TextOrSet => "text, or a list of hashes or of strings",
            Kind::Signature => "a signature, that is a list of UInt32 or UInt64",
            Kind::Integer => "an integer",
            Kind::Count => "an integer constant",
            Kind::Shingle => "a string constant such as 'word:3'",
            Kind::Threshold => "a constant number",
            Kind::Sketch => "bytes that another function returns",
            Kind::Id => "integers or strings",
            Kind::Number => "a number",
            Kind::Vector => "a list of numbers or of (term, weight)",
            Kind::Bits => "a signature, that is a column of bytes",
            Kind::Item => "text, a list of hashes or of strings, or a vector",
            Kind::TextOrWeights => {
                "text, a list of hashes or of strings, or a list of (term, weight)"
            }
            Kind::Name => "a string constant",
            Kind::Flag => "true or false",
            Kind::Numbers => "a list of numbers",
            Kind::Records => "a list of structs",
            Kind::Struct => "a struct",
        }
    }
}

fn coerce(kind: Option<Kind>, data_type: &DataType) -> DataType {
    match (kind, data_type) {
        (Some(Kind::Text | Kind::Language | Kind::TextOrSet), DataType::Null) => DataType::Utf8,
        (Some(Kind::Set | Kind::Signature), DataType::Null) => {
            DataType::new_list(DataType::UInt64, true)
        }
        (Some(Kind::Integer | Kind::Id), DataType::Null) => DataType::Int64,
        (Some(Kind::Sketch), DataType::Null) => DataType::BinaryView,
        (Some(Kind::Id), DataType::Dictionary(_, value)) => value.as_ref().clone(),
        (Some(Kind::Vector | Kind::Numbers), DataType::Null) => {
            DataType::new_list(DataType::Float64, true)
        }
        (Some(Kind::Bits), DataType::Null) => DataType::Binary,
        (Some(Kind::TextOrWeights | Kind::Item), DataType::Null) => DataType::Utf8,
        (Some(Kind::TextOrWeights), list) if !is_vector(list) => coerce_list(list, hash_element),
        (Some(Kind::Number), number) if number.is_numeric() || number.is_null() => {
            DataType::Float64
        }
        (Some(Kind::Set | Kind::TextOrSet | Kind::Signature), list) => {
            coerce_list(list, hash_element)
        }
        (Some(Kind::Vector | Kind::Numbers), list) => coerce_list(list, vector_element),
        (_, data_type) => data_type.clone(),
    }
}

/// The list type with another type of elements, if the elements have to be cast.
fn coerce_list(list: &DataType, element: fn(&DataType) -> Option<DataType>) -> DataType {
    let with = |field: &FieldRef| match element(field.data_type()) {
        Some(element) => Arc::new(Field::new(field.name(), element, field.is_nullable())),
        None => Arc::clone(field),
    };
    match list {
        DataType::List(field) => DataType::List(with(field)),
        DataType::LargeList(field) => DataType::LargeList(with(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(with(field), *size),
        other => other.clone(),
    }
}

/// The type that hashes of a type are cast to, if they have to be cast.
fn hash_element(element: &DataType) -> Option<DataType> {
    match element {
        // The type of an empty list.
        DataType::Null => Some(DataType::UInt64),
        DataType::Dictionary(_, value) if value.is_string() => Some(DataType::Utf8),
        DataType::UInt32 | DataType::UInt64 | DataType::Int64 => None,
        integer if integer.is_integer() => Some(DataType::Int64),
        _ => None,
    }
}

/// The type that numbers of a vector are cast to, if they have to be cast.
fn vector_element(element: &DataType) -> Option<DataType> {
    match element {
        DataType::Float32 | DataType::Float64 => None,
        DataType::Float16 => Some(DataType::Float32),
        number if number.is_numeric() || number.is_null() => Some(DataType::Float64),
        _ => None,
    }
}

fn accepts(kind: Kind, data_type: &DataType) -> bool {
    let element = match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            Some(field.data_type())
        }
        _ => None,
    };
    let numbers = matches!(
        element,
        Some(DataType::UInt32 | DataType::UInt64 | DataType::Int64)
    );
    let strings = element.is_some_and(DataType::is_string);
    match kind {
        Kind::Text | Kind::Language => is_text(data_type),
        Kind::Set => numbers || strings,
        Kind::TextOrSet => is_text(data_type) || numbers || strings,
        Kind::Signature => numbers,
        Kind::Integer | Kind::Count => data_type.is_integer() || data_type.is_null(),
        Kind::Shingle | Kind::Name => is_text(data_type) || data_type.is_null(),
        Kind::Threshold => data_type.is_numeric() || data_type.is_null(),
        Kind::Sketch => matches!(
            data_type,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView
        ),
        Kind::Id => is_id(data_type),
        Kind::Number => *data_type == DataType::Float64,
        Kind::Vector => is_vector(data_type),
        Kind::Bits => is_bytes(data_type),
        Kind::TextOrWeights => {
            is_text(data_type) || numbers || strings || !is_bytes(data_type) && is_vector(data_type)
        }
        Kind::Item => is_text(data_type) || numbers || strings || is_vector(data_type),
        Kind::Flag => matches!(data_type, DataType::Boolean | DataType::Null),
        Kind::Numbers => matches!(element, Some(DataType::Float32 | DataType::Float64)),
        Kind::Records => is_records(data_type),
        Kind::Struct => is_struct(data_type),
    }
}
