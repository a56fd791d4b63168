//! Ignores statistics of columns in Parquet files that are not those of their values.
//!
//! Writers leave NaN out of minimum and maximum values, as the Parquet format requires. The statistics of
//! `[0.5, NaN, 0.5]` therefore describe a constant column whose maximum is 0.5, although NaN is the largest value in
//! the engine's SQL. The engine would rely on them. So these values are removed from the statistics of a scan where it is
//! made, or, for planners that are not ours, by a rule that comes before any other; and a rule that comes last removes
//! comparisons of such columns from the predicate by which row groups and pages are pruned. Rows are still filtered by
//! these comparisons.
//!
//! Of a column whose type in a file is not that of the table, such as a 32-bit integer beside 64-bit ones, the engine
//! (DataFusion 55) takes the bounds for NULL, and leaves the values of the file out of those of the table. So bounds are
//! also removed of columns that have none in a file with values.
//!
//! The statistics of a scan do not tell everything that the metadata of a file does:
//!
//! - Writers leave out the bounds of a row group, such as that of a long text (Arrow C++). The engine then takes the bounds of
//!   the other row groups for those of the file. So the bounds of such a column are removed.
//! - Writers may leave out how many values of a column are NULL. The engine then takes the number for 0: `count(text)` would
//!   count the NULLs of such a file, and `text IS NULL` would skip its row groups. So these numbers are removed from the
//!   statistics of a scan, and such conditions from its pruning predicate.
//! - Before 2017 writers compared the bytes of texts and unsigned numbers as signed ones. Such bounds are in fields of their
//!   own in the metadata (`min` and `max`), and the engine takes them for bounds in its order. They are treated as those of
//!   floating-point numbers.
//!
//! The session's cache has the metadata, because the statistics were read from it. All of this is assumed of a file whose
//! metadata was displaced from the cache.

use super::metadata::{metadata, of_entry, refuse_lost_values};
use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider};
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, ScalarValue, Statistics, exec_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::{TableType, provider_as_source, source_as_provider};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, TableScan};
use datafusion::parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use datafusion::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use datafusion::parquet::file::statistics::Statistics as ParquetStatistics;
use datafusion::physical_expr::expressions::{BinaryExpr, IsNullExpr};
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_expr::{PhysicalExpr, conjunction};
use datafusion::physical_expr_common::physical_expr::snapshot_generation;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::ObjectMeta;
use std::any::Any;
use std::sync::Arc;

/// The plan with tables whose Parquet scans do not have the statistics that [`DropDoubtfulStatistics`] removes. Operators
/// read these while a physical plan is made, before the first rule: a filter of a column whose least value is above its
/// greatest one would be an internal error.
///
/// # Errors
/// None at present.
pub(crate) fn without_doubtful_statistics(plan: LogicalPlan) -> Result<LogicalPlan> {
    let changed = plan.transform_down_with_subqueries(|node| {
        let LogicalPlan::TableScan(scan) = node else {
            return Ok(Transformed::no(node));
        };
        Ok(match source_as_provider(&scan.source) {
            Ok(table) => Transformed::yes(LogicalPlan::TableScan(TableScan {
                source: provider_as_source(Arc::new(WithoutDoubtful { table })),
                ..scan
            })),
            Err(_) => Transformed::no(LogicalPlan::TableScan(scan)),
        })
    })?;
    Ok(changed.data)
}

/// A table without doubtful statistics.
#[derive(Debug)]
struct WithoutDoubtful {
    table: Arc<dyn TableProvider>,
}

#[async_trait]
impl TableProvider for WithoutDoubtful {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        self.table.table_type()
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.table.scan(session, projection, filters, limit).await?;
        check_files(&plan, session).await?;
        change(plan, |config, _| {
            without_doubtful(config, session.runtime_env())
        })
    }

    async fn scan_with_args<'a>(
        &self,
        session: &dyn Session,
        arguments: ScanArgs<'a>,
    ) -> Result<ScanResult> {
        let plan = self
            .table
            .scan_with_args(session, arguments)
            .await?
            .into_inner();
        check_files(&plan, session).await?;
        let plan = change(plan, |config, _| {
            without_doubtful(config, session.runtime_env())
        })?;
        Ok(plan.into())
    }
}

/// Reads the metadata that the session's cache does not have of the files of a plan's Parquet scans.
///
/// # Errors
/// If the engine would leave values of a file out ([`refuse_lost_values`]). A file that cannot be read is no error here, but
/// of the scan.
async fn check_files(plan: &Arc<dyn ExecutionPlan>, session: &dyn Session) -> Result<()> {
    let runtime = session.runtime_env();
    let mut files = vec![];
    plan.apply(|plan| {
        if let Some((config, _)) = parquet_scan(plan) {
            let of_scan = config.file_groups.iter().flat_map(FileGroup::files);
            let missing = of_scan.filter(|file| cached(file, runtime).is_none());
            let missing =
                missing.map(|file| (config.object_store_url.clone(), file.object_meta.clone()));
            files.extend(missing);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let at_once = session.config_options().execution.meta_fetch_concurrency;
    stream::iter(files)
        .map(|(store, file)| check_file(store, file, Arc::clone(runtime)))
        .buffered(at_once.get())
        .try_collect()
        .await
}

async fn check_file(
    store: ObjectStoreUrl,
    file: ObjectMeta,
    runtime: Arc<RuntimeEnv>,
) -> Result<()> {
    let found = runtime.object_store(&store)?;
    match metadata(&found, &file, &runtime).await {
        Ok(metadata) => {
            refuse_lost_values(&metadata).map_err(|error| in_file(&store, &file, &error))
        }
        Err(_) => Ok(()),
    }
}

/// Removes from the statistics of Parquet scans the minimum and maximum values of floating-point columns, of those without
/// bounds in a row group, and of those with bounds in another order, and the numbers of NULLs that a file does not have.
#[derive(Debug)]
pub(crate) struct DropDoubtfulStatistics {
    /// The runtime whose cache has the metadata of files.
    pub(crate) runtime: Arc<RuntimeEnv>,
}

/// Removes from the pruning predicates of Parquet scans the comparisons of floating-point columns and of those with bounds in
/// another order, and the conditions that a column is NULL whose NULLs a file does not count.
#[derive(Debug)]
pub(crate) struct PruneByKnownValues {
    /// The runtime whose cache has the metadata of files.
    pub(crate) runtime: Arc<RuntimeEnv>,
}

/// Disables pruning for Parquet files with columns to which [`PruneByKnownValues`] may apply. It replaces
/// that rule on a cluster, where filters are pushed down after the last rule of neardup.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub(crate) struct ReadAllOfDoubtful {
    /// The runtime whose cache has the metadata of files.
    pub(crate) runtime: Arc<RuntimeEnv>,
}

/// The parts of a Parquet scan.
fn parquet_scan(plan: &Arc<dyn ExecutionPlan>) -> Option<(&FileScanConfig, &ParquetSource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    Some((
        config,
        config.file_source().downcast_ref::<ParquetSource>()?,
    ))
}

/// Changes Parquet scans; `None` leaves a scan as it is.
fn change(
    plan: Arc<dyn ExecutionPlan>,
    change: impl Fn(&FileScanConfig, &ParquetSource) -> Result<Option<FileScanConfig>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let changed = plan.transform_up(|plan| {
        let changed = match parquet_scan(&plan) {
            Some((config, source)) => change(config, source)?,
            None => None,
        };
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
            let unknown = Unknown::of(config, &self.runtime)?;
            let is_doubtful = unknown.order.contains(&true) || unknown.nulls.contains(&true);
            Ok(is_doubtful.then(|| with_pruning(config, source.clone(), false)))
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

/// What is not known of the values of each column of the table.
struct Unknown {
    /// Whether bounds may be missing in a row group of a file that has others.
    bounds: Vec<bool>,
    /// Whether bounds may be those of another order than the engine's.
    order: Vec<bool>,
    /// Whether NULLs may not be counted.
    nulls: Vec<bool>,
}

impl Unknown {
    /// # Errors
    /// If the engine would leave values of a file out ([`refuse_lost_values`]).
    fn of(config: &FileScanConfig, runtime: &RuntimeEnv) -> Result<Self> {
        let table = config.file_source().table_schema();
        let partitions = table.table_partition_cols().len();
        let fields = table.table_schema().fields();
        let of_files = fields.len() - partitions;
        let mut unknown = Self {
            bounds: vec![false; fields.len()],
            order: floats(config),
            nulls: vec![false; fields.len()],
        };
        for file in config.file_groups.iter().flat_map(FileGroup::files) {
            let Some(metadata) = cached(file, runtime) else {
                for all in [&mut unknown.bounds, &mut unknown.order, &mut unknown.nulls] {
                    all[..of_files].fill(true);
                }
                break;
            };
            refuse_lost_values(&metadata)
                .map_err(|error| in_file(&config.object_store_url, &file.object_meta, &error))?;
            for group in metadata.row_groups() {
                for chunk in group.columns() {
                    let name = chunk.column_path().parts().first();
                    let mut named = fields[..of_files].iter();
                    if let Some(column) = named.position(|field| Some(field.name()) == name) {
                        unknown.bounds[column] |= lacks_bounds(group, chunk);
                        unknown.order[column] |= has_bounds_of_signed_bytes(chunk);
                        let counts = |known: &ParquetStatistics| known.null_count_opt().is_some();
                        unknown.nulls[column] |= !chunk.statistics().is_none_or(counts);
                    }
                }
            }
        }
        Ok(unknown)
    }
}

/// The error of a file.
fn in_file(store: &ObjectStoreUrl, file: &ObjectMeta, error: &DataFusionError) -> DataFusionError {
    let store = store.as_str();
    let store = store.strip_prefix("file://").unwrap_or(store);
    exec_datafusion_err!("{store}{}: {}", file.location, error.message())
}

/// Whether a column chunk that may have a value does not have both bounds.
fn lacks_bounds(group: &RowGroupMetaData, chunk: &ColumnChunkMetaData) -> bool {
    let has_both = |known: &ParquetStatistics| {
        known.min_bytes_opt().is_some() && known.max_bytes_opt().is_some()
    };
    let nulls = chunk
        .statistics()
        .and_then(ParquetStatistics::null_count_opt);
    let has_values = group.num_rows() > 0 && nulls != u64::try_from(group.num_rows()).ok();
    has_values && !chunk.statistics().is_some_and(has_both)
}

/// Whether the bounds of a column chunk are in the fields for an order of signed bytes and numbers, which is not that of
/// its values.
fn has_bounds_of_signed_bytes(chunk: &ColumnChunkMetaData) -> bool {
    let descriptor = chunk.column_descr();
    let is_unsigned = matches!(
        descriptor.converted_type(),
        ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64
    ) || matches!(
        descriptor.logical_type_ref(),
        Some(LogicalType::Integer(integer)) if !integer.is_signed
    );
    let is_signed = match chunk.column_type() {
        PhysicalType::BOOLEAN => true,
        PhysicalType::INT32 | PhysicalType::INT64 => !is_unsigned,
        _ => false,
    };
    let statistics = chunk.statistics();
    !is_signed && statistics.is_some_and(ParquetStatistics::is_min_max_deprecated)
}

/// The metadata of a Parquet file, if the cache still has it.
fn cached(file: &PartitionedFile, runtime: &RuntimeEnv) -> Option<Arc<ParquetMetaData>> {
    let cache = runtime.cache_manager.get_file_metadata_cache();
    let entry = cache.get(&file.object_meta.location)?;
    match entry.is_valid_for(&file.object_meta) {
        true => of_entry(&entry),
        false => None,
    }
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

/// The scan with pruning of row groups and pages as the session has it, or disabled. Bloom filters are left out, too: that of
/// -0.0 does not have 0.0, which is equal.
fn with_pruning(config: &FileScanConfig, source: ParquetSource, prunes: bool) -> FileScanConfig {
    let mut options = source.table_parquet_options().clone();
    options.global.pruning &= prunes;
    options.global.enable_page_index &= prunes;
    options.global.bloom_filter_on_read &= prunes;
    FileScanConfigBuilder::from(config.clone())
        .with_source(Arc::new(source.with_table_parquet_options(options)))
        .build()
}

fn without_doubtful(
    config: &FileScanConfig,
    runtime: &RuntimeEnv,
) -> Result<Option<FileScanConfig>> {
    let mut unknown = Unknown::of(config, runtime)?;
    add_columns_without_bounds(config, &mut unknown.bounds);
    let Unknown {
        bounds,
        order,
        nulls,
    } = &unknown;
    if ![bounds, order, nulls].iter().any(|of| of.contains(&true)) {
        return Ok(None);
    }
    let groups = config.file_groups.iter().map(|group| {
        let files = group.files().iter().map(|file| {
            let mut file = file.clone();
            let known = file.statistics.as_deref();
            file.statistics = known.map(|known| Arc::new(without(known.clone(), &unknown)));
            file
        });
        let files = FileGroup::new(files.collect());
        match group.file_statistics(None) {
            Some(known) => files.with_statistics(Arc::new(without(known.clone(), &unknown))),
            None => files,
        }
    });
    let groups = groups.collect();
    let statistics = without(config.statistics(), &unknown);
    let builder = FileScanConfigBuilder::from(config.clone())
        .with_file_groups(groups)
        .with_statistics(statistics);
    Ok(Some(builder.build()))
}

/// Marks the columns for which the statistics of a file with values have no bounds.
fn add_columns_without_bounds(config: &FileScanConfig, unknown: &mut [bool]) {
    let files = config.file_groups.iter().flat_map(FileGroup::files);
    for file in files.filter_map(|file| file.statistics.as_deref()) {
        for (column, unknown) in file.column_statistics.iter().zip(&mut *unknown) {
            let bounds = [&column.min_value, &column.max_value].into_iter();
            let without_value = bounds
                .filter_map(Precision::get_value)
                .any(ScalarValue::is_null);
            *unknown |= without_value && column.null_count != file.num_rows;
        }
    }
}

fn without(mut statistics: Statistics, unknown: &Unknown) -> Statistics {
    for (number, column) in statistics.column_statistics.iter_mut().enumerate() {
        let is = |of: &[bool]| of.get(number).copied().unwrap_or(false);
        if is(&unknown.bounds) || is(&unknown.order) {
            column.min_value = Precision::Absent;
            column.max_value = Precision::Absent;
            column.sum_value = Precision::Absent;
        }
        if is(&unknown.nulls) {
            column.null_count = Precision::Absent;
        }
    }
    statistics
}

fn scan(
    config: &FileScanConfig,
    source: &ParquetSource,
    runtime: &RuntimeEnv,
) -> Result<Option<FileScanConfig>> {
    let Some(predicate) = config.file_source().filter() else {
        return Ok(None);
    };
    let unknown = Unknown::of(config, runtime)?;
    let is_safe = |expr: &&Arc<dyn PhysicalExpr>| {
        let columns = collect_columns(expr);
        let reads = |of: &[bool]| {
            let mut columns = columns.iter();
            columns.any(|column| of.get(column.index()).copied().unwrap_or(false))
        };
        !(reads(&unknown.order) || reads(&unknown.nulls) && may_ask_for_null(expr))
    };
    let (safe, doubtful): (Vec<_>, Vec<_>) =
        split_conjunction(&predicate).into_iter().partition(is_safe);
    if doubtful.is_empty() {
        return Ok(None);
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
        if !prunes {
            // A scan with a dynamic filter prunes row groups by the whole predicate whenever the filter changes, also where
            // pruning is disabled.
            kept.retain(|expr| !is_dynamic(expr));
        }
    }
    let source = source.with_predicate(conjunction(kept));
    Ok(Some(with_pruning(config, source, prunes)))
}

/// Whether the condition is a filter that changes while the query runs.
fn is_dynamic(expr: &Arc<dyn PhysicalExpr>) -> bool {
    snapshot_generation(expr) != 0
}

/// Whether the condition may be true of NULL because it contains `IS NULL` or `IS [NOT] DISTINCT FROM`, or may contain them
/// when the query runs.
fn may_ask_for_null(expr: &Arc<dyn PhysicalExpr>) -> bool {
    let compares_nulls = |part: &BinaryExpr| {
        matches!(
            part.op(),
            Operator::IsDistinctFrom | Operator::IsNotDistinctFrom
        )
    };
    let asks = expr.exists(|part| {
        let binary = part.downcast_ref::<BinaryExpr>();
        Ok(part.is::<IsNullExpr>() || binary.is_some_and(compares_nulls))
    });
    is_dynamic(expr) || asks.unwrap_or(true)
}
