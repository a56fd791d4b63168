//! Estimates the time, memory and disk of a `dedup` job of texts.
//!
//! Everything follows from measured jobs (`costs`):
//!
//! ```text
//! CPU time   rows and bytes of text, by shingle: linear
//!          + later rows that the join reads again for each of its blocks: the square of the bytes
//!          × the exchange of rows, on several machines
//! time       a share of the linear part on one thread, the rest on all cores
//! memory     rows of the join and pairs, unless they are spilled; on several machines pairs are held in any case
//! disk       files of steps, spilled rows, rows between stages
//! ```

mod costs;

use super::dedup::Method;
use crate::parameters::{name, parameter_error, set};
use costs::{
    BLOCK_SHARE, CORES, Costs, EXECUTORS, ID_BYTES, MAX_BLOCK, MB, MIB, MILLION, PAIR_BYTES,
    PAIRS_OF_ROW, SHINGLES, TASKS, USUAL_SHINGLE, copies,
};
use datafusion::common::{DataFusionError, Result};
use neardup_kernels::Shingle;

/// Bytes of the memory limit of an executor for each slot (docs/cluster.md, "Sizing").
const SLOT_BYTES: f64 = 256.0 * MIB;
/// Memory of a machine for each byte of the memory limit, which counts only what operators hold: twice the limit, as
/// docs/cluster.md recommends.
const MEMORY_OF_LIMIT: f64 = 2.0;
/// Tasks of a stage on a cluster, at least: the default of `--threads`.
const MIN_TASKS: u64 = 16;

/// A `dedup` job of texts, and the machines that it is planned for.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Number of rows.
    pub rows: u64,
    /// Bytes of the texts, without compression.
    pub text_bytes: u64,
    /// How a text is split into shingles: `char:n`, `word:n` or `space:n`.
    pub shingle: String,
    /// Number of machines, at least 1. Each of several machines runs an executor with a slot for each core.
    pub machines: u32,
    /// Cores of a machine, at least 1.
    pub cores: u32,
    /// Bytes of memory of a machine; `None`: as many as it takes to spill nothing.
    pub memory: Option<u64>,
}

/// What a job needs. Bytes of machines are those of each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Needs {
    /// The method.
    pub method: Method,
    /// Seconds from begin to end.
    pub seconds: f64,
    /// Seconds of all cores.
    pub cpu_seconds: f64,
    /// The share of `cpu_seconds` for later rows that are read again for each block of the join.
    pub repeated_share: f64,
    /// The share of the other work that runs on one thread.
    pub serial_share: f64,
    /// Bytes of memory of a machine with which nothing is spilled.
    pub memory: u64,
    /// Bytes of memory of a machine without which the job ends with an error.
    pub min_memory: u64,
    /// Whether the memory of the machines is at least that.
    pub fits: bool,
    /// Bytes of the files of all steps, with the results.
    pub written: u64,
    /// Bytes of spilled rows of a machine.
    pub spilled: u64,
    /// Bytes of the rows between stages of all machines; 0 for one machine.
    pub between_stages: u64,
    /// Pairs of distinct texts.
    pub pairs: u64,
}

impl Workload {
    /// Rows of the job that the costs are measured with.
    pub const MEASURED_ROWS: u64 = MILLION.rows as u64;
    /// Bytes of a row of that job.
    pub const MEASURED_LENGTH: f64 = MILLION.length();
    /// Cores of the machine.
    pub const MEASURED_CORES: u32 = CORES as u32;
    /// Executors of one machine that the costs of several machines are measured with.
    pub const MEASURED_EXECUTORS: u32 = EXECUTORS;
    /// Tasks of a stage of that measurement.
    pub const MEASURED_TASKS: u64 = TASKS as u64;
    /// Pairs of distinct texts for each row of the measured job.
    pub const PAIRS_OF_ROW: f64 = PAIRS_OF_ROW;
    /// Bytes of a pair in the step that forms clusters.
    pub const PAIR_BYTES: u64 = PAIR_BYTES as u64;
    /// The maximum number of pairs that this step takes.
    pub const MAX_PAIRS: u64 = u32::MAX as u64;

    /// What the job needs with a method: `exact` or `minhash`.
    ///
    /// # Errors
    /// If the method is another one, the shingle is none, or there are more rows than bytes.
    pub fn needs(&self, method: Method) -> Result<Needs> {
        let costs = Costs::of(method)?;
        let shingle = self.shingle_index()?;
        if self.text_bytes < self.rows {
            let error = parameter_error![
                set("bytes", self.text_bytes),
                " must be at least the number of ",
                name("rows"),
                format!(", {}: a text has at least a byte", self.rows)
            ];
            return Err(error.into());
        }
        let (rows, bytes) = (self.rows as f64, self.text_bytes as f64);
        let (machines, cores) = (
            f64::from(self.machines.max(1)),
            f64::from(self.cores.max(1)),
        );
        let is_cluster = self.machines > 1;
        let pairs = PAIRS_OF_ROW * rows;

        // The rows of a cluster, each with copies for the parts of shorter rows, are divided among the tasks.
        let tasks = self.tasks() as f64;
        let (copies, parts, overhead) = match is_cluster {
            false => (1.0, 1.0, 1.0),
            true => (copies(tasks), tasks, costs.overhead(tasks)),
        };
        let between = match is_cluster {
            false => 0.0,
            true => costs.between(tasks) * bytes,
        };

        let of_pairs = PAIR_BYTES * pairs;
        let min_memory = match is_cluster {
            false => costs
                .limited_peak(bytes)
                .max(ID_BYTES * rows * MEMORY_OF_LIMIT),
            true => (SLOT_BYTES * cores).max(of_pairs) * MEMORY_OF_LIMIT,
        };
        let held = match is_cluster {
            false => (costs.unlimited.peak * MB * bytes / MILLION.bytes()).max(of_pairs),
            true => (between / tasks + MAX_BLOCK) * cores,
        };
        let memory = (held * MEMORY_OF_LIMIT).max(min_memory);
        let available = self.memory.map_or(memory, |bytes| bytes as f64);
        let spilled = match (available < memory, is_cluster) {
            (false, _) => 0.0,
            (true, false) => {
                (costs.limited.written - costs.unlimited.written) * MB * bytes / MILLION.bytes()
            }
            // A row between stages is written at most once more.
            (true, true) => between / machines,
        };

        let workers = if is_cluster { cores } else { 1.0 };
        let of_limit = |memory: u64| memory as f64 / MEMORY_OF_LIMIT / workers / BLOCK_SHARE;
        let block = self
            .memory
            .map_or(MAX_BLOCK, |memory| of_limit(memory).min(MAX_BLOCK));
        let linear = costs.linear(shingle, rows, bytes);
        let joined = bytes * copies;
        let repeated = costs.repeated(shingle, rows, bytes) * joined * joined / (parts * block);
        let spilling = match spilled > 0.0 && !is_cluster {
            true => costs.spilling() * bytes / MILLION.bytes(),
            false => 0.0,
        };
        let cpu_seconds = linear * overhead + spilling + repeated;
        let serial = linear * costs.serial_share();
        Ok(Needs {
            method,
            seconds: serial + (cpu_seconds - serial) / (machines * cores),
            cpu_seconds,
            repeated_share: repeated / cpu_seconds,
            serial_share: costs.serial_share(),
            memory: memory as u64,
            min_memory: min_memory as u64,
            fits: available >= min_memory,
            written: (costs.unlimited.written * MB * bytes / MILLION.bytes()) as u64,
            spilled: spilled as u64,
            between_stages: between as u64,
            pairs: pairs as u64,
        })
    }

    /// Tasks of a stage on several machines: a task for each core, but at least the default.
    pub fn tasks(&self) -> u64 {
        (u64::from(self.machines) * u64::from(self.cores)).max(MIN_TASKS)
    }

    /// The measured shingle whose costs are taken.
    ///
    /// # Errors
    /// If the shingle is none.
    pub fn measured_shingle(&self) -> Result<&'static str> {
        Ok(SHINGLES[self.shingle_index()?])
    }

    /// The index of the measured shingle in [`SHINGLES`].
    fn shingle_index(&self) -> Result<usize> {
        let shingle = self.shingle.parse::<Shingle>().map_err(|error| {
            DataFusionError::from(parameter_error![name("shingle"), format!(": {error}")])
        })?;
        Ok(match shingle {
            Shingle::Char(window) if window <= 8 => 0,
            Shingle::Char(_) => USUAL_SHINGLE,
            Shingle::Word(window) | Shingle::Space(window) if window <= 3 => 2,
            Shingle::Word(_) | Shingle::Space(_) => 3,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::costs::{EXACT, LIMIT, MINHASH};
    use super::*;

    fn million() -> Workload {
        Workload {
            rows: 1_000_000,
            text_bytes: MILLION.bytes() as u64,
            shingle: "char:12".to_owned(),
            machines: 1,
            cores: 2,
            memory: None,
        }
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found / expected - 1.0).abs() < 0.001,
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn a_measured_job_needs_what_was_measured() {
        for (method, costs) in [(Method::MinHash, &MINHASH), (Method::Exact, &EXACT)] {
            let needs = million().needs(method).expect("a plan");
            assert_near(needs.cpu_seconds, costs.unlimited.cpu);
            assert_near(needs.seconds, costs.unlimited.wall);
            assert_near(needs.written as f64, costs.unlimited.written * MB);
            assert_eq!((needs.spilled, needs.between_stages), (0, 0));
            let memory = Some((LIMIT * MEMORY_OF_LIMIT) as u64);
            let limited = Workload {
                memory,
                ..million()
            };
            let needs = limited.needs(method).expect("a plan");
            assert_near(needs.cpu_seconds, costs.limited.cpu);
            assert_near(
                (needs.spilled + needs.written) as f64,
                costs.limited.written * MB,
            );
        }
    }

    #[test]
    fn what_is_read_again_grows_with_the_square() {
        let of = |times: u64| {
            let workload = Workload {
                rows: 1_000_000 * times,
                text_bytes: million().text_bytes * times,
                ..million()
            };
            let needs = workload.needs(Method::MinHash).expect("a plan");
            (
                needs.cpu_seconds * needs.repeated_share,
                needs.cpu_seconds * (1.0 - needs.repeated_share),
                needs.pairs as f64,
            )
        };
        let ((repeated, once, pairs), (more, further, many)) = (of(1), of(100));
        assert_near(more, repeated * 10_000.0);
        assert_near(further, once * 100.0);
        assert_near(many, pairs * 100.0);
    }

    #[test]
    fn more_work_takes_longer_and_more_cores_less() {
        let seconds = |change: &dyn Fn(&mut Workload)| {
            let mut workload = million();
            change(&mut workload);
            workload.needs(Method::Exact).expect("a plan").seconds
        };
        let usual = seconds(&|_| {});
        assert!(seconds(&|workload| workload.cores = 8) < usual);
        assert!(seconds(&|workload| workload.memory = Some(400 << 20)) > usual);
        assert!(seconds(&|workload| workload.shingle = "word:3".to_owned()) < usual);
        assert!(seconds(&|workload| workload.text_bytes *= 2) > usual);
        let machines = |machines| {
            seconds(&|workload| {
                (workload.machines, workload.cores) = (machines, 8);
                (workload.rows, workload.text_bytes) = (10_000_000, 2_000_000_000);
            })
        };
        assert!(machines(8) < machines(2), "{} {}", machines(8), machines(2));
        // Texts of any length have a positive cost.
        for costs in [&MINHASH, &EXACT] {
            for shingle in 0..SHINGLES.len() {
                for length in [1.0, 20.0, 166.0, 5000.0, 1e6] {
                    assert!(costs.relative(shingle, length) > 0.0, "{shingle} {length}");
                }
            }
        }
    }

    #[test]
    fn memory_has_to_hold_ids_and_on_a_cluster_the_pairs() {
        let workload = |machines, memory| Workload {
            rows: 100_000_000,
            text_bytes: 20_000_000_000,
            memory: Some(memory),
            machines,
            ..million()
        };
        for (machines, too_little, least) in [(1, 700 << 20, 750 << 20), (4, 8 << 30, 24 << 30)] {
            let needs = workload(machines, too_little).needs(Method::MinHash);
            let needs = needs.expect("a plan");
            assert!(!needs.fits && needs.min_memory > least, "{needs:?}");
            assert!(needs.memory >= needs.min_memory, "{needs:?}");
            let enough = workload(machines, needs.min_memory).needs(Method::MinHash);
            assert!(enough.expect("a plan").fits);
        }
        let spilled = workload(1, 8 << 30).needs(Method::MinHash).expect("a plan");
        assert!(spilled.fits && spilled.spilled > 0, "{spilled:?}");
    }

    #[test]
    fn errors_name_the_parameter() {
        let error = |workload: Workload, method: Method| {
            let error = workload.needs(method).expect_err("an error");
            crate::parameters::ParameterError::of(&error)
                .expect("an error about a parameter")
                .to_string()
        };
        let few = Workload {
            text_bytes: 999_999,
            ..million()
        };
        assert_eq!(
            error(few, Method::Exact),
            "bytes 999999 must be at least the number of rows, 1000000: a text has at least a byte"
        );
        let shingle = "line:3".to_owned();
        let wrong = Workload {
            shingle,
            ..million()
        };
        assert!(error(wrong, Method::Exact).starts_with("shingle: shingle 'line:3' must start"));
        assert_eq!(
            error(million(), Method::Auto),
            "method must be one of exact, minhash, found auto: other costs are not measured"
        );
    }
}
