//! The measured jobs from which needs are extrapolated, and the costs that follow from them.
//!
//! The constants are figures of docs/performance.md, and a test compares them.

use crate::jobs::dedup::Method;
use crate::parameters::{name, parameter_error};
use datafusion::common::Result;

/// A MB of docs/performance.md, and a MiB.
pub(super) const MB: f64 = 1e6;
pub(super) const MIB: f64 = 1_048_576.0;

/// A corpus of docs/performance.md.
pub(super) struct Corpus {
    pub(super) rows: f64,
    megabytes: f64,
}

/// A line of a table of docs/performance.md: seconds, and MB.
pub(super) struct Line {
    pub(super) wall: f64,
    pub(super) cpu: f64,
    pub(super) peak: f64,
    pub(super) written: f64,
}

/// CPU seconds of a job on executors.
struct OnCluster {
    one_process: f64,
    executors: f64,
    /// MB between stages.
    between: f64,
}

/// The corpus of the table "A million sentences under a memory limit".
pub(super) const MILLION: Corpus = Corpus {
    rows: 1_000_000.0,
    megabytes: 174.8,
};
/// The corpora of the table "Other shingles and longer texts".
const SENTENCES: Corpus = Corpus {
    rows: 100_000.0,
    megabytes: 16.6,
};
const DOCUMENTS: Corpus = Corpus {
    rows: 10_000.0,
    megabytes: 50.7,
};
/// The corpora of the table "Executors".
const ON_CLUSTER: [Corpus; 2] = [SENTENCES, MILLION];

/// The shingles of the table "Other shingles and longer texts"; the second one is that of all other tables.
pub(super) const SHINGLES: [&str; 4] = ["char:5", "char:12", "word:3", "word:5"];
pub(super) const USUAL_SHINGLE: usize = 1;

/// The measured jobs of a method.
pub(super) struct Costs {
    /// "A million sentences under a memory limit": without a limit, and with [`LIMIT`].
    pub(super) unlimited: Line,
    pub(super) limited: Line,
    /// "Cost by size": the peak with 10,000 rows.
    small_peak: f64,
    /// "Other shingles and longer texts": CPU nanoseconds a byte of sentences and of documents, by [`SHINGLES`].
    shingles: [(f64, f64); SHINGLES.len()],
    /// "Executors": one process and [`EXECUTORS`] executors, for each corpus of [`ON_CLUSTER`].
    on_cluster: [OnCluster; 2],
    /// "A million sentences under a memory limit": CPU seconds of the join alone, with [`LIMIT`] and with
    /// [`LOW_LIMIT`], of which the second one has more blocks.
    join: [f64; 2],
}

pub(super) const MINHASH: Costs = Costs {
    unlimited: Line {
        wall: 6.6,
        cpu: 10.4,
        peak: 744.0,
        written: 165.0,
    },
    limited: Line {
        wall: 9.9,
        cpu: 14.9,
        peak: 397.0,
        written: 689.0,
    },
    small_peak: 97.0,
    shingles: [(111.0, 26.0), (74.0, 25.0), (45.0, 21.0), (39.0, 21.0)],
    on_cluster: [
        OnCluster {
            one_process: 1.4,
            executors: 3.5,
            between: 57.0,
        },
        OnCluster {
            one_process: 10.5,
            executors: 17.0,
            between: 516.0,
        },
    ],
    join: [15.0, 24.0],
};

pub(super) const EXACT: Costs = Costs {
    unlimited: Line {
        wall: 13.8,
        cpu: 22.1,
        peak: 1154.0,
        written: 172.0,
    },
    limited: Line {
        wall: 15.7,
        cpu: 25.8,
        peak: 419.0,
        written: 824.0,
    },
    small_peak: 136.0,
    shingles: [(205.0, 118.0), (131.0, 100.0), (64.0, 38.0), (57.0, 40.0)],
    on_cluster: [
        OnCluster {
            one_process: 2.2,
            executors: 4.9,
            between: 114.0,
        },
        OnCluster {
            one_process: 22.8,
            executors: 41.0,
            between: 1177.0,
        },
    ],
    join: [30.0, 45.0],
};

/// The cores of the machine of all tables.
pub(super) const CORES: f64 = 2.0;
/// Executors of the lines that are used, and the tasks of a stage.
pub(super) const EXECUTORS: u32 = 2;
pub(super) const TASKS: f64 = 8.0;
/// Bytes of the memory limit of [`Costs::limited`].
pub(super) const LIMIT: f64 = 300.0 * MIB;
/// Bytes of the lower memory limit of [`Costs::join`].
const LOW_LIMIT: f64 = 50.0 * MIB;
/// Pairs of distinct texts for each row of [`MILLION`], and the bytes of a pair in the step that forms clusters.
pub(super) const PAIRS_OF_ROW: f64 = 1.17;
pub(super) const PAIR_BYTES: f64 = 112.0;
/// Bytes of an id in that step if it sorts the pairs, because memory is limited.
pub(super) const ID_BYTES: f64 = 4.0;
/// Bytes of text for each word of the corpora: a text has this many times fewer shingles of words than of characters.
const BYTES_OF_WORD: f64 = 6.3;

/// The maximum number of bytes of a block of the join, and the share of a limit that it takes
/// (`operators/similar_pairs/blocks/`).
pub(super) const MAX_BLOCK: f64 = 256.0 * MIB;
pub(super) const BLOCK_SHARE: f64 = 3.0;

impl Corpus {
    pub(super) const fn bytes(&self) -> f64 {
        self.megabytes * MB
    }

    /// Bytes of a row.
    pub(super) const fn length(&self) -> f64 {
        self.bytes() / self.rows
    }
}

impl Costs {
    pub(super) fn of(method: Method) -> Result<&'static Self> {
        match method {
            Method::MinHash => Ok(&MINHASH),
            Method::Exact => Ok(&EXACT),
            Method::Auto | Method::Projection => {
                let error = parameter_error![
                    name("method"),
                    format!(
                        " must be one of exact, minhash, found {method}: other costs are not measured"
                    )
                ];
                Err(error.into())
            }
        }
    }

    /// CPU nanoseconds of a byte of texts of a length, relative to those of the usual shingle of a million sentences.
    pub(super) fn relative(&self, shingle: usize, length: f64) -> f64 {
        // A cost for each row and one for each byte explain the costs of both corpora, unless the longer texts have the
        // higher cost of a byte: then a row has none.
        let of_length = |(sentences, documents): (f64, f64), length: f64| {
            let (short, long) = (SENTENCES.length(), DOCUMENTS.length());
            let row = (sentences - documents).max(0.0) / (1.0 / short - 1.0 / long);
            documents + row * (1.0 / length - 1.0 / long)
        };
        let usual = of_length(self.shingles[USUAL_SHINGLE], MILLION.length());
        of_length(self.shingles[shingle], length) / usual
    }

    /// CPU seconds that grow with the rows and bytes, whatever the memory.
    pub(super) fn linear(&self, shingle: usize, rows: f64, bytes: f64) -> f64 {
        self.once() / MILLION.bytes() * bytes * self.relative(shingle, bytes / rows)
    }

    /// CPU seconds of the measured job that grow with the rows and bytes.
    fn once(&self) -> f64 {
        let whole = MILLION.bytes();
        self.unlimited.cpu - self.repetition() * whole * whole / MAX_BLOCK
    }

    /// Bytes of memory under a limit, which bounds what grows with the rows.
    pub(super) fn limited_peak(&self, bytes: f64) -> f64 {
        let share = (bytes / MILLION.bytes()).min(1.0);
        (self.small_peak + (self.limited.peak - self.small_peak) * share) * MB
    }

    /// CPU seconds for reading the later rows again for each block, with the usual shingle: times the bytes of a block,
    /// and divided by the square of the bytes of text.
    fn repetition(&self) -> f64 {
        let whole = MILLION.bytes();
        let [fewer_blocks, more_blocks] = self.join;
        let blocks = BLOCK_SHARE / LOW_LIMIT - BLOCK_SHARE / LIMIT;
        (more_blocks - fewer_blocks) / (whole * whole * blocks)
    }

    /// CPU seconds for spilling in the measured job: what is not due to its smaller blocks.
    pub(super) fn spilling(&self) -> f64 {
        let whole = MILLION.bytes();
        let blocks = whole * whole * (BLOCK_SHARE / LIMIT - 1.0 / MAX_BLOCK);
        (self.limited.cpu - self.unlimited.cpu - self.repetition() * blocks).max(0.0)
    }

    /// [`Self::repetition`] for another shingle and other lengths of texts.
    pub(super) fn repeated(&self, shingle: usize, rows: f64, bytes: f64) -> f64 {
        // The fewer shingles a text has, the more texts are in a block.
        let size = match SHINGLES[shingle].starts_with("char") {
            true => 1.0,
            false => 1.0 / BYTES_OF_WORD,
        };
        self.repetition() * size * self.relative(shingle, bytes / rows)
    }

    /// The share of the linear part that runs on one thread: with it, the measured job takes the measured time.
    pub(super) fn serial_share(&self) -> f64 {
        let Line { wall, cpu, .. } = self.unlimited;
        ((CORES * wall - cpu) / (CORES - 1.0) / self.once()).clamp(0.0, 1.0)
    }

    /// CPU seconds on a cluster for each of one process. What is more than one grows with the copies of a text.
    pub(super) fn overhead(&self, tasks: f64) -> f64 {
        let [small, large] = &self.on_cluster;
        let measured =
            (large.executors - small.executors) / (large.one_process - small.one_process);
        1.0 + (measured - 1.0).max(0.0) * copies(tasks) / copies(TASKS)
    }

    /// Bytes between stages for each byte of text.
    pub(super) fn between(&self, tasks: f64) -> f64 {
        let [small, large] = &self.on_cluster;
        let [less, more] = &ON_CLUSTER;
        let measured = (large.between - small.between) / (more.megabytes - less.megabytes);
        measured * copies(tasks) / copies(TASKS)
    }
}

/// The number of parts that a text belongs to, on average: its own, and those of the shorter texts that may be similar to it.
/// Of the 100,000 sentences of `docs/performance.md`, weighted by their lengths, it is 1.98 of 8, 3.0 of 16 and 8.7 of 64
/// parts at a threshold of 0.8.
pub(super) fn copies(parts: f64) -> f64 {
    const OTHER_PARTS: f64 = 0.125;
    1.0 + OTHER_PARTS * (parts - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/performance.md");

    /// The numbers of the line of a table that begins with these cells, which there is once.
    fn line(begin: &str) -> Vec<f64> {
        let begin = format!("| {begin} | ");
        let mut found = PAGE.lines().filter_map(|line| line.strip_prefix(&begin));
        let cells = found.next().unwrap_or_else(|| panic!("no line '{begin}'"));
        assert_eq!(found.next(), None, "{begin}");
        let numbers = cells.split('|').map(|cell| cell.trim().replace(',', ""));
        numbers.filter_map(|cell| cell.parse().ok()).collect()
    }

    /// The figures of the page are written again by `dev/performance`; then these constants have to follow.
    #[test]
    fn constants_are_those_of_the_page() {
        for (method, costs) in [("minhash", &MINHASH), ("exact", &EXACT)] {
            for (limit, expected) in [
                ("", &costs.unlimited),
                (" --memory-limit 300M", &costs.limited),
            ] {
                let found = line(&format!("`--method {method}{limit}`"));
                let Line {
                    wall,
                    cpu,
                    peak,
                    written,
                } = expected;
                assert_eq!(found, [*wall, *cpu, *peak, *written], "{method}{limit}");
            }
            let found = line(&format!("10,000 | `{method}`"));
            assert_eq!(found[3], costs.small_peak, "{method}");
            for (shingle, (sentences, documents)) in SHINGLES.iter().zip(costs.shingles) {
                for (what, expected) in [("sentences", sentences), ("documents", documents)] {
                    let found = line(&format!("{what}, `{shingle}`, `{method}`"));
                    assert_eq!(found[2], expected, "{what} {shingle} {method}");
                }
            }
            for (corpus, expected) in ["100,000", "1,000,000"].iter().zip(&costs.on_cluster) {
                let alone = line(&format!("{corpus}, `{method}`, one process"));
                let found = line(&format!("{corpus}, `{method}`, {EXECUTORS} executors"));
                let expected = [expected.one_process, expected.executors, expected.between];
                assert_eq!(
                    [alone[1], found[1], found[3]],
                    expected,
                    "{corpus} {method}"
                );
            }
        }
        let words: Vec<&str> = PAGE.split_whitespace().collect();
        let page = words.join(" ");
        for text in [
            "1,000,000 sentences (174.8 MB of text",
            "100,000 sentences (16.6 MB of text",
            "10,000 documents (50.7 MB of text",
            "the pairs of distinct texts, 1,170,847 here",
        ] {
            assert!(page.contains(text), "{text}");
        }
    }
}
