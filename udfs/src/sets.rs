//! The set of hashes of a row, from a text or from a list.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, plan_err};
use neardup_kernels::{Shingle, ShingleScratch};

use crate::columns::{Arguments, Constants, Lists, Numbers, Texts};

/// The sets of a column: the shingles of texts, or the elements of lists.
pub(crate) struct Sets {
    source: Source,
    scratch: ShingleScratch,
    /// The set of the row read last.
    set: Vec<u64>,
    /// Whether the set of a constant argument has been computed.
    made: bool,
}

enum Source {
    Texts(Texts, Shingle),
    Lists(Lists),
}

impl Sets {
    /// The sets of the argument at `index`; `shingle` is used where it is a text.
    pub(crate) fn new(args: &Arguments, index: usize, shingle: Shingle) -> Result<Self> {
        let source = if args.is_text(index) {
            Source::Texts(args.texts(index)?, shingle)
        } else {
            Source::Lists(args.lists(index)?)
        };
        Ok(Self {
            source,
            scratch: ShingleScratch::default(),
            set: Vec::new(),
            made: false,
        })
    }

    /// The sorted distinct hashes of a row.
    pub(crate) fn sorted(&mut self, row: usize) -> Option<&[u64]> {
        match &self.source {
            Source::Texts(texts, shingle) => {
                let text = texts.get(row)?;
                if !(texts.is_constant() && self.made) {
                    self.set.clear();
                    shingle.hashes_into(text, &mut self.scratch, &mut self.set);
                }
            }
            Source::Lists(lists) => {
                let list = lists.get(row)?;
                if let Numbers::U64(numbers) = list
                    && numbers.is_sorted_by(|a, b| a < b)
                {
                    return Some(numbers);
                }
                if !(lists.is_constant() && self.made) {
                    self.set.clear();
                    list.append_to(&mut self.set);
                    self.set.sort_unstable();
                    self.set.dedup();
                }
            }
        }
        self.made = true;
        Some(&self.set)
    }

    /// The hashes of a row in any order, possibly with repeats, which is sufficient for a signature.
    pub(crate) fn unsorted(&mut self, row: usize) -> Option<&[u64]> {
        match &self.source {
            Source::Texts(texts, shingle) => {
                let text = texts.get(row)?;
                self.set.clear();
                shingle.repeated_hashes_into(text, &mut self.scratch, &mut self.set);
            }
            Source::Lists(lists) => return lists.get_u64(row, &mut self.set),
        }
        Some(&self.set)
    }
}

/// The checks of a function of two sets and a shingle, which is for texts only.
pub(crate) fn check_comparison(
    function: &str,
    constants: &Constants<'_>,
    types: &[&DataType],
) -> Result<DataType> {
    constants.shingle(2)?;
    if constants.given(2) && types[..2].iter().all(|data_type| data_type.is_nested()) {
        return plan_err!("{function}: shingle is for texts, but both arguments are lists");
    }
    Ok(DataType::Float64)
}

/// The result of a function of two sets and a shingle.
pub(crate) fn compare(args: &Arguments, similarity: fn(&[u64], &[u64]) -> f64) -> Result<ArrayRef> {
    let shingle = args.constants().shingle(2)?;
    let (mut a, mut b) = (Sets::new(args, 0, shingle)?, Sets::new(args, 1, shingle)?);
    let mut out = Float64Builder::with_capacity(args.rows());
    for row in 0..args.rows() {
        out.append_option(
            a.sorted(row)
                .zip(b.sorted(row))
                .map(|(a, b)| similarity(a, b)),
        );
    }
    Ok(Arc::new(out.finish()))
}
