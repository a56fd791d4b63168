//! `neardup plan`.

use super::flags::{default, help, read};
use super::options::Global;
use super::out;
use super::visible::visible_line;
use clap::Args;
use datafusion::common::{Result, exec_datafusion_err};
use neardup::jobs::{Method, Needs, Workload};
use neardup::parse_limit;
use serde_json::{Value, json};
use std::io::Write;

/// Estimate the time, memory and disk of a dedup job
///
/// Examples:
///   neardup plan --rows 200000000 --bytes 28G --shingle char:5 --cores 8 --memory 64G    sentences of Wikipedia
///   neardup plan --rows 15000000 --bytes 45G --cores 16 --memory 64G                     FineWeb-10BT
///   neardup plan --rows 1000000000 --bytes 3T --machines 16 --cores 32 --memory 256G     a crawl
///
/// The figures are extrapolated from jobs that were measured with at most a million rows (docs/performance.md). What
/// they assume and leave out is printed below them. Sizes are written as they are given: 1G is 1024M. FineWeb-10BT is
/// the sample of 10 billion tokens; the first example is about the English Wikipedia.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Number of rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40), help_heading = TEXTS)]
    rows: u64,
    /// Size of the texts of all rows, without compression, such as 800M or 3T
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, help_heading = TEXTS)]
    bytes: usize,
    #[arg(
        long,
        value_name = "SHINGLE",
        help = help("shingle"),
        value_parser = read::<String>("shingle"),
        default_value = default("shingle"),
        help_heading = TEXTS
    )]
    shingle: String,

    #[arg(
        long,
        help = help("method.planned"),
        value_parser = read::<Method>("method.planned"),
        help_heading = FOUND
    )]
    method: Option<Method>,

    /// Number of machines; several are a cluster with an executor on each
    #[arg(
        long,
        value_name = "M",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=10_000),
        help_heading = MACHINES
    )]
    machines: u32,
    /// Cores of each machine [default: those of this machine]
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = MACHINES)]
    cores: Option<u32>,
    /// Memory of each machine, such as 64G [default: as much as it takes to spill nothing]
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, help_heading = MACHINES)]
    memory: Option<usize>,
}

/// The groups of options in the help.
const TEXTS: &str = "The texts";
const FOUND: &str = "How pairs are found";
const MACHINES: &str = "The machines";

/// The methods that are planned if none is chosen.
const METHODS: [Method; 2] = [Method::MinHash, Method::Exact];
/// Rows for each measured one from which on a plan is only an order of magnitude.
const FAR: u64 = 100;

pub(crate) fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    global.refuse_resource_options("a plan runs no job; --memory is the memory of a machine")?;
    let here = std::thread::available_parallelism();
    let here = here.map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX));
    let workload = Workload {
        rows: arguments.rows,
        text_bytes: arguments.bytes as u64,
        shingle: arguments.shingle.clone(),
        machines: arguments.machines,
        cores: arguments.cores.unwrap_or(here),
        memory: arguments.memory.map(|bytes| bytes as u64),
    };
    let methods = arguments.method.map_or(METHODS.to_vec(), |one| vec![one]);
    let needs = methods.into_iter().map(|method| workload.needs(method));
    let needs: Vec<Needs> = needs.collect::<Result<_>>()?;
    let assumptions = assumptions(&workload, &needs)?;
    out::print(|out| {
        if global.json {
            let text = serde_json::to_string(&as_json(&workload, &needs, &assumptions)).map_err(
                |error| exec_datafusion_err!("the plan cannot be written as JSON: {error}"),
            )?;
            return Ok(writeln!(out, "{text}")?);
        }
        for line in table(&workload, &needs) {
            writeln!(out, "{}", visible_line(&line))?;
        }
        if !global.quiet {
            writeln!(out)?;
            for assumption in &assumptions {
                writeln!(out, "- {}", visible_line(assumption))?;
            }
        }
        Ok(())
    })
}

fn table(workload: &Workload, needs: &[Needs]) -> Vec<String> {
    let Workload {
        rows,
        shingle,
        machines,
        cores,
        ..
    } = workload;
    let memory = workload.memory.map(|bytes| format!(" and {}", size(bytes)));
    let mut lines = vec![
        format!(
            "{rows} rows, {} of text, {shingle}; {machines} {} of {cores} {}{}",
            size(workload.text_bytes),
            plural(*machines, "machine"),
            plural(*cores, "core"),
            memory.unwrap_or_default()
        ),
        String::new(),
    ];
    let is_cluster = *machines > 1;
    let (of_one, of_all) = match is_cluster {
        true => (" of each machine", " of all machines"),
        false => ("", ""),
    };
    let mut line = |name: &str, value: &dyn Fn(&Needs) -> String| {
        let values = needs.iter().map(|needs| format!("{:>9}", value(needs)));
        let values: Vec<String> = values.collect();
        lines.push(format!("{name:<56}{}", values.join("  ")));
    };
    line("", &|needs| needs.method.to_string());
    line("hours", &|needs| hours(needs.seconds));
    line("CPU hours", &|needs| hours(needs.cpu_seconds));
    line(&format!("memory{of_one} to spill nothing"), &|needs| {
        size(needs.memory)
    });
    line(&format!("least memory{of_one}"), &|needs| {
        size(needs.min_memory)
    });
    line(
        &format!("disk{of_all} for the files of steps and results"),
        &|needs| size(needs.written),
    );
    line(&format!("disk{of_one} for spilled rows"), &|needs| {
        size(needs.spilled)
    });
    if is_cluster {
        line(&format!("disk{of_all} for rows between stages"), &|needs| {
            size(needs.between_stages)
        });
    }
    lines
}

/// The assumptions of the figures, one sentence each.
fn assumptions(workload: &Workload, needs: &[Needs]) -> Result<Vec<String>> {
    let each = |value: &dyn Fn(&Needs) -> String| {
        let values = needs
            .iter()
            .map(|needs| format!("{} with {}", value(needs), needs.method));
        values.collect::<Vec<_>>().join(" and ")
    };
    let is_cluster = workload.machines > 1;
    let measured = workload.measured_shingle()?;
    let mut sentences = vec![
        format!(
            "Extrapolated from jobs with {} sentences of {:.0} bytes, threshold 0.8, on {} cores: docs/performance.md.",
            Workload::MEASURED_ROWS,
            Workload::MEASURED_LENGTH,
            Workload::MEASURED_CORES
        ),
        match measured == workload.shingle {
            true => {
                format!("The costs of {measured} are measured over sentences and over documents.")
            }
            false => format!(
                "The costs of {} are those of {measured}, which are measured over sentences and over documents.",
                workload.shingle
            ),
        },
        format!(
            "Work for each row and byte grows in proportion; of it, {} runs on one thread, and all cores share the rest evenly.",
            each(&|needs| percent(needs.serial_share))
        ),
        format!(
            "Later rows are read again for each block of the join, which grows with the square of the bytes: of the CPU hours, \
             {}.",
            each(&|needs| percent(needs.repeated_share))
        ),
        "--memory-limit gets half of the memory, because it counts only what operators hold."
            .to_owned(),
    ];
    if let Some(first) = needs.first() {
        let (holder, otherwise) = match is_cluster {
            true => ("one process holds them when it forms clusters", ""),
            false => (
                "they are held when clusters are formed",
                ", or sorted on disk if memory is short",
            ),
        };
        sentences.push(format!(
            "There are {} pairs of distinct texts for each row, as measured, together {}; {holder}, {} bytes each{otherwise}.",
            Workload::PAIRS_OF_ROW,
            first.pairs,
            Workload::PAIR_BYTES
        ));
        if is_cluster && first.pairs > Workload::MAX_PAIRS {
            sentences.push(format!(
                "More than {} pairs are an error there.",
                Workload::MAX_PAIRS
            ));
        }
    }
    if is_cluster {
        sentences.push(format!(
            "Several machines are extrapolated from {} executors on one machine with {} tasks in a stage; the network between \
             machines is not modelled.",
            Workload::MEASURED_EXECUTORS,
            Workload::MEASURED_TASKS
        ));
        sentences.push(format!(
            "Each machine runs an executor with a slot for each core, and the job --threads {}.",
            workload.tasks()
        ));
    }
    sentences.push(
        "Not modelled: reading dumps, other thresholds, more or fewer similar rows, oversized buckets, slow disks, waiting for \
         other programs."
            .to_owned(),
    );
    if workload.rows > FAR * Workload::MEASURED_ROWS {
        sentences.push(format!(
            "There are more than {FAR} times as many rows as were measured: take the plan as an order of magnitude."
        ));
    }
    for needs in needs.iter().filter(|needs| !needs.fits) {
        sentences.push(format!(
            "With {} of memory {} ends with an error: it needs at least {}.",
            size(workload.memory.unwrap_or_default()),
            needs.method,
            size(needs.min_memory)
        ));
    }
    Ok(sentences)
}

fn plural(number: u32, word: &str) -> String {
    match number {
        1 => word.to_owned(),
        _ => format!("{word}s"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Hours with at least two digits that count.
fn hours(seconds: f64) -> String {
    match seconds / 3600.0 {
        hours if hours >= 10.0 => format!("{hours:.0}"),
        hours if hours >= 1.0 => format!("{hours:.1}"),
        hours if hours >= 0.01 => format!("{hours:.2}"),
        _ => "< 0.01".to_owned(),
    }
}

/// A size as it is given to options; a dash for none.
fn size(bytes: u64) -> String {
    let units = [(40, 'T'), (30, 'G'), (20, 'M'), (10, 'K')];
    let Some((shift, unit)) = units.into_iter().find(|(shift, _)| bytes >> shift > 0) else {
        return match bytes {
            0 => "–".to_owned(),
            bytes => bytes.to_string(),
        };
    };
    match bytes as f64 / (1_u64 << shift) as f64 {
        number if number >= 9.95 => format!("{number:.0}{unit}"),
        number => format!("{number:.1}{unit}"),
    }
}

fn as_json(workload: &Workload, needs: &[Needs], assumptions: &[String]) -> Value {
    let method = |needs: &Needs| {
        json!({
            "method": needs.method.word(),
            "hours": needs.seconds / 3600.0,
            "cpu_hours": needs.cpu_seconds / 3600.0,
            "repeated_share": needs.repeated_share,
            "memory_bytes": needs.memory,
            "min_memory_bytes": needs.min_memory,
            "fits": needs.fits,
            "written_bytes": needs.written,
            "spilled_bytes": needs.spilled,
            "bytes_between_stages": needs.between_stages,
            "pairs": needs.pairs,
        })
    };
    json!({
        "rows": workload.rows,
        "bytes": workload.text_bytes,
        "shingle": workload.shingle,
        "machines": workload.machines,
        "cores": workload.cores,
        "memory": workload.memory,
        "methods": needs.iter().map(method).collect::<Vec<_>>(),
        "assumptions": assumptions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_options_read_them() {
        for (bytes, text) in [
            (0, "–"),
            (700, "700"),
            (1536, "1.5K"),
            (300 << 20, "300M"),
            (10_240_000_000, "9.5G"),
            (3 << 40, "3.0T"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(parse_limit(&size(300 << 20)), Ok(300 << 20));
    }

    #[test]
    fn hours_have_two_digits() {
        for (seconds, text) in [
            (1.0, "< 0.01"),
            (1800.0, "0.50"),
            (5400.0, "1.5"),
            (360_000.0, "100"),
        ] {
            assert_eq!(hours(seconds), text);
        }
    }
}
