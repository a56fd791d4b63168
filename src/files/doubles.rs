//! Statistics of floating-point columns are not believed.
//!
//! Writers leave NaN out of least and greatest values, as the format of Parquet asks for, so that
//! `[0.5, NaN, 0.5]` looks like a constant, and no row of it like one that is greater than 1 (in the order of
//! SQL here NaN is the greatest). The engine believes both. Two rules keep it from that: the first takes
//! these values out of the statistics of a scan before any other rule sees them, the last takes comparisons
//! of such columns out of what row groups and pages are skipped by; rows are still filtered by them.

use datafusion::arrow::datatypes::Schema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, Statistics};
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_expr::{PhysicalExpr, conjunction};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use std::any::Any;
use std::sync::Arc;

/// Takes least and greatest values of floating-point columns out of the statistics of scans of Parquet.
#[derive(Debug)]
pub(crate) struct DoubtDoubles;

/// Keeps comparisons of floating-point columns from skipping parts of Parquet files.
#[derive(Debug)]
pub(crate) struct ScanDoubles;

/// A change of a scan of Parquet.
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

impl PhysicalOptimizerRule for DoubtDoubles {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, |config, _| doubt(config))
    }

    fn name(&self) -> &str {
        "doubt_doubles"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl PhysicalOptimizerRule for ScanDoubles {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        change(plan, scan)
    }

    fn name(&self) -> &str {
        "scan_doubles"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn doubt(config: &FileScanConfig) -> Option<FileScanConfig> {
    let schema = config.file_source().table_schema().table_schema();
    if !schema
        .fields()
        .iter()
        .any(|field| field.data_type().is_floating())
    {
        return None;
    }
    let groups = config.file_groups.iter().map(|group| {
        let files = group.files().iter().map(|file| {
            let mut file = file.clone();
            let doubted = file.statistics.as_deref();
            file.statistics = doubted.map(|known| Arc::new(without(known.clone(), schema)));
            file
        });
        let files = FileGroup::new(files.collect());
        match group.file_statistics(None) {
            Some(known) => files.with_statistics(Arc::new(without(known.clone(), schema))),
            None => files,
        }
    });
    let groups = groups.collect();
    let statistics = without(config.statistics(), schema);
    Some(
        FileScanConfigBuilder::from(config.clone())
            .with_file_groups(groups)
            .with_statistics(statistics)
            .build(),
    )
}

fn without(mut statistics: Statistics, schema: &Schema) -> Statistics {
    for (column, field) in statistics.column_statistics.iter_mut().zip(schema.fields()) {
        if field.data_type().is_floating() {
            column.min_value = Precision::Absent;
            column.max_value = Precision::Absent;
            column.sum_value = Precision::Absent;
        }
    }
    statistics
}

fn scan(config: &FileScanConfig, source: &ParquetSource) -> Option<FileScanConfig> {
    let predicate = config.file_source().filter()?;
    // Rows are then filtered in the scan itself, by the same expression.
    if source.table_parquet_options().global.pushdown_filters {
        return None;
    }
    let schema = config.file_source().table_schema().table_schema();
    let is_safe = |expr: &&Arc<dyn PhysicalExpr>| {
        let columns = collect_columns(expr);
        !columns.iter().any(|column| {
            let field = schema.fields().get(column.index());
            field.is_some_and(|field| field.data_type().is_floating())
        })
    };
    let all = split_conjunction(&predicate);
    let count = all.len();
    let safe: Vec<_> = all.into_iter().filter(is_safe).map(Arc::clone).collect();
    (safe.len() < count).then(|| {
        let source = source.with_predicate(conjunction(safe));
        FileScanConfigBuilder::from(config.clone())
            .with_source(Arc::new(source))
            .build()
    })
}
