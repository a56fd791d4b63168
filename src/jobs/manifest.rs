//! `manifest.json`: what a job is and how far it came.

use crate::files::{Location, MANIFEST};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use neardup_wikidump::Losses;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// Version of the layout of a job's directory.
const FORMAT: u32 = 1;

/// A file that a job reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// Absolute path or address.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last change, in seconds since 1970.
    pub modified: u64,
}

/// A file that a step wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepRecord {
    /// Its name: `NN-name`.
    pub name: String,
    /// Its files; nothing else in its directory counts.
    pub files: Vec<StepFile>,
    /// Rows in all files.
    pub rows: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// When it was committed, in seconds since 1970.
    pub committed: u64,
    /// Rows that it left out, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// Figures that a later step or the reader needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, serde_json::Value>,
}

impl StepRecord {
    /// Where its files lie in a job's directory.
    pub(super) fn locations(&self, directory: &Location) -> Vec<Location> {
        let files = self.files.iter();
        files.map(|file| directory.join(&file.path)).collect()
    }

    /// Notes what a salvaging read of a dump left out.
    pub(super) fn leave_out(&mut self, file: &str, losses: &Losses) {
        let pages = losses.pages();
        if pages > 0 {
            *self.left_out.entry("damaged pages".to_owned()).or_default() += pages;
        }
        if !losses.is_empty() {
            let damage = format!("damage in {file}");
            self.figures.insert(damage, losses.to_string().into());
        }
    }
}

/// The whole of `manifest.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the layout.
    pub format: u32,
    /// Version of neardup that wrote it.
    pub neardup: String,
    /// Name of the command.
    pub command: String,
    /// What it reads.
    pub inputs: Vec<InputFile>,
    /// How it computes: everything that the result depends on.
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// Steps that are done, in order.
    pub steps: Vec<StepRecord>,
    /// Whether all steps are done.
    pub finished: bool,
}

impl Manifest {
    /// A job of which nothing is done.
    pub fn new(
        command: &str,
        inputs: Vec<InputFile>,
        parameters: BTreeMap<String, serde_json::Value>,
    ) -> Self {
        Self {
            format: FORMAT,
            neardup: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            inputs,
            parameters,
            steps: vec![],
            finished: false,
        }
    }

    /// Reads the manifest of a directory on disk; `None` where there is none.
    ///
    /// # Errors
    /// If the file cannot be read, is no manifest, or is of another format.
    pub fn load(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(MANIFEST);
        match fs::read(&path) {
            Ok(text) => Self::parse(&text, &path.display()).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => exec_err!("{}: {error}", path.display()),
        }
    }

    /// Parses the text of a file.
    pub(super) fn parse(text: &[u8], file: &dyn Display) -> Result<Self> {
        let manifest: Self = serde_json::from_slice(text)
            .map_err(|error| exec_datafusion_err!("{file}: {error}"))?;
        if manifest.format != FORMAT {
            return exec_err!(
                "{file}: its format is {}, this version reads format {FORMAT}",
                manifest.format
            );
        }
        Ok(manifest)
    }

    /// The text of the file.
    pub(super) fn text(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| DataFusionError::External(error.into()))?;
        Ok(text + "\n")
    }

    /// What of another job differs from this one, if anything: the first difference, in words.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.neardup != other.neardup {
            return Some(format!(
                "neardup {} wrote it, this is {}",
                self.neardup, other.neardup
            ));
        }
        if self.command != other.command {
            return Some(format!(
                "it is a job of '{}', not of '{}'",
                self.command, other.command
            ));
        }
        if self.inputs != other.inputs {
            let names = |manifest: &Self| -> Vec<String> {
                manifest
                    .inputs
                    .iter()
                    .map(|input| input.path.clone())
                    .collect()
            };
            return Some(match names(self) == names(other) {
                true => "an input file has changed since".to_owned(),
                false => format!("its input is {}", names(self).join(", ")),
            });
        }
        let keys = self.parameters.keys().chain(other.parameters.keys());
        for key in keys {
            let (old, new) = (self.parameters.get(key), other.parameters.get(key));
            if old != new {
                let show = |value: Option<&serde_json::Value>| {
                    value.map_or("nothing".to_owned(), ToString::to_string)
                };
                return Some(format!("its {key} is {}, not {}", show(old), show(new)));
            }
        }
        None
    }

    /// The record of a step, if it is done.
    pub fn step(&self, name: &str) -> Option<&StepRecord> {
        self.steps.iter().find(|step| step.name == name)
    }
}
