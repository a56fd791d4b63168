//! Tests that equal rows become equal files.

use super::exec::tasks;
use super::writer::StepFile;
use super::{Target, write_empty};
use datafusion::arrow::array::{
    ArrayRef, BinaryViewArray, DictionaryArray, FixedSizeListBuilder, Float64Array, Int64Array,
    Int64Builder, ListBuilder, MapBuilder, RecordBatch, StringArray, StringBuilder,
    StringViewArray, StringViewBuilder, StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Fields, Int32Type, Schema};
use datafusion::common::Result;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Columns of many types, with NULL and long values.
fn rows(count: usize) -> RecordBatch {
    let numbers = || 0..count as i64;
    let text = |n: i64| (n % 5 != 0).then(|| format!("text {n} ").repeat(1 + n as usize % 40));
    let mut lists = ListBuilder::new(StringViewBuilder::new());
    let mut pairs = FixedSizeListBuilder::new(Int64Builder::new(), 2);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for n in numbers() {
        for m in 0..n % 4 {
            lists.values().append_option(text(m));
            maps.keys().append_value(format!("key {m}"));
            maps.values().append_value(n);
        }
        lists.append(n % 7 != 0);
        maps.append(n % 6 != 0).expect("a map");
        pairs.values().append_value(n);
        pairs.values().append_null();
        pairs.append(n % 3 != 0);
    }
    let views: ArrayRef = Arc::new(numbers().map(text).collect::<StringViewArray>());
    let bytes = numbers().map(|n| text(n).map(String::into_bytes));
    let bytes: ArrayRef = Arc::new(bytes.collect::<BinaryViewArray>());
    let words = numbers().map(|n| (n % 11 != 0).then(|| ["a", "bb", "ccc"][n as usize % 3]));
    let words: DictionaryArray<Int32Type> = words.collect();
    let fields = Fields::from(vec![Field::new("inner", DataType::Utf8View, true)]);
    let inner = StructArray::new(fields, vec![Arc::clone(&views)], None);
    let floats = numbers().map(|n| [Some(0.5), Some(f64::NAN), None][n as usize % 3]);
    RecordBatch::try_from_iter_with_nullable([
        (
            "id",
            Arc::new(Int64Array::from_iter_values(numbers())) as ArrayRef,
            true,
        ),
        ("view", views, true),
        ("bytes", bytes, true),
        (
            "plain",
            Arc::new(numbers().map(text).collect::<StringArray>()),
            true,
        ),
        ("list", Arc::new(lists.finish()), true),
        ("pair", Arc::new(pairs.finish()), true),
        ("map", Arc::new(maps.finish()), true),
        ("word", Arc::new(words), true),
        ("struct", Arc::new(inner), true),
        ("float", Arc::new(floats.collect::<Float64Array>()), true),
    ])
    .expect("rows")
}

/// The bytes of the file that one task writes from the rows in batches of `batch_rows`.
async fn written(rows: &RecordBatch, batch_rows: usize) -> Result<Vec<u8>> {
    written_by(rows, batch_rows, NonZeroUsize::MIN).await
}

/// The bytes of the file that this number of tasks write from the rows in batches of `batch_rows`.
async fn written_by(rows: &RecordBatch, batch_rows: usize, tasks: NonZeroUsize) -> Result<Vec<u8>> {
    let scratch = tempfile::tempdir()?;
    let target = target(scratch.path());
    let mut file = StepFile::create(&target, &rows.schema(), &RuntimeEnv::default(), tasks)?;
    for begin in (0..rows.num_rows()).step_by(batch_rows) {
        let length = batch_rows.min(rows.num_rows() - begin);
        file.write(&rows.slice(begin, length)).await?;
    }
    let written = file.finish().await?;
    assert_eq!(written.rows, rows.num_rows() as u64);
    let bytes = std::fs::read(&written.file)?;
    assert_eq!(written.bytes, bytes.len() as u64);
    assert_eq!(written.checksum, xxhash_rust::xxh3::xxh3_64(&bytes));
    Ok(bytes)
}

fn target(directory: &std::path::Path) -> Target {
    Target {
        directory: directory.to_string_lossy().into_owned(),
        one_file: true,
        metadata: vec![("key".to_owned(), "value".to_owned())],
    }
}

fn schema(bytes: Vec<u8>) -> Result<(Schema, usize)> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))?;
    let groups = reader.metadata().num_row_groups();
    Ok((reader.schema().as_ref().clone(), groups))
}

#[tokio::test]
async fn files_do_not_depend_on_batches() -> Result<()> {
    let rows = rows(20_000);
    let wanted = written(&rows, usize::MAX).await?;
    for batch_rows in [1, 100, 8191, 8192, 8193] {
        assert!(written(&rows, batch_rows).await? == wanted, "{batch_rows}");
    }
    // Values before a slice do not change the file either.
    let slice = rows.slice(1, 19_999);
    let copied = datafusion::arrow::compute::concat_batches(
        &rows.schema(),
        &(1..20_000)
            .step_by(1000)
            .map(|begin| rows.slice(begin, 1000.min(20_000 - begin)))
            .collect::<Vec<_>>(),
    )?;
    assert!(written(&slice, 333).await? == written(&copied, 4096).await?);
    Ok(())
}

#[tokio::test]
async fn no_views_in_a_file() -> Result<()> {
    let rows = rows(10);
    let (schema, _) = schema(written(&rows, 3).await?)?;
    let text = format!("{schema:?}");
    assert!(!text.contains("View"), "{text}");
    assert!(text.contains("Dictionary"), "{text}");
    let scratch = tempfile::tempdir()?;
    let target = target(scratch.path());
    let empty = write_empty(&target, &rows.schema(), &RuntimeEnv::default()).await?;
    let (empty, _) = self::schema(std::fs::read(empty.file)?)?;
    assert_eq!(empty, schema);
    Ok(())
}

#[tokio::test]
async fn long_rows_end_blocks_and_groups() -> Result<()> {
    let texts = StringViewArray::from_iter_values((0..80).map(|n| "x".repeat(n << 16)));
    let rows = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)])?;
    let wanted = written(&rows, 80).await?;
    assert!(written(&rows, 1).await? == wanted);
    for tasks in [2, 3, 7] {
        let tasks = NonZeroUsize::new(tasks).unwrap_or(NonZeroUsize::MIN);
        assert!(written_by(&rows, 9, tasks).await? == wanted, "{tasks}");
    }
    // 80 texts of 2.4 MiB on average.
    assert_eq!(schema(wanted)?.1, 3);
    Ok(())
}

#[tokio::test]
async fn many_rows_end_groups() -> Result<()> {
    let rows = RecordBatch::try_from_iter([(
        "number",
        Arc::new(Int64Array::from_iter_values(0..3_000_000)) as ArrayRef,
    )])?;
    let wanted = written(&rows, 100_000).await?;
    let tasks = NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN);
    assert!(written_by(&rows, 7_777, tasks).await? == wanted);
    assert_eq!(schema(wanted)?.1, 3);
    Ok(())
}

#[test]
fn row_groups_that_are_held_take_a_share_of_a_limit() -> Result<()> {
    let tasks_with = |limit: Option<usize>, partitions: usize, threads: usize| -> Result<usize> {
        let workers = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .build()?;
        let _entered = workers.enter();
        let runtime = match limit {
            Some(bytes) => RuntimeEnvBuilder::new().with_memory_limit(bytes, 1.0),
            None => RuntimeEnvBuilder::new(),
        };
        let config = SessionConfig::new().with_target_partitions(partitions);
        let context = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
        Ok(tasks(&context.task_ctx()).get())
    };
    assert_eq!(tasks_with(None, 1, 16)?, 1);
    assert_eq!(tasks_with(None, 100, 16)?, 8);
    assert_eq!(tasks_with(None, 100, 2)?, 2);
    assert_eq!(tasks_with(Some(1), 7, 16)?, 1);
    assert_eq!(tasks_with(Some(2 << 30), 7, 16)?, 2);
    assert_eq!(tasks_with(Some(64 << 30), 3, 16)?, 3);
    Ok(())
}
