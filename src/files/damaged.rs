//! Finds the Parquet file that could not be read, when a statement over several fails.

use super::panics::{FAULT, caught, of_file};
use super::{Input, Kind, listing};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableUrl};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::logical_expr::{DdlStatement, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;

/// The error of a statement, preceded by the name of the file if one of the Parquet files that the statement reads is
/// damaged. If there are several, they are read again until one fails.
pub async fn explain_read_error(
    plan: &LogicalPlan,
    context: &SessionContext,
    error: DataFusionError,
) -> DataFusionError {
    if !is_of_reader(&error) {
        return error;
    }
    let mut files = Vec::new();
    let listed = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Ok(table) = source_as_provider(&scan.source)
            && let Some(table) = table.downcast_ref::<ListingTable>()
            && table.options().format.get_ext() == "parquet"
        {
            files.extend(table.table_paths().iter().cloned());
        }
        if let LogicalPlan::Ddl(DdlStatement::CreateExternalTable(table)) = node
            && table.file_type.eq_ignore_ascii_case("parquet")
        {
            for location in &table.locations {
                files.push(ListingTableUrl::parse(location)?);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    });
    match listed {
        Ok(_) => named(&files, context, error).await,
        Err(_) => error,
    }
}

impl Input {
    /// The error, preceded by the name of the file that cannot be read, or by the names of all files.
    pub(crate) async fn explained(
        &self,
        context: &SessionContext,
        error: DataFusionError,
    ) -> DataFusionError {
        self.named(self.damaged(context, error).await)
    }

    /// The error, preceded by the name of the Parquet file that cannot be read, if there is one.
    pub(crate) async fn damaged(
        &self,
        context: &SessionContext,
        error: DataFusionError,
    ) -> DataFusionError {
        let files: Result<Vec<_>> = self.files.iter().map(|file| file.url()).collect();
        match files {
            Ok(files) if self.kind == Kind::Parquet && is_of_reader(&error) => {
                named(&files, context, error).await
            }
            _ => error,
        }
    }
}

/// Whether an error is one of the reader of Parquet.
fn is_of_reader(error: &DataFusionError) -> bool {
    let is_named =
        |text: &str| text.contains("Parquet error: ") || text.contains("Parquet argument error: ");
    matches!(
        error.find_root(),
        DataFusionError::ParquetError(_) | DataFusionError::ArrowError(..)
    ) || is_named(&error.strip_backtrace())
        || error.strip_backtrace().contains(FAULT)
}

async fn named(
    files: &[ListingTableUrl],
    context: &SessionContext,
    error: DataFusionError,
) -> DataFusionError {
    for file in files {
        if let Err(error) = caught(read(file, context)).await {
            let url: &url::Url = file.as_ref();
            let name = match url.to_file_path() {
                Ok(path) => path.display().to_string(),
                Err(()) => url.to_string(),
            };
            return exec_datafusion_err!("{name}: {}", of_file(error).strip_backtrace());
        }
    }
    error
}

/// Reads all rows of a file.
async fn read(file: &ListingTableUrl, context: &SessionContext) -> Result<()> {
    let state = context.state();
    let options = ListingOptions::new(listing::parquet(&state)).with_file_extension("");
    let schema = options.infer_schema(&state, file).await?;
    let table = listing::table(vec![file.clone()], options, schema)?;
    let plan = LogicalPlanBuilder::scan("file", provider_as_source(table), None)?.build()?;
    let rows = context.execute_logical_plan(plan).await?;
    let rows = rows.execute_stream().await?;
    rows.try_for_each(async |_| Ok(())).await
}
