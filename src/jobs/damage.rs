//! Compares the files of a step with its record.

use super::directory::content;
use super::manifest::StepRecord;
use crate::files::Location;
use datafusion::common::Result;
use datafusion::execution::runtime_env::RuntimeEnv;

/// The fault of the files of a step below a job's directory, if there is one. Each file is read once.
///
/// # Errors
/// If a file exists but cannot be read.
pub(super) async fn damage(
    step: &StepRecord,
    directory: &Location,
    runtime: &RuntimeEnv,
) -> Result<Option<String>> {
    for (written, file) in step.files.iter().zip(step.locations(directory)) {
        let damage = match content(&file, runtime).await? {
            None => "is missing".to_owned(),
            Some((bytes, _)) if bytes != written.bytes => format!(
                "is of another size: it has {bytes} bytes, but the job wrote {}",
                written.bytes
            ),
            Some((_, sum)) if format!("{sum:016x}") != written.checksum => {
                "is damaged: its checksum does not match".to_owned()
            }
            Some(_) => continue,
        };
        return Ok(Some(format!("{file} {damage}")));
    }
    Ok(None)
}
