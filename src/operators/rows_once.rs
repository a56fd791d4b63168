//! A plan over rows that are being read: each of its partitions can be executed once.

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// A plan whose partitions are these rows.
pub(crate) fn rows_once(
    schema: &SchemaRef,
    partitions: impl IntoIterator<Item = SendableRecordBatchStream>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let partitions = partitions.into_iter().map(|rows| {
        let schema = Arc::clone(schema);
        let rows = Mutex::new(Some(rows));
        Arc::new(RowsOnce { schema, rows }) as _
    });
    let plan = StreamingTableExec::try_new(
        Arc::clone(schema),
        partitions.collect(),
        None,
        [],
        false,
        None,
    )?;
    Ok(Arc::new(plan))
}

/// The rows of a partition, which are read once.
struct RowsOnce {
    schema: SchemaRef,
    rows: Mutex<Option<SendableRecordBatchStream>>,
}

impl fmt::Debug for RowsOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowsOnce")
    }
}

impl PartitionStream for RowsOnce {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.lock().take();
        rows.unwrap_or_else(|| {
            let again = internal_err!("the rows of a partition are read once");
            let schema = Arc::clone(&self.schema);
            let rows = futures::stream::once(async move { again });
            Box::pin(RecordBatchStreamAdapter::new(schema, rows))
        })
    }
}
