//! The file source of DataFusion's scan: the projected columns, and the opener of files.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileOpenFuture, FileOpener, FileScanConfig, FileSource,
};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::expressions::Column;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, PhysicalExpr};
use tokio::runtime::Handle;

use super::columns::word_vector_schema;
use super::decode::Decode;
use super::options::WordVectorOptions;
use crate::files::StoredFile;

/// Default number of rows of a batch.
const BATCH_ROWS: usize = 8192;

/// The file source for word vectors. It holds the options; the files are in the file scan that contains it.
#[derive(Debug, Clone)]
pub struct WordVectorSource {
    options: WordVectorOptions,
    table_schema: TableSchema,
    projection: SplitProjection,
    batch_rows: usize,
    metrics: ExecutionPlanMetricsSet,
}

impl WordVectorSource {
    /// A scan of all columns.
    #[must_use]
    pub fn new(options: WordVectorOptions) -> Self {
        let table_schema = TableSchema::from(word_vector_schema());
        Self {
            options,
            projection: SplitProjection::unprojected(&table_schema),
            table_schema,
            batch_rows: BATCH_ROWS,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// The options of reading.
    #[must_use]
    pub fn options(&self) -> &WordVectorOptions {
        &self.options
    }
}

impl FileSource for WordVectorSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let opener = WordVectorOpener {
            source: self.clone(),
            store,
            address: config.object_store_url.as_str().to_owned(),
            max_rows: config.limit.unwrap_or(usize::MAX).min(self.batch_rows),
            partition,
        };
        ProjectionOpener::try_new(
            self.projection.clone(),
            Arc::new(opener),
            self.table_schema.file_schema(),
        )
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, rows: usize) -> Arc<dyn FileSource> {
        Arc::new(Self {
            batch_rows: rows,
            ..self.clone()
        })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "word_vectors"
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.options.format {
            None => write!(f, ", format=auto"),
            Some(format) => write!(f, ", format={format:?}"),
        }
    }

    /// A file is not split: it is read from its beginning to its end.
    fn supports_repartitioning(&self) -> bool {
        false
    }

    /// Accepts projections of plain columns; computed expressions stay in an operator above the scan.
    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let only_columns = projection.iter().all(|each| each.expr.is::<Column>());
        if !only_columns {
            return Ok(None);
        }
        let merged = self.projection.source.try_merge(projection)?;
        Ok(Some(Arc::new(Self {
            projection: SplitProjection::new(self.table_schema.file_schema(), &merged),
            ..self.clone()
        })))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for each in &self.projection.source {
            if f(&each.expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

struct WordVectorOpener {
    source: WordVectorSource,
    store: Arc<dyn ObjectStore>,
    /// Address of the store.
    address: String,
    max_rows: usize,
    partition: usize,
}

impl FileOpener for WordVectorOpener {
    fn open(&self, part: PartitionedFile) -> Result<FileOpenFuture> {
        let decode = Decode {
            file: StoredFile::new(Arc::clone(&self.store), &self.address, part.object_meta),
            options: self.source.options,
            columns: self.source.projection.file_indices.clone(),
            max_rows: self.max_rows,
            metrics: self.source.metrics.clone(),
            partition: self.partition,
        };
        Ok(Box::pin(async move { decode.start(Handle::current()) }))
    }
}
