//! Reads the rows of a step as values for its check.

use super::manifest::StepRecord;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, exec_err};
use datafusion::prelude::{DataFrame, SessionContext};

/// Runs a query that returns one row of integers.
pub(super) async fn numbers(context: &SessionContext, sql: &str) -> Result<Vec<i64>> {
    let batches = context.sql(sql).await?.collect().await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() == 1) else {
        return exec_err!("expected one row of counts");
    };
    batch
        .columns()
        .iter()
        .map(|column| {
            let column = cast(column, &DataType::Int64)?;
            Ok(column.as_primitive::<Int64Type>().value(0))
        })
        .collect()
}

/// Runs a query that returns rows of a text and an integer.
pub(super) async fn counts_by_text(
    context: &SessionContext,
    sql: &str,
) -> Result<Vec<(String, i64)>> {
    let mut found = Vec::new();
    for batch in context.sql(sql).await?.collect().await? {
        let texts = cast(batch.column(0), &DataType::Utf8)?;
        let counts = cast(batch.column(1), &DataType::Int64)?;
        let texts = texts.as_string::<i32>().iter();
        for (text, count) in texts.zip(counts.as_primitive::<Int64Type>().values()) {
            found.push((text.unwrap_or_default().to_owned(), *count));
        }
    }
    Ok(found)
}

/// Checks that a step wrote one row.
pub(super) fn check_one_row(record: &StepRecord) -> Result<()> {
    match record.rows {
        1 => Ok(()),
        rows => exec_err!("step {}: expected one row, found {rows}", record.name),
    }
}

/// The bytes in a column of the one row that a step wrote.
pub(super) async fn bytes_of_row(written: DataFrame, column: &str) -> Result<Vec<u8>> {
    let batches = written.select_columns(&[column])?.collect().await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() == 1) else {
        return exec_err!("expected one row with {column}");
    };
    let bytes = cast(batch.column(0), &DataType::LargeBinary)?;
    Ok(bytes.as_binary::<i64>().value(0).to_vec())
}
