//! Runs its input with a smaller batch size than the session's, for all operators below it.

use crate::operators::one_input::passes_rows;
use crate::operators::task_context::with_options;
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use std::sync::Arc;

/// Runs its input with a batch size of `rows`.
#[derive(Debug)]
pub(super) struct BatchRowsExec {
    input: Arc<dyn ExecutionPlan>,
    rows: usize,
}

impl BatchRowsExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, rows: usize) -> Self {
        Self { input, rows }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(input, self.rows)))
    }
}

impl DisplayAs for BatchRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "BatchRowsExec: rows={}", self.rows)
    }
}

impl ExecutionPlan for BatchRowsExec {
    passes_rows!(input, "BatchRowsExec");

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = ConfigNonZeroUsize::try_new(self.rows)?;
        let context = with_options(&context, |options| options.execution.batch_size = rows);
        self.input.execute(partition, context)
    }
}
