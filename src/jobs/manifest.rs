//! `manifest.json`: the parameters and the finished steps of a job.
//!
//! `format` serialises, parses and validates the file.

mod format;

use crate::files::{Location, MANIFEST};
use datafusion::common::{Result, exec_err};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Version of the layout of a job's directory.
///
/// 2: inputs are identified by times in nanoseconds, tags and checksums, and the manifest has its own checksum.
/// 3: the tables `plain_text` and `sentences` of dumps say what was a heading or a list item.
pub(super) const FORMAT: u32 = 3;

/// A file that a job reads, with the properties by which a change of it is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Absolute path or address.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last change, in nanoseconds since 1970.
    pub modified: u64,
    /// XXH3-64 of the first and the last 64 KiB, in hexadecimal.
    pub ends: String,
    /// Entity tag that the store gives these bytes; files on disk have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e_tag: Option<String>,
    /// Version of the object, in stores that keep several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl InputFile {
    /// A description of what has changed since this was recorded; `None` if nothing has.
    pub(super) fn change(&self, now: &Self) -> Option<String> {
        if self.bytes != now.bytes {
            return Some(format!(
                "it had {} bytes, but now has {}",
                self.bytes, now.bytes
            ));
        }
        if self.e_tag != now.e_tag || self.version != now.version {
            return Some("the store holds another version of it".to_owned());
        }
        if self.ends != now.ends {
            return Some("it holds other bytes".to_owned());
        }
        (self.modified != now.modified).then(|| "it was written again".to_owned())
    }
}

/// A file that a step wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepFile {
    /// Path below the job's directory.
    pub path: String,
    /// Rows in it.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// XXH3-64 of its bytes, in hexadecimal.
    pub checksum: String,
}

/// A step that is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// Its name: `NN-name`.
    pub name: String,
    /// Its files; other files in its directory are ignored.
    pub files: Vec<StepFile>,
    /// Rows in all files.
    pub rows: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// When it was committed, in seconds since 1970.
    pub committed: u64,
    /// Number of rows that it left out, by [`super::Reason`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// Figures that a later step or the reader needs, by [`super::Figure`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, serde_json::Value>,
}

impl StepRecord {
    /// Where its files lie in a job's directory.
    pub(super) fn locations(&self, directory: &Location) -> Vec<Location> {
        let files = self.files.iter();
        files.map(|file| directory.join(&file.path)).collect()
    }

    /// Whether another run of the step had the same result. With `is_exact` the bytes must be equal; without it,
    /// only row counts, left-out counts and figures, because unsorted files may hold equal rows in another order.
    pub(super) fn same_result(&self, other: &Self, is_exact: bool) -> bool {
        let content = |record: &Self| {
            let files = record.files.iter();
            let content = files.map(|file| (file.bytes, file.checksum.clone()));
            let mut content: Vec<_> = content.collect();
            content.sort();
            content
        };
        self.rows == other.rows
            && self.left_out == other.left_out
            && self.figures == other.figures
            && (!is_exact || content(self) == content(other))
    }
}

/// The content of `manifest.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the layout.
    pub format: u32,
    /// Version of signatures, keys and buckets.
    pub signatures: u32,
    /// Version of neardup that wrote it.
    pub neardup: String,
    /// Name of the command.
    pub command: String,
    /// The files that it reads.
    pub inputs: Vec<InputFile>,
    /// All parameters that the result depends on.
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// Steps that are done, in order.
    pub steps: Vec<StepRecord>,
    /// Whether all steps are done.
    pub finished: bool,
    /// XXH3-64 of the other fields, in hexadecimal; empty except in the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    checksum: String,
}

impl Manifest {
    /// The manifest of a job without finished steps.
    pub fn new(
        command: &str,
        inputs: Vec<InputFile>,
        parameters: BTreeMap<String, serde_json::Value>,
    ) -> Self {
        Self {
            format: FORMAT,
            signatures: neardup_kernels::SIGNATURES,
            neardup: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            inputs,
            parameters,
            steps: vec![],
            finished: false,
            checksum: String::new(),
        }
    }

    /// Reads the manifest of a directory on disk; `None` if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, is not a manifest, or has an unknown format.
    pub fn load(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(MANIFEST);
        if let Ok(found) = fs::metadata(&path) {
            if !found.is_file() {
                return exec_err!("{}: must be a file", path.display());
            }
            Self::check_size(found.len(), &path.display())?;
        }
        match fs::read(&path) {
            Ok(text) => Self::parse(&text, &path.display()).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => exec_err!("{}: {error}", path.display()),
        }
    }

    /// A description of the first difference between this job and another one; `None` if they are the same.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.format != other.format {
            return Some(format!(
                "its format is {}, but this version resumes jobs of format {} only",
                self.format, other.format
            ));
        }
        if self.signatures != other.signatures {
            return Some(format!(
                "its signatures have version {}, but this neardup computes version {}",
                self.signatures, other.signatures
            ));
        }
        if self.neardup != other.neardup {
            return Some(format!(
                "it was written by neardup {}, but this is neardup {}",
                self.neardup, other.neardup
            ));
        }
        if self.command != other.command {
            return Some(format!(
                "it is a job of '{}', not of '{}'",
                self.command, other.command
            ));
        }
        if let Some(difference) = self.other_inputs(other) {
            return Some(difference);
        }
        // Others follow from a parameter that only one of the jobs has, such as `edit`.
        let of_both = |key: &&String| {
            [self, other]
                .iter()
                .all(|job| job.parameters.contains_key(*key))
        };
        let keys = self.parameters.keys().chain(other.parameters.keys());
        let (of_both, of_one): (Vec<_>, Vec<_>) = keys.partition(of_both);
        for key in of_one.into_iter().chain(of_both) {
            let (old, new) = (self.parameters.get(key), other.parameters.get(key));
            if old != new {
                let show = |value: Option<&serde_json::Value>| {
                    let given = value.filter(|value| !value.is_null());
                    given.map_or("not given".to_owned(), ToString::to_string)
                };
                return Some(format!(
                    "its {key} is {}; now {key} is {}",
                    show(old),
                    show(new)
                ));
            }
        }
        None
    }

    /// A description of the first difference between the inputs of two jobs; `None` if they are the same.
    fn other_inputs(&self, other: &Self) -> Option<String> {
        for (old, new) in self.inputs.iter().zip(&other.inputs) {
            if old.path != new.path {
                return Some(match other.inputs.iter().any(|new| new.path == old.path) {
                    true => format!("{} is not among its inputs", new.path),
                    false => format!("its input is {}", old.path),
                });
            }
            if let Some(change) = old.change(new) {
                return Some(format!(
                    "the input file {} has changed since: {change}",
                    old.path
                ));
            }
        }
        let count = self.inputs.len();
        match (self.inputs.get(other.inputs.len()), other.inputs.get(count)) {
            (Some(more), _) => Some(format!("its input is also {}", more.path)),
            (_, Some(more)) => Some(format!("{} is not among its inputs", more.path)),
            _ => None,
        }
    }

    /// Whether the job compared normal forms of texts, as jobs do unless they are told otherwise.
    pub fn is_normalized(&self) -> bool {
        let parameter = self.parameters.get("normalize");
        parameter.and_then(|value| value.as_bool()).unwrap_or(true)
    }

    /// The record of a step, by its name without its number, if it is done.
    pub fn step(&self, name: &str) -> Option<&StepRecord> {
        let numbered = |step: &&StepRecord| {
            step.name
                .split_once('-')
                .is_some_and(|(_, found)| found == name)
        };
        self.steps.iter().find(numbered)
    }
}
