//! Ignores statistics of columns in Parquet files that are not those of their values.
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
//!
//! Writers may leave out how many values of a column are NULL. The engine then takes the number for 0: `count(text)` would
//! count the NULLs of such a file, and `text IS NULL` would skip its row groups. So these numbers are removed from the
//! statistics of a scan, and such conditions from its pruning predicate. The statistics of a scan do not tell a number
//! that was left out from 0; the metadata of the file does. The session's cache has it, because the statistics were read
//! from it. The numbers of a file whose metadata was displaced from the cache are removed, too.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue, Statistics};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::metadata::CachedParquetMetaData;
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::parquet::file::statistics::Statistics as ParquetStatistics;
use datafusion::physical_expr::expressions::IsNullExpr;
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_expr::{PhysicalExpr, conjunction};
use datafusion::physical_expr_common::physical_expr::snapshot_generation;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use std::any::Any;
use std::sync::Arc;

/// Removes from the statistics of Parquet scans the minimum and maximum values of floating-point columns, and of those
/// without bounds in a file, and the numbers of NULLs that a file does not have.
#[derive(Debug)]
pub(crate) struct DropDoubtfulStatistics {
    /// The runtime whose cache has the metadata of files.
    pub(crate) runtime: Arc<RuntimeEnv>,
}

/// Removes from the pruning predicates of Parquet scans the comparisons of floating-point columns, and the conditions
/// that a column is NULL whose NULLs a file does not count.
#[derive(Debug)]
pub(crate) struct PruneByKnownValues {
    /// The runtime whose cache has the metadata of files.
    pub(crate) runtime: Arc<RuntimeEnv>,
}

/// Disables pruning for Parquet files with floating-point columns or NULLs that are not counted. It replaces
/// [`PruneByKnownValues`] on a cluster, where filters are pushed down after the last rule of neardup.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub(crate) struct ReadAllOfDoubtful {
    /// The runtime whose cache has the metadata of files.
    pub(crate) runtime: Arc<RuntimeEnv>,
}

/// Changes Parquet scans; `None` leaves a scan as it is.
fn change(
    plan: Arc<dyn ExecutionPlan>,
    change: impl Fn(&FileScanConfig, &ParquetSource) -> Option<FileScanConfig>,
) -> Result<Arc<dyn ExecutionPlan>> {
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

impl PhysicalOptimizerRule for DropDoubtfulStatistics {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, |config, _| without_doubtful(config, &self.runtime))
    }

    fn name(&self) -> &str {
        "drop_doubtful_statistics"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl PhysicalOptimizerRule for PruneByKnownValues {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, |config, source| scan(config, source, &self.runtime))
    }

    fn name(&self) -> &str {
        "prune_by_known_values"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[cfg(feature = "cluster")]
impl PhysicalOptimizerRule for ReadAllOfDoubtful {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, |config, source| {
            let is_doubtful =
                floats(config).contains(&true) || uncounted(config, &self.runtime).contains(&true);
            is_doubtful.then(|| with_pruning(config, source.clone(), false))
        })
    }

    fn name(&self) -> &str {
        "read_all_of_doubtful"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// For each column of the table, whether it has floating-point numbers.
fn floats(config: &FileScanConfig) -> Vec<bool> {
    let schema = config.file_source().table_schema().table_schema();
    let types = schema.fields().iter().map(|field| field.data_type());
    types.map(has_float).collect()
}

/// For each column of the table, whether a file may have statistics that do not count its NULLs.
fn uncounted(config: &FileScanConfig, runtime: &RuntimeEnv) -> Vec<bool> {
    let table = config.file_source().table_schema();
    let partitions = table.table_partition_cols().len();
    let fields = table.table_schema().fields();
    let of_files = fields.len() - partitions;
    let mut uncounted = vec![false; fields.len()];
    for file in config.file_groups.iter().flat_map(FileGroup::files) {
        let Some(metadata) = cached(file, runtime) else {
            uncounted[..of_files].fill(true);
            break;
        };
        let groups = metadata.row_groups().iter();
        for chunk in groups.flat_map(|group| group.columns()) {
            let counts = |known: &ParquetStatistics| known.null_count_opt().is_some();
            if chunk.statistics().is_none_or(counts) {
                continue;
            }
            let name = chunk.column_path().parts().first();
            let named = fields[..of_files].iter().zip(&mut uncounted);
            for (_, uncounted) in named.filter(|(field, _)| Some(field.name()) == name) {
                *uncounted = true;
            }
        }
    }
    uncounted
}

/// The metadata of a Parquet file, if the cache still has it.
fn cached(file: &PartitionedFile, runtime: &RuntimeEnv) -> Option<Arc<ParquetMetaData>> {
    let cache = runtime.cache_manager.get_file_metadata_cache();
    let entry = cache.get(&file.object_meta.location)?;
    let is_of_file = entry.is_valid_for(&file.object_meta);
    let metadata = entry.file_metadata.as_any();
    let metadata = metadata.downcast_ref::<CachedParquetMetaData>()?;
    is_of_file.then(|| Arc::clone(metadata.parquet_metadata()))
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

/// The columns of a table whose statistics are not those of their values.
struct Doubtful {
    /// For each column, whether its bounds may be others.
    bounds: Vec<bool>,
    /// For each column, whether the number of its NULLs may be another.
    nulls: Vec<bool>,
}

fn without_doubtful(config: &FileScanConfig, runtime: &RuntimeEnv) -> Option<FileScanConfig> {
    let doubtful = Doubtful {
        bounds: doubtful_bounds(config),
        nulls: uncounted(config, runtime),
    };
    if !doubtful.bounds.contains(&true) && !doubtful.nulls.contains(&true) {
        return None;
    }
    let groups = config.file_groups.iter().map(|group| {
        let files = group.files().iter().map(|file| {
            let mut file = file.clone();
            let known = file.statistics.as_deref();
            file.statistics = known.map(|known| Arc::new(without(known.clone(), &doubtful)));
            file
        });
        let files = FileGroup::new(files.collect());
        match group.file_statistics(None) {
            Some(known) => files.with_statistics(Arc::new(without(known.clone(), &doubtful))),
            None => files,
        }
    });
    let groups = groups.collect();
    let statistics = without(config.statistics(), &doubtful);
    Some(
        FileScanConfigBuilder::from(config.clone())
            .with_file_groups(groups)
            .with_statistics(statistics)
            .build(),
    )
}

/// For each column, whether its bounds may not be those of its values.
fn doubtful_bounds(config: &FileScanConfig) -> Vec<bool> {
    let mut is_doubtful = floats(config);
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

fn without(mut statistics: Statistics, doubtful: &Doubtful) -> Statistics {
    let columns = statistics.column_statistics.iter_mut();
    for ((column, bounds), nulls) in columns.zip(&doubtful.bounds).zip(&doubtful.nulls) {
        if *bounds {
            column.min_value = Precision::Absent;
            column.max_value = Precision::Absent;
            column.sum_value = Precision::Absent;
        }
        if *nulls {
            column.null_count = Precision::Absent;
        }
    }
    statistics
}

fn scan(
    config: &FileScanConfig,
    source: &ParquetSource,
    runtime: &RuntimeEnv,
) -> Option<FileScanConfig> {
    let predicate = config.file_source().filter()?;
    let floats = floats(config);
    let uncounted = uncounted(config, runtime);
    let is_safe = |expr: &&Arc<dyn PhysicalExpr>| {
        let columns = collect_columns(expr);
        let reads = |of: &[bool]| {
            let mut columns = columns.iter();
            columns.any(|column| of.get(column.index()).copied().unwrap_or(false))
        };
        !(reads(&floats) || reads(&uncounted) && may_ask_for_null(expr))
    };
    let (safe, doubtful): (Vec<_>, Vec<_>) =
        split_conjunction(&predicate).into_iter().partition(is_safe);
    if doubtful.is_empty() {
        return None;
    }
    let mut kept: Vec<_> = safe.into_iter().map(Arc::clone).collect();
    let mut prunes = true;
    if source.table_parquet_options().global.pushdown_filters {
        // The scan itself must filter rows by these conditions, unless they are dynamic filters: the operator that
        // made a dynamic filter checks each row again.
        let fixed = |expr: &&Arc<dyn PhysicalExpr>| !is_dynamic(expr);
        let before = kept.len();
        kept.extend(doubtful.into_iter().filter(fixed).map(Arc::clone));
        prunes = kept.len() == before;
    }
    let source = source.with_predicate(conjunction(kept));
    Some(with_pruning(config, source, prunes))
}

/// Whether the condition is a filter that changes while the query runs.
fn is_dynamic(expr: &Arc<dyn PhysicalExpr>) -> bool {
    snapshot_generation(expr) != 0
}

/// Whether the condition contains `IS NULL`, or may contain it when the query runs.
fn may_ask_for_null(expr: &Arc<dyn PhysicalExpr>) -> bool {
    let asks = expr.exists(|part| Ok(part.is::<IsNullExpr>()));
    is_dynamic(expr) || asks.unwrap_or(true)
}
