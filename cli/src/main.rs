//! The `neardup` command: arguments, the runtime, and messages to the user.
//!
//! Each command has its own file, which parses its arguments and prints its results; the work itself is done by the
//! library. Results go to standard output, everything else to standard error.

/// Prints a message to standard error, with control characters made visible, because it may hold text from files.
/// A failed write is ignored.
macro_rules! report {
    ($($text:tt)*) => {
        // One write, because other processes may print to the same terminal.
        _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            $crate::visible::visible(&format!("{}\n", format_args!($($text)*))).as_bytes(),
        )
    };
}

mod columns;
mod decontaminate;
mod dedup;
mod difference;
mod examples;
mod flags;
mod generate;
mod ingest;
mod kept;
mod manual;
mod options;
mod out;
mod plan;
mod progress;
mod reading;
mod report;
mod roles;
mod sample;
mod script;
mod shell;
mod show;
mod sql;
mod stop;
mod summary;
mod temp_dir;
mod tips;
mod tune;
mod visible;
mod why;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use datafusion::common::{DataFusionError, Result};
use futures::future::Either;
use options::Global;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// Plans of nested templates recurse deeply; a debug build needs more than the usual 2 MiB.
const STACK_BYTES: usize = 32 << 20;

/// Time that tasks get to release their resources before a process ends after a signal.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(50);

/// Modules of the cluster's engine whose logs are silenced: they log ordinary work, and errors that are also
/// returned as results. RUST_LOG enables them.
const SILENCED_MODULES: [&str; 3] = [
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
    Dedup(Box<dedup::Arguments>),
    Decontaminate(Box<decontaminate::Arguments>),
    Ingest(ingest::Arguments),
    Show(show::Arguments),
    Why(why::Arguments),
    Report(report::Arguments),
    Tune(Box<tune::Arguments>),
    Plan(plan::Arguments),
    Sql(sql::Arguments),
    Generate(generate::Arguments),
    Scheduler(roles::Scheduler),
    Executor(roles::Executor),
    Completions(manual::Completions),
    Man(manual::Man),
}

impl Command {
    /// Whether the command handles signals.
    fn stops_itself(&self) -> bool {
        matches!(self, Self::Scheduler(_) | Self::Executor(_))
    }

    async fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Dedup(arguments) => dedup::run(&arguments, global).await,
            Self::Decontaminate(arguments) => decontaminate::run(&arguments, global).await,
            Self::Ingest(arguments) => ingest::run(&arguments, global).await,
            Self::Show(arguments) => show::run(&arguments, global).await,
            Self::Why(arguments) => why::run(&arguments, global).await,
            Self::Report(arguments) => report::run(&arguments, global).await,
            Self::Tune(arguments) => tune::run(&arguments, global).await,
            Self::Plan(arguments) => plan::run(&arguments, global),
            Self::Sql(arguments) => sql::run(&arguments, global).await,
            Self::Generate(arguments) => generate::run(&arguments, global).await,
            Self::Scheduler(arguments) => roles::scheduler(&arguments, global).await,
            Self::Executor(arguments) => roles::executor(&arguments, global).await,
            Self::Completions(arguments) => manual::completions(&arguments),
            Self::Man(arguments) => manual::man(&arguments),
        }
    }
}

/// Parses the arguments and runs the command.
fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            let (text, tip) = tips::explained(error, &Arguments::command());
            // Escaped, because the error repeats the arguments.
            report!("{}", text.trim_end());
            if let Some(tip) = tip {
                report!("\n  tip: {tip}");
            }
            return ExitCode::from(2);
        }
        Err(answer) => return print_usage(&answer),
    };
    let mut logger = env_logger::Builder::new();
    logger.filter_level(arguments.global.log);
    for module in SILENCED_MODULES {
        logger.filter_module(module, log::LevelFilter::Off);
    }
    logger.format(|out, record| {
        let style = out.default_level_style(record.level());
        let (level, from) = (record.level(), record.target());
        let text = record.args().to_string();
        let text = visible::visible(&text);
        // A warning of this workspace is about the user's files or options.
        match level == log::Level::Warn && from.starts_with("neardup") {
            true => writeln!(out, "{style}warning{style:#}: {text}"),
            false => writeln!(out, "[{style}{level:<5}{style:#} {from}] {text}"),
        }
    });
    logger.parse_default_env().init();
    // The size of the main thread's stack is set by the system, so the work runs on another thread.
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
            let text = flags::error_text(&error);
            let hint = tips::missing_input(&text, &Arguments::command());
            report!("error: {text}{}", hint.unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}

/// The arguments, with the names of the options of `dedup` that were given.
fn parse() -> std::result::Result<Arguments, clap::Error> {
    let matches = Arguments::command().try_get_matches()?;
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    if let (Command::Dedup(dedup), Some((_, matches))) =
        (&mut arguments.command, matches.subcommand())
    {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let names = matches.ids().map(clap::Id::as_str);
        dedup.given = names.filter(|id| is_given(id)).map(str::to_owned).collect();
    }
    if let (Command::Decontaminate(_), Some((_, matches))) =
        (&arguments.command, matches.subcommand())
        && let Some(corpus) = decontaminate::after_items(matches)
    {
        let error = format!(
            "--against takes one value, and '{corpus}' behind it would be a part of the corpus: name the corpus before \
             --against, write a pattern in quotes, and give --against once for each file of items"
        );
        return Err(Arguments::command().error(ErrorKind::ArgumentConflict, error));
    }
    Ok(arguments)
}

/// Prints help, the version, or an error of the arguments.
fn print_usage(answer: &clap::Error) -> ExitCode {
    let printed = answer.print().and_then(|()| std::io::stdout().flush());
    match printed.map_err(out::record_closed) {
        Err(error) if !out::is_closed() && !answer.use_stderr() => {
            report!("error: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2)),
    }
}

/// Leaves out what Rust prints for a panic, which is reported as an error, unless `RUST_BACKTRACE` is set.
fn silence_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none_or(|value| value == "0") {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

/// How a command ended without an error.
enum Outcome {
    Done,
    Stopped(stop::Stop),
}

fn run(arguments: Arguments) -> Result<Outcome> {
    neardup::limit_heaps(match &arguments.command {
        Command::Executor(executor) => executor.slots(&arguments.global),
        _ => arguments.global.threads(),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(arguments.global.threads())
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()?;
    // Signals are received on this thread, because the workers may be busy for long without a pause.
    let waiting = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let Arguments { global, command } = arguments;
    neardup::files::read_pipes(global.temp_dir());
    if !command.stops_itself() {
        silence_panics();
    }
    let result = waiting.block_on(async {
        let is_job = matches!(
            command,
            Command::Dedup(_) | Command::Decontaminate(_) | Command::Ingest(_) | Command::Tune(_)
        );
        // Caught before the command begins, which may spill or write before it first waits.
        let stop = match command.stops_itself() {
            true => Either::Left(std::future::pending()),
            false => Either::Right(stop::stop_signal()),
        };
        let work = async move { neardup::files::caught(command.run(&global)).await };
        let mut command = runtime.spawn(work);
        tokio::select! {
            result = &mut command => match result {
                Ok(result) => result.map(|()| Outcome::Done),
                Err(error) => Err(DataFusionError::External(error.into())),
            },
            stop = stop => {
                // Committed steps stay; the next run removes the files of a step in progress.
                let more = if is_job { "; run the same command again to resume" } else { "" };
                report!("{}{more}", stop.message);
                command.abort();
                // The tasks that it started end when they next yield.
                _ = tokio::time::timeout(SHUTDOWN_GRACE, command).await;
                tokio::time::sleep(SHUTDOWN_GRACE).await;
                Ok(Outcome::Stopped(stop))
            }
        }
    });
    stop::clean_up();
    neardup::files::remove_copies();
    // Threads that read files may still run, although their rows are no longer needed. They are left running until
    // the process ends, because detaching a thread that is just ending can crash in the C library.
    std::mem::forget(runtime);
    result
}
