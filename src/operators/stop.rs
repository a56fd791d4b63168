//! Tells the tasks that read the partitions of an input to stop.

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use futures::channel::oneshot;
use futures::future::{Either, FutureExt, Shared, select};
use parking_lot::Mutex;

/// A signal that tasks share.
pub(super) struct Stop {
    /// Dropped when the tasks are to stop.
    running: Mutex<Option<oneshot::Sender<()>>>,
    stopped: Shared<oneshot::Receiver<()>>,
}

impl Stop {
    pub(super) fn new() -> Self {
        let (running, stopped) = oneshot::channel();
        Self {
            running: Mutex::new(Some(running)),
            stopped: stopped.shared(),
        }
    }

    /// Stops all tasks.
    pub(super) fn stop(&self) {
        self.running.lock().take();
    }

    /// The next batch of a partition, `Some(None)` at its end; `None` if tasks were told to stop, also while they wait for
    /// a batch: one that is sent to another partition may have to be read first. An error stops all tasks.
    pub(super) async fn next(
        &self,
        rows: &mut SendableRecordBatchStream,
    ) -> Result<Option<Option<RecordBatch>>> {
        let next = select(self.stopped.clone(), rows.next()).await;
        match next {
            Either::Left(_) => Ok(None),
            Either::Right((Some(Err(error)), _)) => {
                self.stop();
                Err(error)
            }
            Either::Right((next, _)) => next.transpose().map(Some),
        }
    }
}
