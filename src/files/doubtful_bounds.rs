//! Ignores bounds of columns in Parquet files that are not those of their values.
//!
//! Writers leave NaN out of minimum and maximum values, as the Parquet format requires. The statistics of
//! `[0.5, NaN, 0.5]` therefore describe a constant column whose maximum is 0.5, although NaN is the largest value in
//! the engine's SQL. The engine would rely on them. Two rules prevent that: the first removes these values from the
//! statistics of a scan before any other rule sees them; the last removes comparisons of such columns from the
//! predicate by which row groups and pages are pruned. Rows are still filtered by these comparisons.
//!
//! Of a column whose type in a file is not that of the table, such as a 32-bit integer beside 64-bit ones, the engine
//! (DataFusion 55) takes the bounds for NULL, and leaves the values of the file out of those of the table. So bounds are
//! also removed of columns that have none in a file with values.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue, Statistics};
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_expr::{PhysicalExpr, conjunction};
use datafusion::physical_expr_common::physical_expr::snapshot_generation;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use std::any::Any;
use std::sync::Arc;

/// Removes minimum and maximum values of floating-point columns, and of those without bounds in a file, from the statistics
/// of Parquet scans.
#[derive(Debug)]
pub(crate) struct DropDoubtfulBounds;

/// Removes comparisons of floating-point columns from the pruning predicates of Parquet scans.
#[derive(Debug)]
pub(crate) struct ScanFloats;

/// Disables pruning for Parquet files with floating-point columns. It replaces [`ScanFloats`] on a cluster, where
/// filters are pushed down after the last rule of neardup.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub(crate) struct ReadAllFloats;

/// A change of a Parquet scan; `None` leaves the scan as it is.
type Change = fn(&FileScanConfig, &ParquetSource) -> Option<FileScanConfig>;

fn change(plan: Arc<dyn ExecutionPlan>, change: Change) -> Result<Arc<dyn ExecutionPlan>> {
    let changed = plan.transform_up(|plan| {
        let scan = plan.downcast_ref::<DataSourceExec>().and_then(|scan| {
            (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()
        });
        let changed = scan.and_then(|config| {
            change(
                config,
                config.file_source().downcast_ref::<ParquetSource>()?,
            )
        });
        Ok(match changed {
            Some(config) => Transformed::yes(DataSourceExec::from_data_source(config) as _),
            None => Transformed::no(plan),
        })
    })?;
    Ok(changed.data)
}

impl PhysicalOptimizerRule for DropDoubtfulBounds {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, |config, _| without_bounds(config))
    }

    fn name(&self) -> &str {
        "drop_float_bounds"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl PhysicalOptimizerRule for ScanFloats {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, scan)
    }

    fn name(&self) -> &str {
        "scan_floats"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[cfg(feature = "cluster")]
impl PhysicalOptimizerRule for ReadAllFloats {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, read_all)
    }

    fn name(&self) -> &str {
        "read_all_floats"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[cfg(feature = "cluster")]
fn has_floats(config: &FileScanConfig) -> bool {
    let schema = config.file_source().table_schema().table_schema();
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(has_float)
}

#[cfg(feature = "cluster")]
fn read_all(config: &FileScanConfig, source: &ParquetSource) -> Option<FileScanConfig> {
    has_floats(config).then(|| with_pruning(config, source.clone(), false))
}

/// Whether values of the type are, or contain, floating-point numbers. The recursion is as deep as the type, which
/// readers limit.
fn has_float(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => has_float(value),
        DataType::RunEndEncoded(_, value) => has_float(value.data_type()),
        DataType::List(field)
        | DataType::ListView(field)
        | DataType::LargeList(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_float(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_float(field.data_type())),
        other => other.is_floating(),
    }
}

/// The scan with pruning of row groups and pages as the session has it, or disabled.
fn with_pruning(config: &FileScanConfig, source: ParquetSource, prunes: bool) -> FileScanConfig {
    let mut options = source.table_parquet_options().clone();
    options.global.pruning &= prunes;
    options.global.enable_page_index &= prunes;
    FileScanConfigBuilder::from(config.clone())
        .with_source(Arc::new(source.with_table_parquet_options(options)))
        .build()
}

fn without_bounds(config: &FileScanConfig) -> Option<FileScanConfig> {
    let is_doubtful = doubtful(config);
    if !is_doubtful.contains(&true) {
        return None;
    }
    let groups = config.file_groups.iter().map(|group| {
        let files = group.files().iter().map(|file| {
            let mut file = file.clone();
            let known = file.statistics.as_deref();
            file.statistics = known.map(|known| Arc::new(without(known.clone(), &is_doubtful)));
            file
        });
        let files = FileGroup::new(files.collect());
        match group.file_statistics(None) {
            Some(known) => files.with_statistics(Arc::new(without(known.clone(), &is_doubtful))),
            None => files,
        }
    });
    let groups = groups.collect();
    let statistics = without(config.statistics(), &is_doubtful);
    Some(
        FileScanConfigBuilder::from(config.clone())
            .with_file_groups(groups)
            .with_statistics(statistics)
            .build(),
    )
}

/// For each column, whether its bounds may not be those of its values.
fn doubtful(config: &FileScanConfig) -> Vec<bool> {
    let schema = config.file_source().table_schema().table_schema();
    let types = schema.fields().iter().map(|field| field.data_type());
    let mut is_doubtful: Vec<bool> = types.map(has_float).collect();
    let files = config.file_groups.iter().flat_map(FileGroup::files);
    for file in files.filter_map(|file| file.statistics.as_deref()) {
        for (column, is_doubtful) in file.column_statistics.iter().zip(&mut is_doubtful) {
            let bounds = [&column.min_value, &column.max_value].into_iter();
            let without_value = bounds
                .filter_map(Precision::get_value)
                .any(ScalarValue::is_null);
            *is_doubtful |= without_value && column.null_count != file.num_rows;
        }
    }
    is_doubtful
}

fn without(mut statistics: Statistics, is_doubtful: &[bool]) -> Statistics {
    let columns = statistics.column_statistics.iter_mut().zip(is_doubtful);
    for (column, _) in columns.filter(|(_, is_doubtful)| **is_doubtful) {
        column.min_value = Precision::Absent;
        column.max_value = Precision::Absent;
        column.sum_value = Precision::Absent;
    }
    statistics
}

fn scan(config: &FileScanConfig, source: &ParquetSource) -> Option<FileScanConfig> {
    let predicate = config.file_source().filter()?;
    let schema = config.file_source().table_schema().table_schema();
    let is_safe = |expr: &&Arc<dyn PhysicalExpr>| {
        let columns = collect_columns(expr);
        !columns.iter().any(|column| {
            let field = schema.fields().get(column.index());
            field.is_some_and(|field| has_float(field.data_type()))
        })
    };
    let (safe, doubtful): (Vec<_>, Vec<_>) =
        split_conjunction(&predicate).into_iter().partition(is_safe);
    if doubtful.is_empty() {
        return None;
    }
    let mut kept: Vec<_> = safe.into_iter().map(Arc::clone).collect();
    let mut prunes = true;
    if source.table_parquet_options().global.pushdown_filters {
        // The scan itself must filter rows by these comparisons, unless they are dynamic filters: the operator that
        // made a dynamic filter checks each row again.
        let fixed = |expr: &&Arc<dyn PhysicalExpr>| snapshot_generation(expr) == 0;
        let before = kept.len();
        kept.extend(doubtful.into_iter().filter(fixed).map(Arc::clone));
        prunes = kept.len() == before;
    }
    let source = source.with_predicate(conjunction(kept));
    Some(with_pruning(config, source, prunes))
}
