//! `--kept FILE`: the kept rows in a file of the user's choice.

use super::options::Global;
use datafusion::common::{Result, exec_datafusion_err, exec_err, plan_datafusion_err, plan_err};
use datafusion::prelude::SessionContext;
use neardup::jobs::Manifest;
use std::path::Path;

/// Checks, before the job runs, that a file of this name can be written: an unknown format is an error.
pub(crate) async fn check(
    context: &SessionContext,
    file: &str,
    inputs: &[String],
    directory: &str,
) -> Result<()> {
    if file.is_empty() || file == "-" {
        return plan_err!(
            "--kept must be the name of a file, such as kept.jsonl or kept.csv.gz, found '{file}'"
        );
    }
    refuse_input(inputs.iter().map(String::as_str), file)?;
    if let Some(name) = inside(file, directory)
        && neardup::jobs::is_owned(&name)
    {
        return exec_err!(
            "--kept {file}: the job writes {name} in its directory {directory}; another name is needed"
        );
    }
    if Path::new(file).is_dir() {
        return exec_err!("--kept {file}: this is a directory; the name of a file is needed");
    }
    if Path::new(file).extension().is_none() {
        return plan_err!(
            "--kept {file}: the name must end in .parquet, .csv, .tsv, .json, .jsonl or .ndjson, all but .parquet also with .gz, .bz2 or .zst"
        );
    }
    let plan = context
        .state()
        .create_logical_plan(&copy("(SELECT 1 AS id)", file))
        .await;
    let plan = plan.and_then(|plan| context.state().optimize(&plan));
    plan.map_err(|error| plan_datafusion_err!("--kept {file}: {}", error.strip_backtrace()))?;
    Ok(())
}

/// Fails if the file is one of the inputs.
fn refuse_input<'a>(mut inputs: impl Iterator<Item = &'a str>, file: &str) -> Result<()> {
    match inputs.find(|input| is_same(input, file)) {
        Some(input) => {
            exec_err!("--kept {file}: this is the input {input}, which is not overwritten")
        }
        None => Ok(()),
    }
}

/// Writes the kept rows of a job to a file, in the order of `kept.parquet`.
pub(crate) async fn write(
    manifest: &Manifest,
    directory: &str,
    file: &str,
    global: &Global,
) -> Result<()> {
    refuse_input(
        manifest.inputs.iter().map(|input| input.path.as_str()),
        file,
    )?;
    let context = global.session()?;
    neardup::jobs::register(&context, directory).await?;
    // One partition reads the rows in the order of the file.
    let statements = [
        "SET datafusion.execution.target_partitions = 1",
        &copy("kept", file),
    ];
    for statement in statements {
        let rows = context.sql(statement).await?;
        let plan = rows.logical_plan().clone();
        rows.collect().await.map_err(|error| {
            let why = neardup::explain_write_error(&plan, error).strip_backtrace();
            exec_datafusion_err!(
                "--kept {file}: {why}; the job in {directory} is complete: neardup sql --dir {} {} writes its rows",
                neardup::shell_word(directory),
                neardup::shell_word(&copy("(SELECT … FROM kept)", file))
            )
        })?;
    }
    Ok(())
}

fn copy(rows: &str, file: &str) -> String {
    format!("COPY {rows} TO '{}'", file.replace('\'', "''"))
}

/// The first name of a file below a directory, which may not be there yet; `None` if it is not inside.
fn inside(file: &str, directory: &str) -> Option<String> {
    let absolute = |name: &Path| {
        let path = std::path::absolute(name).ok()?;
        let above = path.ancestors().find(|above| above.exists())?;
        let real = above.canonicalize().ok()?;
        Some(real.join(path.strip_prefix(above).ok()?))
    };
    let (file, directory) = (absolute(Path::new(file))?, absolute(Path::new(directory))?);
    let name = file.strip_prefix(directory).ok()?.components().next()?;
    Some(name.as_os_str().to_string_lossy().into_owned())
}

/// Whether two names are those of one file.
fn is_same(input: &str, file: &str) -> bool {
    let real = |name: &str| Path::new(name).canonicalize().ok();
    input == file || real(input).is_some_and(|input| Some(input) == real(file))
}
