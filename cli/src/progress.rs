//! Shows the progress of a job: a spinner on a terminal, lines elsewhere.

use super::options::Global;
use indicatif::{ProgressBar, ProgressStyle};
use neardup::jobs::Progress;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Selects how progress is shown, depending on the options and on whether standard error is a terminal.
pub(crate) fn progress(global: &Global) -> Arc<dyn Progress> {
    if global.quiet || global.json {
        Arc::new(neardup::jobs::NoProgress)
    } else if global.is_interactive() {
        Arc::new(Bar::default())
    } else {
        Arc::new(Lines)
    }
}

/// A spinner with the step and its time.
#[derive(Default)]
struct Bar {
    current: Mutex<Option<ProgressBar>>,
}

impl Progress for Bar {
    fn step(&self, name: &str, resumed: bool) {
        if resumed {
            report!("{name:<12} done before");
            return;
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg:<12} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        if let Ok(mut current) = self.current.lock() {
            *current = Some(bar);
        }
    }

    fn done(&self, name: &str, rows: u64, took: Duration) {
        if let Ok(mut current) = self.current.lock()
            && let Some(bar) = current.take()
        {
            bar.finish_and_clear();
        }
        report!("{name:<12} {rows:>12} rows {:>8.1} s", took.as_secs_f64());
    }

    fn rerun(&self, name: &str, why: &str) {
        report!("{name:<12} is done again: {why}");
    }
}

/// Prints a line for each step that is skipped, repeated or done.
struct Lines;

impl Progress for Lines {
    fn step(&self, name: &str, resumed: bool) {
        if resumed {
            report!("{name}: done before");
        }
    }

    fn done(&self, name: &str, rows: u64, took: Duration) {
        report!("{name}: {rows} rows in {:.1} s", took.as_secs_f64());
    }

    fn rerun(&self, name: &str, why: &str) {
        report!("{name}: is done again: {why}");
    }
}
