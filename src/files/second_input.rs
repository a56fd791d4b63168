//! The second input of a job, such as the items of benchmark sets, or a table of labels.
//!
//! The options of readers (delimiter, quote, encoding, …) describe the main input. The second input is read by the names
//! and the first bytes of its files, and by those options that cannot apply to the main input. If it then lacks a column
//! that is needed, it is read again: with the encoding of the main input, with its options of separated values, or with
//! both. If a quote is given, the options of separated values are tried first.

use super::{Found, Input, Kind, Reading, files_of};
use datafusion::common::{Result, exec_err};
use datafusion::execution::SessionState;

/// Finds the files of a second input, from which the columns `needed` are read; those in `texts` are read as texts even
/// if all of their values look like numbers.
///
/// # Errors
/// As [`super::resolve`], and if the files can be read in none of these ways. An input without a needed column is no
/// error.
pub(crate) async fn resolve_second(
    names: &[String],
    needed: &[&str],
    texts: &[String],
    main: &Input,
    state: &SessionState,
) -> Result<Input> {
    let found = files_of(names, state.runtime_env()).await?;
    let mut ways = main.reading.of_second(main.kind);
    if let [only] = ways.as_mut_slice() {
        return input(&found, std::mem::take(only), texts, state).await;
    }
    // A .txt file may hold separated values if a delimiter is given.
    let is_separated = main.reading.kind(Some(Kind::Text)) != Some(Kind::Text);
    let mut of_text = None;
    let mut others: Vec<Attempt> = Vec::new();
    let mut errors = Vec::new();
    for way in ways {
        match Attempt::of(&found, way, texts, state).await {
            Ok(attempt) if !attempt.has(needed) => others.push(attempt),
            Ok(attempt) if attempt.input.kind == Kind::Text && is_separated => {
                of_text.get_or_insert(attempt);
            }
            Ok(attempt) => return Ok(attempt.input),
            Err(error) => errors.push(error),
        }
    }
    if let Some(attempt) = of_text {
        return Ok(attempt.input);
    }
    // No reading has the needed columns. The one with the most columns is probably meant; of several, the first.
    let max_columns = others.iter().map(|attempt| attempt.columns.len()).max();
    let best = (others.into_iter()).find(|attempt| Some(attempt.columns.len()) == max_columns);
    let mut errors = errors.into_iter();
    match (best, errors.next(), errors.next_back()) {
        (Some(attempt), None, _) => Ok(attempt.input),
        (Some(attempt), Some(_), _) if attempt.columns.len() > 1 => Ok(attempt.input),
        (_, Some(first), Some(last)) if last.strip_backtrace() != first.strip_backtrace() => {
            let (first, last) = (first.strip_backtrace(), last.strip_backtrace());
            exec_err!("{first}; with the options that describe the main input: {last}")
        }
        (_, Some(error), _) => Err(error),
        (None, None, _) => exec_err!("no input was given"),
    }
}

/// The files as an input that is read in this way.
async fn input(
    found: &Found,
    way: Reading,
    texts: &[String],
    state: &SessionState,
) -> Result<Input> {
    let mut input = found.clone().read(way, state.runtime_env()).await?;
    input.texts = texts.to_vec();
    Ok(input)
}

/// An input that is read in one of the ways.
struct Attempt {
    input: Input,
    /// The names of its columns; none for a dump.
    columns: Vec<String>,
}

impl Attempt {
    async fn of(
        found: &Found,
        way: Reading,
        texts: &[String],
        state: &SessionState,
    ) -> Result<Self> {
        let input = input(found, way, texts, state).await?;
        let columns = match input.kind {
            Kind::Dump => Vec::new(),
            _ => {
                let schema = input.table(state).await?.schema();
                let fields = schema.fields().iter();
                fields.map(|field| field.name().clone()).collect()
            }
        };
        Ok(Self { input, columns })
    }

    fn has(&self, needed: &[&str]) -> bool {
        let has = |name: &&str| self.columns.iter().any(|column| column == name);
        needed.iter().all(has)
    }
}
