//! Rows of Python distributed over the partitions of a table in memory.

use arrow::array::RecordBatch;
use datafusion::prelude::SessionConfig;

/// Maximum number of rows of a batch: a table from Python may consist of a single large one.
const BATCH_ROWS: usize = 8192;

/// Cuts batches into slices, which share the memory of the batches, and distributes consecutive slices over
/// the partitions: all of the session's, unless the rows fit into one batch. The engine distributes the rows of fewer
/// partitions again while it runs a query, which changes their order.
pub(crate) fn spread(batches: &[RecordBatch], config: &SessionConfig) -> Vec<Vec<RecordBatch>> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let runs = match rows > config.batch_size() {
        true => config.target_partitions().max(1),
        false => 1,
    };
    let mut spread = vec![Vec::new(); runs];
    let mut begun = 0;
    for batch in batches {
        let mut start = 0;
        while start < batch.num_rows() {
            // The run of the next row, and the row at which it ends.
            let run = begun * runs / rows;
            let end = ((run + 1) * rows).div_ceil(runs);
            let length = (batch.num_rows() - start).min(end - begun).min(BATCH_ROWS);
            spread[run].push(batch.slice(start, length));
            start += length;
            begun += length;
        }
    }
    spread
}
