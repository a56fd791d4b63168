//! Creates the join of the kernels from the parameters of the operator.

use super::input::SortedPart;
use super::{Candidates, GroupRule, Spec, Verify};
use neardup_kernels::pairs as kernel;

/// A join in progress.
pub(super) enum Join {
    Keys(Box<kernel::PairJoin>),
    All(kernel::AllPairs),
    Windows(kernel::WindowPairs),
}

impl Join {
    /// An upper bound of the bytes that the workers of a comparison of all rows hold in linked mode.
    fn memory_of_links(spec: &Spec, rows: usize, workers: usize) -> usize {
        let each = kernel::AllPairs::memory_of_linked_worker(rows);
        spec.max_bucket_pairwise.map_or(0, |_| workers * each)
    }

    /// An upper bound of the bytes that the joins of a part hold, without the rows themselves.
    pub(super) fn memory_for(spec: &Spec, part: &SortedPart, number: u32, workers: usize) -> usize {
        let rows = part.ids.len();
        match windows(spec) {
            Some(windows) => {
                let width = part.rows.signatures.width();
                workers * kernel::WindowPairs::memory_of_worker(rows, width, &windows)
            }
            None if spec.candidates == Candidates::All => {
                // The transposed signatures are as large as the signatures. Posting lists of sparse vectors are
                // larger while they are sorted.
                let compared = match spec.reads_signatures() {
                    true => part.rows.signatures.words.len() * size_of::<u64>(),
                    false => 3 * part.rows.vectors.memory() + workers * rows * size_of::<f64>(),
                };
                rows * size_of::<u32>() + compared + Self::memory_of_links(spec, rows, workers)
            }
            None => {
                let keys = &part.rows.keys.values;
                let parts = u64::from(spec.parts);
                let owned = keys.iter().filter(|&key| key % parts == u64::from(number));
                let tokens = match spec.verify {
                    Verify::Exact | Verify::Containment => Some(part.rows.sets.values.len()),
                    _ => None,
                };
                kernel::PairJoin::memory_for(rows, keys.len(), owned.count(), tokens)
                    .saturating_add((workers - 1) * kernel::PairJoin::memory_of_worker(rows))
            }
        }
    }

    /// Joins that divide the work of a part between workers, and the bytes that they hold.
    pub(super) fn start(
        spec: &Spec,
        part: &SortedPart,
        number: u32,
        workers: usize,
    ) -> Result<(Vec<Self>, usize), kernel::PairError> {
        let input = pair_input(spec, part);
        let rows = part.ids.len();
        let kernel_spec = kernel_spec(spec, number);
        Ok(match (spec.candidates, windows(spec)) {
            (Candidates::Keys, _) => {
                let join = kernel::PairJoin::new(&input, kernel_spec)?;
                let joins = join.into_workers(workers);
                let other_workers = (joins.len() - 1) * kernel::PairJoin::memory_of_worker(rows);
                let shared = joins.first().map_or(0, kernel::PairJoin::memory);
                (
                    joins
                        .into_iter()
                        .map(|join| Self::Keys(Box::new(join)))
                        .collect(),
                    shared + other_workers,
                )
            }
            (_, Some(windows)) => {
                let join = kernel::WindowPairs::new(&input, kernel_spec, windows)?;
                let joins = join.into_workers(workers);
                let width = part.rows.signatures.width();
                let each = kernel::WindowPairs::memory_of_worker(rows, width, &windows);
                let bytes = joins.len() * each;
                (joins.into_iter().map(Self::Windows).collect(), bytes)
            }
            (_, None) => {
                let join = kernel::AllPairs::new(&input, kernel_spec, part.rows.self_join)?;
                let sums = match spec.reads_signatures() {
                    true => 0,
                    false => workers * rows * size_of::<f64>(),
                };
                let bytes = join.memory() + sums + Self::memory_of_links(spec, rows, workers);
                (
                    join.into_workers(workers)
                        .into_iter()
                        .map(Self::All)
                        .collect(),
                    bytes,
                )
            }
        })
    }

    /// The next pairs, about `max_pairs` of them, or `None` when there are no more.
    pub(super) fn next_batch(
        &mut self,
        input: &kernel::PairInput<'_>,
        max_pairs: usize,
    ) -> Option<kernel::PairBatch> {
        match self {
            Self::Keys(join) => join.next_batch(input, max_pairs),
            Self::All(join) => join.next_batch(input),
            Self::Windows(join) => join.next_batch(input),
        }
    }

    /// The counts so far.
    pub(super) fn stats(&self) -> &kernel::Stats {
        match self {
            Self::Keys(join) => join.stats(),
            Self::All(join) => join.stats(),
            Self::Windows(join) => join.stats(),
        }
    }
}

fn windows(spec: &Spec) -> Option<kernel::Windows> {
    match spec.candidates {
        Candidates::Windows {
            bits,
            tables,
            window,
            chunk,
            seed,
        } => Some(kernel::Windows {
            bits: bits as usize,
            tables: tables as usize,
            window: window as usize,
            chunk: chunk as usize,
            seed,
        }),
        _ => None,
    }
}

fn kernel_spec(spec: &Spec, part: u32) -> kernel::Spec {
    let max_distance = spec.max_distance.unwrap_or(u32::MAX);
    kernel::Spec {
        threshold: spec.threshold,
        verify: match spec.verify {
            Verify::Exact => kernel::Verify::Exact,
            Verify::Containment => kernel::Verify::Containment,
            Verify::Edit => kernel::Verify::Edit,
            Verify::Estimate => kernel::Verify::Estimate,
            Verify::Hamming => kernel::Verify::Hamming(max_distance),
            Verify::Cosine => kernel::Verify::Cosine(max_distance),
            Verify::None => kernel::Verify::None,
        },
        prefixes: spec.prefixes,
        part: u64::from(part),
        parts: u64::from(spec.parts),
        max_bucket_pairwise: spec.max_bucket_pairwise,
        max_bucket: spec.max_bucket,
        blocks: kernel::Blocks::default(),
    }
}

/// The rows of a part in the form that the kernels take.
pub(super) fn pair_input<'a>(spec: &Spec, part: &'a SortedPart) -> kernel::PairInput<'a> {
    let rows = &part.rows;
    let count = part.ids.len();
    let bits = kernel::Bits {
        words: &rows.signatures.words,
        width: rows.signatures.width(),
    };
    let sided = spec.two_sides || !rows.sides.is_empty();
    kernel::PairInput {
        keys: match spec.candidates {
            Candidates::Keys => kernel::Csr::new(&rows.keys.offsets, &rows.keys.values),
            _ => kernel::Csr::new(&part.zeros, &[]),
        },
        side: sided.then_some(rows.sides.as_slice()),
        group: part.groups.as_ref().map(|(values, valid)| kernel::Groups {
            values,
            valid: Some(valid),
            agree: spec.group_rule == GroupRule::Agree,
        }),
        items: match spec.verify {
            Verify::Exact | Verify::Containment => {
                kernel::Items::Sets(kernel::Csr::new(&rows.sets.offsets, &rows.sets.values))
            }
            Verify::Edit => {
                kernel::Items::Texts(kernel::Texts::new(&rows.texts.offsets, &rows.texts.bytes))
            }
            Verify::Estimate => kernel::Items::Signatures64 {
                values: &rows.sets.values,
                width: rows
                    .sets
                    .values
                    .len()
                    .checked_div(count)
                    .unwrap_or(1)
                    .max(1),
            },
            Verify::Hamming => kernel::Items::Bits(bits),
            Verify::Cosine => kernel::Items::Vectors {
                bits: spec.reads_signatures().then_some(bits),
                vectors: kernel::Vectors {
                    values: rows.vectors.values(&part.zeros),
                    norms: &part.norms,
                },
            },
            Verify::None => kernel::Items::None,
        },
    }
}
