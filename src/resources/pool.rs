//! The memory pool of sessions with a memory limit.

use datafusion::common::{DataFusionError, Result, human_readable_size};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::fmt::{Display, Formatter};

/// Share of the memory that a consumer may hold beside others, and that it leaves to those that cannot spill: a
/// sixteenth.
const RESERVED_DIVISOR: usize = 16;

/// A consumer that holds less than this share of a sixteenth, a quarter, asks for its first batch.
const FIRST: usize = 4;

/// The beginning of the names of the engine's merges of sorted runs.
const MERGE: &str = "ExternalSorterMerge";

/// Upper bound of the memory that a consumer needs to write its rows, in units of what it released for them: sorting
/// takes twice the memory of the rows in the worst case.
const RELEASED: usize = 2;

/// The allocator gives pages back once this share of the memory was released, a quarter, and a sixteenth of it is wanted
/// again.
const RETURNED_DIVISOR: usize = 4;

/// A pool for consumers that can spill and consumers that cannot. A consumer that cannot spill may take any free
/// memory, and a sixteenth of the whole is left to such consumers. Of the rest, the consumers that can spill share one
/// half first come, first served; the other half is divided among them in equal parts, up to which they may grow if
/// memory is free. Each of them may also take any free memory for its first batch, without which a sort cannot
/// continue, and up to a sixteenth of the whole for what follows, such as the first two runs of a merge.
///
/// A merge of the engine (DataFusion 55) cannot spill, and takes memory for as many runs as it is given memory for. It may
/// hold half of what others leave: the operators that read its rows need memory, too. It merges the other runs later.
///
/// A consumer that spills releases its memory, and then reserves what the rows take while they are sorted and written.
/// They are in memory already, so that request is granted in any case, up to twice of what was released, even if others
/// have reserved the memory meanwhile. To refuse it would end the query.
///
/// In the engine's `FairSpillPool` a sort spills once it holds an equal part of the whole, even if no other consumer
/// needs memory, and fails if its first batch is larger than that part. A plan of sixty sorts and aggregates divides
/// 400 MB into parts of 5 MB, though few of them hold rows at the same time.
///
/// The GNU C library keeps pages that were freed between others that are in use: after an operator of 4 GB the process
/// would have 4 GB, whatever the next one holds. So the pool lets it return them before other operators take memory.
#[derive(Debug)]
pub(super) struct SharedPool {
    bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of consumers that can spill.
    spillers: usize,
    spillable: usize,
    unspillable: usize,
    /// What consumers that can spill have released since their last request, by consumer.
    released: HashMap<usize, usize>,
    /// The largest number of reserved bytes since pages were returned.
    high: usize,
    /// The smallest one since then.
    low: usize,
}

impl SharedPool {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            state: Mutex::default(),
        }
    }

    /// Counts memory, and lets free pages be returned if that is due, while others may reserve.
    fn reserve(
        &self,
        mut state: MutexGuard<'_, State>,
        reservation: &MemoryReservation,
        additional: usize,
    ) {
        *state.held(reservation) += additional;
        let is_due = state.is_return_due(self.bytes);
        drop(state);
        if is_due {
            return_free_pages();
        }
    }
}

impl Display for SharedPool {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let size = human_readable_size(self.bytes);
        write!(f, "{}(pool_size: {size})", self.name())
    }
}

impl MemoryPool for SharedPool {
    fn name(&self) -> &str {
        "shared"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.state.lock().spillers += usize::from(consumer.can_spill());
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        let mut state = self.state.lock();
        state.released.remove(&consumer.id());
        state.spillers = state
            .spillers
            .saturating_sub(usize::from(consumer.can_spill()));
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.reserve(self.state.lock(), reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut state = self.state.lock();
        let held = state.held(reservation);
        *held = held.saturating_sub(shrink);
        state.low = state.low.min(state.reserved());
        let consumer = reservation.consumer();
        if consumer.can_spill() {
            *state.released.entry(consumer.id()).or_default() += shrink;
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut state = self.state.lock();
        let reserve = self.bytes / RESERVED_DIVISOR;
        let half = self.bytes.saturating_sub(reserve + state.unspillable) / 2;
        let free = self
            .bytes
            .saturating_sub(state.unspillable.saturating_add(state.spillable));
        let holds = reservation.size();
        let consumer = reservation.consumer();
        let released = state.released.remove(&consumer.id()).unwrap_or(0);
        let available = match consumer.can_spill() {
            false if consumer.name().starts_with(MERGE) => {
                let half = (free + holds) / 2;
                half.max(reserve.min(free + holds)).saturating_sub(holds)
            }
            false => free,
            true => {
                let part = half / state.spillers.max(1);
                let room = free.saturating_sub(reserve);
                let first = match holds > reserve / FIRST {
                    false => room,
                    true => reserve.saturating_sub(holds).min(room),
                };
                let own = part.saturating_sub(holds).max(first);
                let shared = half.saturating_sub(state.spillable).max(own).min(free);
                shared.max(released.saturating_mul(RELEASED))
            }
        };
        if additional > available {
            return Err(DataFusionError::ResourcesExhausted(format!(
                "{} more for {} do not fit: it holds {}, {} are left of the memory limit of {}",
                human_readable_size(additional),
                consumer.name(),
                human_readable_size(holds),
                human_readable_size(available),
                human_readable_size(self.bytes),
            )));
        }
        self.reserve(state, reservation, additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.state.lock().reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.bytes)
    }
}

impl State {
    fn reserved(&self) -> usize {
        self.spillable.saturating_add(self.unspillable)
    }

    /// Whether free pages should be returned now that memory was reserved: after much was released, and before as much is
    /// in use again.
    fn is_return_due(&mut self, bytes: usize) -> bool {
        let reserved = self.reserved();
        let is_due = self.high - self.low >= bytes / RETURNED_DIVISOR
            && reserved - self.low >= bytes / RESERVED_DIVISOR;
        if is_due || reserved > self.high {
            self.high = reserved;
            self.low = reserved;
        }
        is_due
    }

    fn held(&mut self, reservation: &MemoryReservation) -> &mut usize {
        match reservation.consumer().can_spill() {
            true => &mut self.spillable,
            false => &mut self.unspillable,
        }
    }
}

/// Limits the number of heaps of the C library's allocator (glibc) to that of the threads that allocate most. Memory that is
/// free in one heap is not used by the threads of another one. By default, there are up to eight for each core, and a
/// process holds up to half as much memory again as it uses. Call it before the first thread is started. It does nothing if
/// the environment sets options of the allocator (`MALLOC_ARENA_MAX`, `GLIBC_TUNABLES`), and with another C library.
pub fn limit_heaps(threads: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if let Ok(heaps) = threads.max(1).try_into()
        && ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"]
            .iter()
            .all(|name| std::env::var_os(name).is_none())
    {
        // SAFETY: the function changes a number of the allocator, under its lock.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, heaps);
        }
    }
}

/// Lets the allocator return free pages to the system.
fn return_free_pages() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function reads and writes what the allocator keeps about free memory, under the locks of the allocator.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn one_takes_half_and_the_others_are_sure_of_their_parts() {
        let pool: Arc<dyn MemoryPool> = Arc::new(SharedPool::new(1000));
        let spiller = |name| {
            MemoryConsumer::new(name)
                .with_can_spill(true)
                .register(&pool)
        };
        let first = spiller("first");
        let large = spiller("large");
        let others = [spiller("a"), spiller("b"), spiller("c"), spiller("d")];
        first.try_grow(469).expect("nobody else wants memory");
        let error = first.try_grow(1).expect_err("more than half");
        assert!(error.to_string().contains("first"), "{error}");
        for other in &others {
            other.try_grow(60).expect("a first batch");
            other.try_grow(18).expect("the rest of its part");
            assert!(other.try_grow(1).is_err());
        }
        large.try_grow(106).expect("a first batch above its part");
        assert!(large.try_grow(1).is_err());
        large.free();
        let fixed = MemoryConsumer::new("fixed").register(&pool);
        fixed.try_grow(219).expect("what is free");
        assert!(fixed.try_grow(1).is_err());
        assert_eq!(pool.reserved(), 1000);
        drop((first, others, large, fixed));
        assert_eq!(pool.reserved(), 0);
    }

    #[test]
    fn what_was_released_to_be_written_is_granted_again() {
        let pool: Arc<dyn MemoryPool> = Arc::new(SharedPool::new(1000));
        let spiller = |name| {
            MemoryConsumer::new(name)
                .with_can_spill(true)
                .register(&pool)
        };
        let (grouping, fixed) = (
            spiller("grouping"),
            MemoryConsumer::new("fixed").register(&pool),
        );
        grouping.try_grow(400).expect("less than half");
        grouping.shrink(399);
        fixed.try_grow(990).expect("what is free");
        grouping.try_grow(410).expect("the rows that are written");
        assert!(grouping.try_grow(1).is_err(), "once");
        grouping.shrink(410);
        assert!(grouping.try_grow(821).is_err(), "more than twice");
        fixed.free();
        grouping.try_grow(300).expect("memory is free");
    }

    /// The merge of a million runs left no memory for the operators that read its rows.
    #[test]
    fn a_merge_leaves_half_of_the_memory() {
        let pool: Arc<dyn MemoryPool> = Arc::new(SharedPool::new(1000));
        let merge =
            |partition| MemoryConsumer::new(format!("{MERGE}[{partition}]")).register(&pool);
        let (first, second) = (merge(0), merge(1));
        let runs =
            |merge: &MemoryReservation| (0..1000).filter(|_| merge.try_grow(10).is_ok()).count();
        assert_eq!(runs(&first), 50);
        assert_eq!(runs(&second), 25);
        let grouping = MemoryConsumer::new("grouping").with_can_spill(true);
        let grouping = grouping.register(&pool);
        grouping.try_grow(180).expect("memory is free");
        let fixed = MemoryConsumer::new("fixed").register(&pool);
        fixed.try_grow(8).expect("memory is free");
        let third = merge(2);
        assert_eq!(runs(&third), 6, "up to a sixteenth of the whole");
    }

    #[test]
    fn pages_are_returned_after_much_was_released() {
        let mut state = State::default();
        let mut reserve = |bytes: usize| {
            let is_more = bytes > state.reserved();
            state.unspillable = bytes;
            state.low = state.low.min(bytes);
            is_more && state.is_return_due(1600)
        };
        let due: Vec<usize> = [
            100, 900, 1000, // The first growth returns nothing.
            601, 701, 1000, // Less than a quarter was released.
            600, 699, 700, // A sixteenth is wanted again.
            800, 400, 450, 500, 100, 1500, 0, 99, 0, 100,
        ]
        .into_iter()
        .filter(|&bytes| reserve(bytes))
        .collect();
        assert_eq!(due, [700, 500, 1500, 100]);
    }
}
