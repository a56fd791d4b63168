//! `classify_pair(a, b[, language])`

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int64Builder, ListArray, NullBufferBuilder, StringViewBuilder, StructArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Change, PairClassifier, PairReader};
use neardup_wikitext::is_language_code;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Classifies a pair of similar texts by what differs between them. Returns class, changes, language and differs. The class is 'identical', 'copy_edit' (the same statement in other words or spellings, or with another footer or byline), 'factual_drift' (the same statement about the same topic, with another fact), 'template' (the same pattern with another topic), 'reference' (citations), 'other' (such as tables, and messages that share only a signature) or 'not_similar'. The changes are the facts that differ if the class is factual_drift or template: kind ('number', 'date', 'unit', 'name', 'word', 'negation'), value_a, value_b, and their positions in the texts in bytes; differs has the first ten of them as one text, and is NULL if there are none. The language is the one whose lists of words were used; it is NULL for a language without lists, for which only numbers, units, names by their capitals and citations are recognised.",
    syntax_example = "classify_pair(a, b[, language])",
    sql_example = r#"```sql
> SELECT found['class'] AS class, found['changes'][1]['value_a'] AS a, found['changes'][1]['value_b'] AS b
  FROM (SELECT classify_pair('The bridge of Orvin was built in 1931.', 'The bridge of Orvin was built in 1934.') AS found);
+---------------+------+------+
| class         | a    | b    |
+---------------+------+------+
| factual_drift | 1931 | 1934 |
+---------------+------+------+
```"#,
    argument(name = "a", description = "A text; NULL gives NULL."),
    argument(name = "b", description = "A text; NULL gives NULL."),
    argument(
        name = "language",
        description = "A language code, a constant or a column; English if it is left out or NULL. There are lists of words for de, en, es, fr, it and nl. Another text than a language code, such as 'english', is an error."
    ),
    related_udf(name = "jaccard_similarity"),
    related_udf(name = "edit_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClassifyPair;

impl Function for ClassifyPair {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "classify_pair",
        all: &[
            ("a", Kind::Text),
            ("b", Kind::Text),
            ("language", Kind::Language),
        ],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Struct(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        let languages = args.optional_texts(2)?;
        let mut classifiers: HashMap<&str, (PairClassifier, PairReader<'_>)> = HashMap::new();
        let language = |row| {
            let language = languages.as_ref().and_then(|languages| languages.get(row));
            language.unwrap_or("en")
        };
        let mut rows = Vec::with_capacity(args.rows());
        for row in 0..args.rows() {
            let Some((a, b)) = a.get(row).zip(b.get(row)) else {
                continue;
            };
            rows.push((row, a, b));
            let language = language(row);
            if classifiers.contains_key(language) {
                continue;
            }
            if !is_language_code(language) {
                return exec_err!(
                    "classify_pair: language must be {}, found {language}",
                    Kind::Language.wanted()
                );
            }
            let classifier = PairClassifier::new(language);
            classifiers.insert(language, (classifier, classifier.reader()));
        }
        // Pairs with the same first text follow each other.
        rows.sort_by_key(|&(_, a, _)| a.as_ptr());
        let mut found = vec![None; args.rows()];
        for (row, a, b) in rows {
            if let Some((classifier, reader)) = classifiers.get_mut(language(row)) {
                let pair = classifier.classify_next(a, b, reader);
                found[row] = Some((pair, classifier.language()));
            }
        }
        let mut classes = StringViewBuilder::with_capacity(args.rows());
        let mut used = StringViewBuilder::with_capacity(args.rows());
        let mut nulls = NullBufferBuilder::new(args.rows());
        let mut changes = Changes::default();
        let mut differs = StringViewBuilder::with_capacity(args.rows());
        let mut lengths = Vec::with_capacity(args.rows());
        for (row, found) in found.iter().enumerate() {
            nulls.append(found.is_some());
            let before = changes.len;
            let pair = a.get(row).zip(b.get(row)).zip(found.as_ref());
            let Some(((a, b), (found, language))) = pair else {
                classes.append_null();
                used.append_null();
                differs.append_null();
                lengths.push(0);
                continue;
            };
            classes.append_value(found.class.word());
            used.append_option(*language);
            for change in &found.changes {
                changes.push(a, b, change)?;
            }
            differs.append_option(as_text(a, b, &found.changes));
            lengths.push(changes.len - before);
        }
        let item = Arc::new(Field::new_list_field(
            DataType::Struct(change_fields()),
            true,
        ));
        let changes = ListArray::try_new(
            item,
            OffsetBuffer::from_lengths(lengths),
            changes.finish()?,
            None,
        )?;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(classes.finish()),
            Arc::new(changes),
            Arc::new(used.finish()),
            Arc::new(differs.finish()),
        ];
        Ok(Arc::new(StructArray::try_new(
            fields(),
            columns,
            nulls.finish(),
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// Maximum number of changes that are written as text.
const MAX_IN_TEXT: usize = 10;

/// The changes as a text, such as `number 12 → 14; name – → Orvin`; `None` if there are none.
fn as_text(a: &str, b: &str, changes: &[Change]) -> Option<String> {
    let mut text = String::new();
    for change in changes.iter().take(MAX_IN_TEXT) {
        let value = |value: &str| match value {
            "" => "–".to_owned(),
            value => value.to_owned(),
        };
        if !text.is_empty() {
            text.push_str("; ");
        }
        let (a, b) = (value(&a[change.a.clone()]), value(&b[change.b.clone()]));
        text.push_str(&format!("{} {a} → {b}", change.kind.word()));
    }
    if changes.len() > MAX_IN_TEXT {
        text.push_str("; …");
    }
    (!changes.is_empty()).then_some(text)
}

/// The columns of changes.
#[derive(Default)]
struct Changes {
    len: usize,
    kinds: StringViewBuilder,
    values: [StringViewBuilder; 2],
    places: [Int64Builder; 4],
}

impl Changes {
    fn push(&mut self, a: &str, b: &str, change: &Change) -> Result<()> {
        self.len += 1;
        self.kinds.append_value(change.kind.word());
        self.values[0].try_append_value(&a[change.a.clone()])?;
        self.values[1].try_append_value(&b[change.b.clone()])?;
        let places = [change.a.start, change.a.end, change.b.start, change.b.end];
        for (builder, place) in self.places.iter_mut().zip(places) {
            builder.append_value(place as i64);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.kinds.finish())];
        for builder in &mut self.values {
            columns.push(Arc::new(builder.finish()));
        }
        for builder in &mut self.places {
            columns.push(Arc::new(builder.finish()));
        }
        Ok(Arc::new(StructArray::try_new(
            change_fields(),
            columns,
            None,
        )?))
    }
}

fn fields() -> Fields {
    let changes = Field::new_list_field(DataType::Struct(change_fields()), true);
    Fields::from(vec![
        Field::new("class", DataType::Utf8View, true),
        Field::new("changes", DataType::List(Arc::new(changes)), true),
        Field::new("language", DataType::Utf8View, true),
        Field::new("differs", DataType::Utf8View, true),
    ])
}

fn change_fields() -> Fields {
    let text = |name| Field::new(name, DataType::Utf8View, true);
    let place = |name| Field::new(name, DataType::Int64, true);
    Fields::from(vec![
        text("kind"),
        text("value_a"),
        text("value_b"),
        place("start_byte_a"),
        place("end_byte_a"),
        place("start_byte_b"),
        place("end_byte_b"),
    ])
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, StringArray};
    use arrow::datatypes::Int64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, scalar};

    #[test]
    fn every_string_encoding() {
        let texts = [
            Some("Orvin has 12 bridges."),
            None,
            Some(""),
            Some("Orvin has 14 bridges."),
        ];
        for array in every_encoding(&texts) {
            let other = scalar("Orvin has 14 bridges.");
            let result = call_array(ClassifyPair, vec![ColumnarValue::Array(array), other]);
            let result = result.as_struct();
            let classes: Vec<_> = result.column(0).as_string_view().iter().collect();
            assert_eq!(
                classes,
                [
                    Some("factual_drift"),
                    None,
                    Some("other"),
                    Some("identical")
                ]
            );
            assert!(result.is_null(1) && result.is_valid(2));
            let changes = result.column(1).as_list::<i32>();
            let first = changes.value(0);
            let first = first.as_struct();
            assert_eq!(first.column(0).as_string_view().value(0), "number");
            assert_eq!(first.column(1).as_string_view().value(0), "12");
            assert_eq!(first.column(2).as_string_view().value(0), "14");
            let places: Vec<i64> = (3..7)
                .map(|place| first.column(place).as_primitive::<Int64Type>().value(0))
                .collect();
            assert_eq!(places, [10, 12, 10, 12]);
            assert_eq!(changes.value(3).len(), 0);
        }
    }

    #[test]
    fn languages_are_constants_or_columns() {
        let texts = || {
            vec![
                scalar("Orvin liegt nördlich von Senja."),
                scalar("Orvin liegt südlich von Senja."),
            ]
        };
        let mut args = texts();
        args.push(column(StringArray::from(vec![
            Some("de-CH"),
            Some("fi"),
            None,
        ])));
        let result = call_array(ClassifyPair, args);
        let result = result.as_struct();
        let used: Vec<_> = result.column(2).as_string_view().iter().collect();
        assert_eq!(used, [Some("de"), None, Some("en")]);
        assert_eq!(result.column(0).as_string_view().value(0), "factual_drift");
        let ScalarValue::Struct(one) = call_scalar(ClassifyPair, texts()) else {
            panic!("no struct");
        };
        assert_eq!(one.column(2).as_string_view().value(0), "en");
    }
}
