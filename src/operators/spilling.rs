//! Spill files and memory reservations of operators that can spill.

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::SpillManager;

/// Writes and reads spill files of rows of a schema, with the compression that the session sets.
pub(crate) fn spill_manager(
    context: &TaskContext,
    metrics: SpillMetrics,
    schema: SchemaRef,
) -> SpillManager {
    let options = context.session_config().options();
    SpillManager::new(context.runtime_env(), metrics, schema)
        .with_compression_type(options.execution.spill_compression)
}

/// An empty reservation of memory for rows that can be spilled. `name` is that of the consumer in errors.
pub(crate) fn spillable_memory(context: &TaskContext, name: &str) -> MemoryReservation {
    MemoryConsumer::new(name)
        .with_can_spill(true)
        .register(context.memory_pool())
}
