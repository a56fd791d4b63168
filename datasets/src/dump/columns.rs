//! The columns of the table, and the conversion of pages to record batches.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    ArrayRef, Int32Builder, Int64Builder, RecordBatch, RecordBatchOptions, StringBuilder,
    TimestampMicrosecondBuilder,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use datafusion::common::Result;
use neardup_wikidump::{Page, SiteInfo};

/// Indexes of the columns in the schema.
pub(super) mod index {
    pub(crate) const WIKI: usize = 0;
    pub(crate) const LANGUAGE: usize = 1;
    pub(crate) const PAGE_ID: usize = 2;
    pub(crate) const NAMESPACE: usize = 3;
    pub(crate) const TITLE: usize = 4;
    pub(crate) const KIND: usize = 5;
    pub(crate) const REDIRECT: usize = 6;
    pub(crate) const REVISION_ID: usize = 7;
    pub(crate) const PARENT_ID: usize = 8;
    pub(crate) const TIMESTAMP: usize = 9;
    pub(crate) const CONTRIBUTOR: usize = 10;
    pub(crate) const MODEL: usize = 11;
    pub(crate) const WIKITEXT: usize = 12;
}

/// The schema of [`super::DumpTable`].
///
/// | column | type | null |
/// | --- | --- | --- |
/// | `wiki` | Utf8, such as `enwiki` | where the header names none |
/// | `language` | Utf8, an IETF tag | where it is not known |
/// | `page_id` | Int64 | |
/// | `namespace` | Int32, 0 for articles | |
/// | `title` | Utf8, with the prefix of its namespace | |
/// | `kind` | Utf8: article, redirect, disambiguation, stub, other | |
/// | `redirect` | Utf8, the target as written | unless `kind` is redirect |
/// | `revision_id` | Int64 | where the dump is damaged |
/// | `parent_id` | Int64, the revision before | for first revisions |
/// | `timestamp` | Timestamp in microseconds, UTC | where the dump is damaged |
/// | `contributor` | Utf8, a name or an address | when removed |
/// | `model` | Utf8; `wikitext` where an old dump has none | |
/// | `wikitext` | Utf8 | when removed, or when the dump has no texts |
pub fn dump_schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let timestamp = DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()));
        Arc::new(Schema::new(vec![
            Field::new("wiki", DataType::Utf8, true),
            Field::new("language", DataType::Utf8, true),
            Field::new("page_id", DataType::Int64, false),
            Field::new("namespace", DataType::Int32, false),
            Field::new("title", DataType::Utf8, false),
            Field::new("kind", DataType::Utf8, false),
            Field::new("redirect", DataType::Utf8, true),
            Field::new("revision_id", DataType::Int64, true),
            Field::new("parent_id", DataType::Int64, true),
            Field::new("timestamp", timestamp, true),
            Field::new("contributor", DataType::Utf8, true),
            Field::new("model", DataType::Utf8, false),
            Field::new("wikitext", DataType::Utf8, true),
        ]))
    });
    Arc::clone(&SCHEMA)
}

const UTC: &str = "UTC";

/// Maximum rows and bytes of text in the first batch of a range. Each batch may have twice as many as the one before,
/// so that operators above the scan start early, a LIMIT above a filter is reached early, and small dumps are
/// distributed evenly.
const FIRST_BATCH: (usize, usize) = (64, 256 << 10);

/// Number of bytes of text after which a batch is full.
const MAX_BATCH_BYTES: usize = 4 << 20;

/// The columns whose values are the same for all rows of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct SiteColumns {
    wiki: Option<String>,
    language: Option<String>,
}

impl SiteColumns {
    pub(super) fn new(site: &SiteInfo, language: Option<&str>) -> Self {
        Self {
            wiki: site.wiki(),
            language: language.map(str::to_owned).or_else(|| site.language()),
        }
    }
}

/// Collects pages into batches of some of the columns.
pub(super) struct BatchBuilder {
    schema: SchemaRef,
    site: SiteColumns,
    columns: Vec<(usize, ColumnBuilder)>,
    rows: usize,
    /// Bytes of text so far.
    bytes: usize,
    /// Rows and bytes after which this batch is full; `max_rows` is the limit for every batch.
    full: (usize, usize),
    max_rows: usize,
}

enum ColumnBuilder {
    Int32(Int32Builder),
    Int64(Int64Builder),
    Time(TimestampMicrosecondBuilder),
    Text(StringBuilder),
}

impl BatchBuilder {
    /// `columns` are indexes in [`dump_schema`]; a batch has at most `max_rows` rows.
    pub(super) fn new(columns: &[usize], site: SiteColumns, max_rows: usize) -> Result<Self> {
        let schema = Arc::new(dump_schema().project(columns)?);
        let columns = columns
            .iter()
            .map(|&index| (index, ColumnBuilder::new(index, FIRST_BATCH.1)))
            .collect();
        Ok(Self {
            schema,
            site,
            columns,
            rows: 0,
            bytes: 0,
            full: (FIRST_BATCH.0.min(max_rows), FIRST_BATCH.1),
            max_rows,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= self.full.0 || self.bytes >= self.full.1
    }

    pub(super) fn push(&mut self, page: &Page) {
        let revision = &page.revision;
        for (index, builder) in &mut self.columns {
            match builder {
                ColumnBuilder::Int32(builder) => builder.append_value(page.namespace),
                ColumnBuilder::Int64(builder) => builder.append_option(match *index {
                    index::PAGE_ID => Some(page.id),
                    index::REVISION_ID => revision.id,
                    _ => revision.parent_id,
                }),
                ColumnBuilder::Time(builder) => builder.append_option(revision.timestamp),
                ColumnBuilder::Text(builder) => {
                    let text = text(*index, page, &self.site);
                    builder.append_option(text);
                    self.bytes += text.map_or(0, str::len);
                }
            }
        }
        self.rows += 1;
    }

    /// Returns the rows so far as a batch, and starts the next one.
    pub(super) fn finish(&mut self) -> Result<RecordBatch> {
        let text_bytes = (self.full.1 * 2).min(MAX_BATCH_BYTES);
        let columns = self.columns.iter_mut().map(|(index, builder)| {
            std::mem::replace(builder, ColumnBuilder::new(*index, text_bytes)).finish()
        });
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            columns.collect(),
            &options,
        )?;
        self.rows = 0;
        self.bytes = 0;
        self.full = ((self.full.0 * 2).min(self.max_rows), text_bytes);
        Ok(batch)
    }
}

impl ColumnBuilder {
    /// `text_bytes`: capacity for wikitext in bytes.
    fn new(column: usize, text_bytes: usize) -> Self {
        match column {
            index::NAMESPACE => Self::Int32(Int32Builder::new()),
            index::PAGE_ID | index::REVISION_ID | index::PARENT_ID => {
                Self::Int64(Int64Builder::new())
            }
            index::TIMESTAMP => Self::Time(TimestampMicrosecondBuilder::new().with_timezone(UTC)),
            index::WIKITEXT => Self::Text(StringBuilder::with_capacity(0, text_bytes)),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Int32(mut builder) => Arc::new(builder.finish()),
            Self::Int64(mut builder) => Arc::new(builder.finish()),
            Self::Time(mut builder) => Arc::new(builder.finish()),
            Self::Text(mut builder) => Arc::new(builder.finish()),
        }
    }
}

fn text<'a>(column: usize, page: &'a Page, site: &'a SiteColumns) -> Option<&'a str> {
    let revision = &page.revision;
    match column {
        index::WIKI => site.wiki.as_deref(),
        index::LANGUAGE => site.language.as_deref(),
        index::TITLE => Some(&page.title),
        index::KIND => Some(page.kind.as_str()),
        index::REDIRECT => page.redirect.as_deref(),
        index::CONTRIBUTOR => revision.contributor.as_deref(),
        index::MODEL => Some(revision.model.as_deref().unwrap_or("wikitext")),
        _ => revision.text.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_schema() {
        use index::*;
        let schema = dump_schema();
        for (place, name) in [
            (WIKI, "wiki"),
            (LANGUAGE, "language"),
            (PAGE_ID, "page_id"),
            (NAMESPACE, "namespace"),
            (TITLE, "title"),
            (KIND, "kind"),
            (REDIRECT, "redirect"),
            (REVISION_ID, "revision_id"),
            (PARENT_ID, "parent_id"),
            (TIMESTAMP, "timestamp"),
            (CONTRIBUTOR, "contributor"),
            (MODEL, "model"),
            (WIKITEXT, "wikitext"),
        ] {
            assert_eq!(schema.field(place).name(), name);
        }
        assert_eq!(schema.fields().len(), 13);
    }
}
