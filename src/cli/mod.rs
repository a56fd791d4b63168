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
mod generate;
mod ingest;
mod options;
mod progress;
mod roles;
mod shell;
mod show;
mod sql;
mod summary;
mod visible;

use clap::{Parser, Subcommand};
use datafusion::common::Result;
use neardup::error_text;
use options::Global;
use std::io::Write;
use std::process::ExitCode;

/// Plans of nested templates recurse deeply; a debug build needs more than the usual 2 MiB.
const STACK_BYTES: usize = 32 << 20;

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
    /// Whether the command handles Ctrl-C.
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
        Err(help) => help.exit(),
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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {}", error_text(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
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
            result = command => result,
            _ = tokio::signal::ctrl_c(), if !stops_itself => {
                // What is committed stays; a step in progress is garbage that the next run removes.
                let more = if is_job { "; the same command goes on where this one stopped" } else { "" };
                say!("interrupted{more}");
                std::process::exit(130);
            }
        }
    });
    // Readers may still be at work in threads of their own; nobody waits for their rows.
    runtime.shutdown_background();
    result
}

fn is_broken_pipe(error: &datafusion::common::DataFusionError) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return io.kind() == std::io::ErrorKind::BrokenPipe;
        }
        source = error.source();
    }
    false
}
