//! `manifest.json`: what a job is and how far it came.

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use neardup_wikidump::Losses;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Version of the layout of a job's directory.
const FORMAT: u32 = 1;

const NAME: &str = "manifest.json";

/// A file that a job reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// Absolute path.
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

    /// Reads the manifest of a directory; `None` where there is none.
    ///
    /// # Errors
    /// If the file cannot be read, is no manifest, or is of another format.
    pub fn load(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return exec_err!("{}: {error}", path.display()),
        };
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| exec_datafusion_err!("{}: {error}", path.display()))?;
        if manifest.format != FORMAT {
            return exec_err!(
                "{}: its format is {}, this version reads format {FORMAT}",
                path.display(),
                manifest.format
            );
        }
        Ok(Some(manifest))
    }

    /// Writes the manifest aside, then renames it into place.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn store(&self, directory: &Path) -> Result<()> {
        let path = directory.join(NAME);
        let aside = directory.join(format!("{NAME}.new"));
        let write = || -> std::io::Result<()> {
            let mut file = fs::File::create(&aside)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs::rename(&aside, &path)?;
            fs::File::open(directory)?.sync_all()
        };
        write().map_err(|error| exec_datafusion_err!("{}: {error}", path.display()))
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
