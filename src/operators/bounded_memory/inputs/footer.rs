//! Estimates the size of the rows of a Parquet file from its footer.
//!
//! The size of a column chunk does not tell how large its rows are when they are decoded, if a dictionary holds the
//! values. Some writers repeat the dictionary of the whole column in each row group, so that most of its values are in
//! no row of the group; and a few long values may be in all rows. The bytes of decoded texts are in the size
//! statistics of the footer. If a writer left them out, the first bytes of some dictionaries tell the average length of
//! their values.

use super::Rows;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::object_store::ObjectStore;
use datafusion::object_store::path::Path;
use datafusion::parquet::basic::{Encoding, Type};
use datafusion::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use datafusion::parquet::file::statistics::Statistics;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that hold the header of a dictionary page. Its longest form has 43 bytes.
const HEADER_BYTES: u64 = 64;
/// Bytes of the length of a text, in a dictionary and in memory.
const LENGTH_BYTES: u64 = 4;

/// For leaf columns whose footers do not tell the bytes of their texts, the average bytes of a value of the dictionary,
/// with its length.
type ValueBytes = HashMap<usize, u64>;

/// The rows of the row group with the largest rows, counting only the columns that are read.
pub(super) async fn of_parquet(
    metadata: &ParquetMetaData,
    table: &SchemaRef,
    columns: Option<&[usize]>,
    location: &Path,
    store: &Arc<dyn ObjectStore>,
) -> Result<Option<Rows>> {
    let leaves = leaves(metadata, table, columns);
    let headers = headers(metadata, &leaves);
    let mut values = ValueBytes::new();
    if !headers.is_empty() {
        let ranges: Vec<Range<u64>> = headers.iter().map(|(_, range)| range.clone()).collect();
        let read = store.get_ranges(location, &ranges).await;
        for ((leaf, _), header) in headers.iter().zip(read.map_err(DataFusionError::from)?) {
            if let Some(bytes) = value_bytes(&header) {
                let longest = values.entry(*leaf).or_default();
                *longest = bytes.max(*longest);
            }
        }
    }
    Ok(largest(metadata, &leaves, &values))
}

/// The indices of the leaf columns that are read.
fn leaves(metadata: &ParquetMetaData, table: &SchemaRef, columns: Option<&[usize]>) -> Vec<usize> {
    let read: Option<HashSet<&str>> = columns.map(|columns| {
        let names = columns
            .iter()
            .filter_map(|&column| table.fields().get(column));
        names.map(|field| field.name().as_str()).collect()
    });
    let leaves = metadata.file_metadata().schema_descr().columns();
    let is_read = |leaf: &usize| {
        let name = leaves[*leaf].path().parts().first().map(String::as_str);
        read.as_ref()
            .is_none_or(|read| name.is_some_and(|name| read.contains(name)))
    };
    (0..leaves.len()).filter(is_read).collect()
}

/// Where the headers of dictionaries are that tell the lengths of texts: for each leaf column that needs them, in the
/// first, the middle and the last row group that has one.
fn headers(metadata: &ParquetMetaData, leaves: &[usize]) -> Vec<(usize, Range<u64>)> {
    let mut found = Vec::new();
    for &leaf in leaves {
        let groups = metadata.row_groups().iter();
        let chunks = groups.filter_map(|group| group.columns().get(leaf));
        let ranges: Vec<Range<u64>> = chunks.filter_map(header).collect();
        let Some(last) = ranges.len().checked_sub(1) else {
            continue;
        };
        let mut sampled = vec![0, last / 2, last];
        sampled.dedup();
        found.extend(sampled.into_iter().map(|at| (leaf, ranges[at].clone())));
    }
    found
}

/// Where the header of the dictionary of a column of texts is, if the footer does not tell the bytes of the texts.
fn header(chunk: &ColumnChunkMetaData) -> Option<Range<u64>> {
    if chunk.column_type() != Type::BYTE_ARRAY || text_bytes(chunk).is_some() {
        return None;
    }
    let start = u64::try_from(chunk.dictionary_page_offset()?).ok()?;
    let data = u64::try_from(chunk.data_page_offset()).ok()?;
    let end = data.min(start.saturating_add(HEADER_BYTES));
    (0 < start && start < end).then_some(start..end)
}

/// The bytes of all texts of a column chunk, by the statistics of the file. Zero may mean that the writer did not
/// count.
fn text_bytes(chunk: &ColumnChunkMetaData) -> Option<u64> {
    let bytes = u64::try_from(chunk.unencoded_byte_array_data_bytes()?).ok()?;
    (bytes > 0).then_some(bytes)
}

/// The average bytes of a value of a dictionary, from the header of its page: a struct in Thrift's compact protocol
/// with the uncompressed bytes of the page (field 2) and, in the struct of field 7, the number of values (field 1).
fn value_bytes(header: &[u8]) -> Option<u64> {
    const DICTIONARY: i64 = 7;
    let mut bytes = header.iter().copied();
    let (mut field, mut page) = (0, None);
    let mut is_inside = false;
    loop {
        let head = bytes.next()?;
        field += match i64::from(head >> 4) {
            0 => return None,
            delta => delta,
        };
        match (head & 0xf, is_inside) {
            // Booleans are in the type.
            (1 | 2, _) => {}
            // Integers of 16, 32 and 64 bits.
            (4..=6, _) => {
                let value = zigzag(&mut bytes)?;
                match (is_inside, field) {
                    (false, 2) => page = u64::try_from(value).ok(),
                    (true, 1) => return page?.checked_div(u64::try_from(value).ok()?),
                    _ => {}
                }
            }
            (12, false) if field == DICTIONARY => (field, is_inside) = (0, true),
            _ => return None,
        }
    }
}

/// An integer of Thrift's compact protocol.
fn zigzag(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = bytes.next()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            let half = i64::try_from(value >> 1).ok()?;
            return Some(if value & 1 == 0 { half } else { -half - 1 });
        }
    }
    None
}

fn largest(metadata: &ParquetMetaData, leaves: &[usize], values: &ValueBytes) -> Option<Rows> {
    let of_group = metadata.row_groups().iter().map(|group| {
        let chunks = leaves
            .iter()
            .filter_map(|leaf| Some((group.columns().get(*leaf)?, values.get(leaf).copied())));
        let bytes = chunks.map(|(chunk, value)| decoded(chunk, value));
        let bytes = bytes.fold(0, u64::saturating_add);
        let count = unsigned(group.num_rows());
        Rows {
            bytes: bytes / count.max(1),
            count,
        }
    });
    of_group.max_by_key(|rows| rows.bytes)
}

/// Estimates the bytes of the decoded values of a column chunk. `value` is the average of its dictionary.
fn decoded(chunk: &ColumnChunkMetaData, value: Option<u64>) -> u64 {
    let stored = unsigned(chunk.uncompressed_size());
    let count = unsigned(chunk.num_values());
    let width = match chunk.column_type() {
        Type::BYTE_ARRAY => return decoded_texts(chunk, value, stored, count),
        Type::BOOLEAN => 0,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => unsigned(chunk.column_descr().type_length().into()),
    };
    stored.max(count.saturating_mul(width))
}

fn decoded_texts(chunk: &ColumnChunkMetaData, value: Option<u64>, stored: u64, count: u64) -> u64 {
    if let Some(bytes) = text_bytes(chunk) {
        return bytes.saturating_add(count.saturating_mul(LENGTH_BYTES));
    }
    let Some(value) = value.filter(|_| chunk.dictionary_page_offset().is_some()) else {
        return stored;
    };
    let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
    let texts = count.saturating_sub(nulls.unwrap_or(0));
    let estimate = texts.saturating_mul(value);
    let all_by_dictionary = chunk.page_encoding_stats_mask().is_some_and(|encodings| {
        encodings.is_only(Encoding::RLE_DICTIONARY) || encodings.is_only(Encoding::PLAIN_DICTIONARY)
    });
    // Texts that are not in the dictionary may be longer than those that are.
    match all_by_dictionary {
        true => estimate,
        false => estimate.max(stored),
    }
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Rows, ValueBytes, headers, largest, of_parquet, value_bytes};
    use bytes::Bytes;
    use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use datafusion::object_store::memory::InMemory;
    use datafusion::object_store::path::Path;
    use datafusion::object_store::{ObjectStore, ObjectStoreExt};
    use datafusion::parquet::arrow::ArrowWriter;
    use datafusion::parquet::basic::{Encoding, EncodingMask};
    use datafusion::parquet::file::metadata::{
        ColumnChunkMetaData, ColumnChunkMetaDataBuilder, FileMetaData, ParquetMetaData,
        ParquetMetaDataReader, RowGroupMetaData,
    };
    use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
    use datafusion::parquet::schema::parser::parse_message_type;
    use datafusion::parquet::schema::types::SchemaDescriptor;
    use std::sync::Arc;

    /// A file of one row group of a hundred rows, whose only column holds texts in a dictionary.
    fn texts(
        column: &str,
        change: impl Fn(ColumnChunkMetaDataBuilder) -> ColumnChunkMetaDataBuilder,
    ) -> ParquetMetaData {
        let message = format!("message rows {{ required {column}; }}");
        let message = parse_message_type(&message).unwrap();
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(message)));
        let by_dictionary = EncodingMask::new_from_encodings([Encoding::RLE_DICTIONARY].iter());
        let chunk = ColumnChunkMetaData::builder(schema.column(0))
            .set_num_values(100)
            .set_dictionary_page_offset(Some(4))
            .set_data_page_offset(1000)
            .set_page_encoding_stats_mask(by_dictionary);
        let group = RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(100)
            .set_column_metadata(vec![change(chunk).build().unwrap()])
            .build()
            .unwrap();
        let file = FileMetaData::new(1, 100, None, None, schema, None);
        ParquetMetaData::new(file, vec![group])
    }

    fn bytes_of_row(file: &ParquetMetaData, value: Option<u64>) -> u64 {
        let values: ValueBytes = value.into_iter().map(|value| (0, value)).collect();
        let rows = largest(file, &[0], &values).unwrap();
        assert_eq!(rows.count, 100);
        rows.bytes
    }

    #[test]
    fn values_of_a_dictionary_count_as_often_as_rows_have_them() {
        const TEXT: &str = "binary text (UTF8)";
        // A dictionary of a megabyte, of which the rows have a few short values.
        let unused = |chunk: ColumnChunkMetaDataBuilder| {
            let chunk = chunk.set_total_uncompressed_size(1_000_000);
            chunk.set_unencoded_byte_array_data_bytes(Some(2000))
        };
        assert_eq!(bytes_of_row(&texts(TEXT, unused), None), 24);
        // One text of ten thousand bytes in all rows.
        let repeated = |chunk: ColumnChunkMetaDataBuilder| {
            let chunk = chunk.set_total_uncompressed_size(10_020);
            chunk.set_unencoded_byte_array_data_bytes(Some(1_000_000))
        };
        assert_eq!(bytes_of_row(&texts(TEXT, repeated), None), 10_004);

        // The same without size statistics.
        let unknown =
            |size| move |chunk: ColumnChunkMetaDataBuilder| chunk.set_total_uncompressed_size(size);
        assert_eq!(bytes_of_row(&texts(TEXT, unknown(1_000_000)), Some(24)), 24);
        assert_eq!(
            bytes_of_row(&texts(TEXT, unknown(10_020)), Some(10_004)),
            10_004
        );
        assert_eq!(bytes_of_row(&texts(TEXT, unknown(10_000)), None), 100);
        let zero = |chunk: ColumnChunkMetaDataBuilder| {
            unknown(10_020)(chunk).set_unencoded_byte_array_data_bytes(Some(0))
        };
        assert_eq!(bytes_of_row(&texts(TEXT, zero), Some(10_004)), 10_004);

        // Some texts are not in the dictionary, or it is not known whether all are.
        let plain = |chunk: ColumnChunkMetaDataBuilder| {
            let both = [Encoding::RLE_DICTIONARY, Encoding::PLAIN];
            let both = EncodingMask::new_from_encodings(both.iter());
            unknown(1_000_000)(chunk).set_page_encoding_stats_mask(both)
        };
        assert_eq!(bytes_of_row(&texts(TEXT, plain), Some(24)), 10_000);
        let untold = |chunk: ColumnChunkMetaDataBuilder| {
            unknown(1_000_000)(chunk).clear_page_encoding_stats()
        };
        assert_eq!(bytes_of_row(&texts(TEXT, untold), Some(24)), 10_000);

        // Numbers and other values of a fixed width.
        assert_eq!(bytes_of_row(&texts("int64 n", unknown(100)), None), 8);
        let signature = "fixed_len_byte_array(2000) signature";
        assert_eq!(bytes_of_row(&texts(signature, unknown(2100)), None), 2000);
    }

    #[test]
    fn headers_are_read_where_the_footer_does_not_tell() {
        let unknown = texts("binary text (UTF8)", |chunk| chunk);
        assert_eq!(headers(&unknown, &[0]), [(0, 4..68)]);
        let known = texts("binary text (UTF8)", |chunk| {
            chunk.set_unencoded_byte_array_data_bytes(Some(1))
        });
        assert!(headers(&known, &[0]).is_empty());
        let plain = texts("binary text (UTF8)", |chunk| {
            chunk.set_dictionary_page_offset(None)
        });
        assert!(headers(&plain, &[0]).is_empty());
        assert!(headers(&texts("int64 n", |chunk| chunk), &[0]).is_empty());
        let group = &unknown.row_groups()[0];
        let file = unknown.file_metadata().clone();
        let many = ParquetMetaData::new(file, vec![group.clone(); 9]);
        assert_eq!(headers(&many, &[0]).len(), 3);
    }

    #[test]
    fn a_header_tells_the_average_value() {
        // As pyarrow 26 writes it: 1,006,890 bytes, 1,000 values.
        let header = [
            0x15, 0x04, 0x15, 0xd4, 0xf4, 0x7a, 0x15, 0xcc, 0x91, 0x06, 0x4c, 0x15, 0xd0, 0x0f,
            0x15, 0x00, 0x12, 0x00, 0x00, 0xaa, 0xba,
        ];
        assert_eq!(value_bytes(&header), Some(1006));
        // With a checksum.
        let checked = [
            0x15, 0x04, 0x15, 0x28, 0x15, 0x28, 0x15, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x3c, 0x15,
            0x04, 0x15, 0x00, 0x00, 0x00,
        ];
        assert_eq!(value_bytes(&checked), Some(10));
        // No values, and bytes that are not such a header.
        assert_eq!(
            value_bytes(&[0x15, 0x04, 0x15, 0x28, 0x5c, 0x15, 0x00]),
            None
        );
        for length in 0..13 {
            assert_eq!(value_bytes(&header[..length]), None);
        }
        assert_eq!(value_bytes(&[0xff; 64]), None);
        assert_eq!(value_bytes(&[0x15; 64]), None);
        assert_eq!(value_bytes(&[0; 64]), None);
    }

    #[tokio::test]
    async fn files_without_size_statistics() {
        // Two of a thousand rows have a text of fifty thousand bytes.
        let texts = ["a", "b"].map(|text| text.repeat(50_000));
        let texts: StringArray = (0..1000).map(|row| Some(texts[row % 2].as_str())).collect();
        let ids: Int64Array = (0..1000).map(Some).collect();
        let batch = RecordBatch::try_from_iter([
            ("id", Arc::new(ids) as ArrayRef),
            ("text", Arc::new(texts) as ArrayRef),
        ])
        .unwrap();
        let properties = WriterProperties::builder()
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let bytes = Bytes::from(bytes);
        let metadata = ParquetMetaDataReader::new()
            .parse_and_finish(&bytes)
            .unwrap();
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let location = Path::from("texts.parquet");
        store.put(&location, bytes.into()).await.unwrap();

        let rows = async |columns: Option<&[usize]>| {
            let rows = of_parquet(&metadata, &batch.schema(), columns, &location, &store).await;
            rows.unwrap().unwrap()
        };
        let (bytes, count) = (50_004, 1000);
        assert_eq!(rows(Some(&[1][..])).await, Rows { bytes, count });
        assert!((50_012..50_020).contains(&rows(None).await.bytes));
        assert!((8..16).contains(&rows(Some(&[0][..])).await.bytes));
    }
}
