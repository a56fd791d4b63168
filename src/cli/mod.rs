//! The command line: arguments, the runtime, and what is said to the person in front of it.
//!
//! One file a command. What a command does belongs to the library; here is how it is asked for and
//! how it answers. Results go to standard output, everything else to standard error.

/// Says something on standard error, as visible text: it may hold names and texts of others. Nobody may be
/// there to read it, which is no error.
macro_rules! say {
    ($($text:tt)*) => {
        // In one piece: other processes may say something on the same terminal.
        _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            $crate::cli::visible::visible(&format!("{}\n", format_args!($($text)*))).as_bytes(),
        )
    };
}

mod dedup;
mod folder;
mod generate;
mod ingest;
mod options;
mod out;
mod progress;
mod roles;
mod shell;
mod show;
mod sql;
mod stop;
mod summary;
mod visible;

use clap::{Parser, Subcommand};
use datafusion::common::{DataFusionError, Result};
use neardup::error_text;
use options::Global;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// Plans of nested templates recurse deeply; a debug build needs more than the usual 2 MiB.
const STACK_BYTES: usize = 32 << 20;

/// What tasks get to let go of what they hold before a process that was asked to stop ends.
const PAUSE: Duration = Duration::from_millis(50);

/// What the engine of a cluster logs of ordinary work, and of errors that come back as results. RUST_LOG
/// shows it.
const NOISE: [&str; 3] = [
    "ballista_core::execution_plans::distributed_query",
    "ballista_scheduler::display",
    "ballista_scheduler::state::aqe",
];

/// Finds near-duplicate text: verified pairs, clusters and a de-duplicated table, with SQL.
#[derive(Parser)]
#[command(
    name = "neardup",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Try it: 'neardup dedup' runs on a small bundled dump and writes ./neardup-out, \
'neardup show neardup-out' shows what was found."
)]
struct Arguments {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dedup(dedup::Arguments),
    Ingest(ingest::Arguments),
    Show(show::Arguments),
    Sql(sql::Arguments),
    Generate(generate::Arguments),
    Scheduler(roles::Scheduler),
    Executor(roles::Executor),
}

impl Command {
    /// Whether the command handles signals.
    fn stops_itself(&self) -> bool {
        matches!(self, Self::Scheduler(_) | Self::Executor(_))
    }
}

/// Parses the arguments and runs the command.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            // It repeats what was given.
            say!("{}", error.render().to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(answer) => return explain(&answer),
    };
    let mut logger = env_logger::Builder::new();
    logger.filter_level(arguments.global.log);
    for module in NOISE {
        logger.filter_module(module, log::LevelFilter::Off);
    }
    logger.format(|out, record| {
        let style = out.default_level_style(record.level());
        let (level, from) = (record.level(), record.target());
        let text = record.args().to_string();
        writeln!(
            out,
            "[{style}{level:<5}{style:#} {from}] {}",
            visible::visible(&text)
        )
    });
    logger.parse_default_env().init();
    // The main thread has a stack of its own size; the work runs on one of ours.
    let worker = std::thread::Builder::new()
        .name("neardup".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || run(arguments));
    let result = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => return ExitCode::from(101),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Stopped(stop)) => ExitCode::from(stop.code),
        Err(_) if out::is_closed() => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {}{}", error_text(&error), hint(&error));
            ExitCode::FAILURE
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn explain(answer: &clap::Error) -> ExitCode {
    let printed = answer.print().and_then(|()| std::io::stdout().flush());
    match printed.map_err(out::noted) {
        Err(error) if !out::is_closed() && !answer.use_stderr() => {
            say!("error: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2)),
    }
}

/// What to do about an error, where an option helps.
fn hint(error: &DataFusionError) -> &'static str {
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => {
            " (--memory-limit sets what operators may hold, --threads how many of them run)"
        }
        _ => "",
    }
}

/// How a command ended, if not by an error.
enum Outcome {
    Done,
    Stopped(stop::Stop),
}

fn run(arguments: Arguments) -> Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(arguments.global.threads())
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()?;
    let global = arguments.global;
    let result = runtime.block_on(async {
        let is_job = matches!(arguments.command, Command::Dedup(_) | Command::Ingest(_));
        let stops_itself = arguments.command.stops_itself();
        let command = async {
            match arguments.command {
                Command::Dedup(arguments) => dedup::run(&arguments, &global).await,
                Command::Ingest(arguments) => ingest::run(&arguments, &global).await,
                Command::Show(arguments) => show::run(&arguments, &global).await,
                Command::Sql(arguments) => sql::run(&arguments, &global).await,
                Command::Generate(arguments) => generate::run(&arguments, &global).await,
                Command::Scheduler(arguments) => roles::scheduler(&arguments, &global).await,
                Command::Executor(arguments) => roles::executor(&arguments, &global).await,
            }
        };
        tokio::select! {
            result = command => result.map(|()| Outcome::Done),
            stop = stop::asked_to_stop(), if !stops_itself => {
                // What is committed stays; a step in progress is garbage that the next run removes.
                let more = if is_job { "; the same command goes on where this one stopped" } else { "" };
                say!("{}{more}", stop.word);
                Ok(Outcome::Stopped(stop))
            }
        }
    });
    if let Ok(Outcome::Stopped(_)) = result {
        // The command is dropped; what it started ends at its next pause.
        runtime.block_on(async { tokio::time::sleep(PAUSE).await });
    }
    stop::remove_unfinished();
    // Readers may still be at work in threads of their own, and nobody waits for their rows. The threads are
    // left alone until the process ends: to detach one that is just ending can be a fault in the C library.
    std::mem::forget(runtime);
    result
}
