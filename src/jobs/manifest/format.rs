//! The serialised form of `manifest.json`.
//!
//! The file is validated before it is used: its version, a checksum over everything, and that all paths stay in
//! the directory. Formats 1 and 2 can be read, but a job resumes only in format 3.

use super::{FORMAT, InputFile, Manifest, StepRecord};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use xxhash_rust::xxh3::xxh3_64;

/// The fields that every format has.
#[derive(Deserialize)]
struct Header {
    format: u64,
    #[serde(default)]
    neardup: serde_json::Value,
}

/// Format 1 identifies inputs by size and time in seconds, and has no checksum.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format1 {
    format: u32,
    neardup: String,
    command: String,
    inputs: Vec<Input1>,
    parameters: BTreeMap<String, serde_json::Value>,
    steps: Vec<StepRecord>,
    finished: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input1 {
    path: String,
    bytes: u64,
    modified: u64,
}

impl From<Format1> for Manifest {
    fn from(old: Format1) -> Self {
        let inputs = old.inputs.into_iter().map(|input| InputFile {
            path: input.path,
            bytes: input.bytes,
            modified: input.modified.saturating_mul(1_000_000_000),
            ends: String::new(),
            e_tag: None,
            version: None,
        });
        Self {
            format: old.format,
            signatures: 0,
            neardup: old.neardup,
            command: old.command,
            inputs: inputs.collect(),
            parameters: old.parameters,
            steps: old.steps,
            finished: old.finished,
            checksum: String::new(),
        }
    }
}

/// Largest size of a manifest in bytes, which is more than any job needs: a file takes a few hundred bytes.
const MAX_BYTES: u64 = 256 << 20;

impl Manifest {
    /// Checks the size of a file before it is read.
    ///
    /// # Errors
    /// If the file is larger than any manifest.
    pub(in crate::jobs) fn check_size(bytes: u64, file: &dyn Display) -> Result<()> {
        match bytes > MAX_BYTES {
            true => exec_err!("{file}: has {bytes} bytes, but a manifest has at most {MAX_BYTES}"),
            false => Ok(()),
        }
    }

    /// Parses and validates the text of a file.
    ///
    /// # Errors
    /// If it is not a manifest, is damaged, or has an unknown format.
    pub(in crate::jobs) fn parse(text: &[u8], file: &dyn Display) -> Result<Self> {
        let wrong = |error: serde_json::Error| exec_datafusion_err!("{file}: {error}");
        const CURRENT: u64 = FORMAT as u64;
        let header: Header = serde_json::from_slice(text).map_err(wrong)?;
        let manifest = match header.format {
            1 => Self::from(serde_json::from_slice::<Format1>(text).map_err(wrong)?),
            2 | CURRENT => {
                let mut manifest: Self = serde_json::from_slice(text).map_err(wrong)?;
                let checksum = std::mem::take(&mut manifest.checksum);
                if checksum != manifest.own_checksum()? {
                    return exec_err!("{file}: the file is damaged: its checksum does not match");
                }
                manifest
            }
            format => {
                return exec_err!(
                    "{file}: its format is {format}, written by neardup {}; this version reads the formats 1 to {FORMAT}",
                    header
                        .neardup
                        .as_str()
                        .unwrap_or("of another version")
                        .escape_debug()
                );
            }
        };
        match manifest.fault() {
            None => Ok(manifest),
            Some(fault) => exec_err!("{file}: {fault}"),
        }
    }

    /// The text of the file, with its checksum.
    pub(in crate::jobs) fn text(&self) -> Result<String> {
        let sealed = Self {
            checksum: self.own_checksum()?,
            ..self.clone()
        };
        Ok(sealed.json()? + "\n")
    }

    fn json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self);
        text.map_err(|error| DataFusionError::External(error.into()))
    }

    /// The checksum over everything but itself.
    fn own_checksum(&self) -> Result<String> {
        Ok(format!("{:016x}", xxh3_64(self.json()?.as_bytes())))
    }

    /// A description of the first invalid value; `None` if all are valid.
    fn fault(&self) -> Option<String> {
        let mut names = BTreeSet::new();
        let mut files = BTreeSet::new();
        for step in &self.steps {
            let Some(name) = step_name(&step.name) else {
                return Some(format!("'{}' is not a step name", step.name.escape_debug()));
            };
            if !names.insert(&step.name) {
                return Some(format!("the step {} is listed twice", step.name));
            }
            if step.files.is_empty() {
                return Some(format!("the step {} has no files", step.name));
            }
            let mut rows = Some(0_u64);
            for file in &step.files {
                rows = rows.and_then(|rows| rows.checked_add(file.rows));
                if !is_file_of(&step.name, name, &file.path) {
                    return Some(format!(
                        "the step {} cannot have the file '{}'",
                        step.name,
                        file.path.escape_debug()
                    ));
                }
                if !files.insert(&file.path) {
                    return Some(format!("the file {} is listed twice", file.path));
                }
                if file.checksum.len() != 16
                    || !file.checksum.bytes().all(|byte| byte.is_ascii_hexdigit())
                {
                    return Some(format!(
                        "'{}' is not a checksum",
                        file.checksum.escape_debug()
                    ));
                }
            }
            if rows != Some(step.rows) {
                return Some(format!(
                    "the step {} has {} rows, but its files have another number of rows",
                    step.name, step.rows
                ));
            }
        }
        None
    }
}

/// The name in `NN-name`.
fn step_name(full: &str) -> Option<&str> {
    let (number, name) = full.split_once('-')?;
    let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    (is_number && is_name).then_some(name)
}

/// Whether a step of this name may have a file at `path`: `name.parquet`, or a file in `name/` or in the step's
/// directory below `steps/`.
fn is_file_of(full: &str, name: &str, path: &str) -> bool {
    let Some((directory, file)) = path.rsplit_once('/') else {
        return path.strip_suffix(".parquet") == Some(name);
    };
    let stem = file.strip_suffix(".parquet").unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_there = directory == name || directory.strip_prefix("steps/") == Some(full);
    is_there && !stem.is_empty() && stem.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::manifest::StepFile;

    fn manifest(path: &str) -> Manifest {
        let mut manifest = Manifest::new("dedup", vec![], BTreeMap::new());
        manifest
            .parameters
            .insert("threshold".to_owned(), 0.1.into());
        manifest.steps.push(StepRecord {
            name: "03-texts".to_owned(),
            files: vec![StepFile {
                path: path.to_owned(),
                rows: 7,
                bytes: 9,
                checksum: "0123456789abcdef".to_owned(),
            }],
            rows: 7,
            seconds: 0.1 + 0.2,
            committed: 1,
            left_out: BTreeMap::new(),
            figures: BTreeMap::from([("characters".to_owned(), 1e300.into())]),
        });
        manifest
    }

    fn parse(text: &str) -> Result<Manifest, String> {
        let parsed = Manifest::parse(text.as_bytes(), &"file");
        parsed.map_err(|error| error.strip_backtrace())
    }

    #[test]
    fn what_is_written_is_read() {
        let manifest = manifest("steps/03-texts/a0.parquet");
        let text = manifest.text().expect("text");
        let again = parse(&text).expect("a manifest");
        assert_eq!(again.text().expect("text"), text);
        assert_eq!(manifest.difference(&again), None);
    }

    #[test]
    fn paths_stay_in_the_directory() {
        for (path, is_fine) in [
            ("steps/03-texts/a0.parquet", true),
            ("texts/a0.parquet", true),
            ("texts.parquet", true),
            ("kept.parquet", false),
            ("/etc/texts.parquet", false),
            ("../texts.parquet", false),
            ("steps/03-texts/../../../x.parquet", false),
            ("steps/03-texts/..parquet", false),
            ("steps/03-texts/.parquet", false),
            ("steps/03-texts/a\\b.parquet", false),
            ("steps/04-texts/a0.parquet", false),
            ("steps/03-texts/a0", false),
            ("s3://bucket/texts/a0.parquet", false),
            ("", false),
        ] {
            let text = manifest(path).text().expect("text");
            assert_eq!(parse(&text).is_ok(), is_fine, "{path}");
        }
    }

    /// Changing any bit, or truncating the file anywhere, is an error: never a panic, never another manifest.
    #[test]
    fn damage_is_detected() {
        let text = manifest("texts.parquet").text().expect("text");
        let wanted = parse(&text).expect("a manifest").json().expect("text");
        let check = |bytes: &[u8]| {
            if let Ok(found) = Manifest::parse(bytes, &"file") {
                assert_eq!(found.json().expect("text"), wanted);
            }
        };
        for index in 0..text.len() {
            check(&text.as_bytes()[..index]);
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                check(&bytes);
            }
        }
    }

    #[test]
    fn invalid_manifests_are_refused() {
        let mut two = manifest("texts.parquet");
        two.steps.push(two.steps[0].clone());
        let mut rows = manifest("texts.parquet");
        rows.steps[0].files[0].rows = u64::MAX;
        let mut name = manifest("texts.parquet");
        name.steps[0].name = "03-../texts".to_owned();
        let mut sum = manifest("texts.parquet");
        sum.steps[0].files[0].checksum = "xyz".to_owned();
        for (manifest, expected) in [
            (two, "is listed twice"),
            (rows, "its files have another number of rows"),
            (name, "is not a step name"),
            (sum, "is not a checksum"),
        ] {
            let error = parse(&manifest.text().expect("text")).expect_err("an error");
            assert!(error.contains(expected), "{error}");
        }
        for (text, expected) in [
            ("", "EOF"),
            ("{}", "missing field `format`"),
            (
                "{\"format\":4,\"neardup\":\"9.9.9\"}",
                "its format is 4, written by neardup 9.9.9",
            ),
            ("{\"format\":1e999}", "number"),
            ("{\"format\":-1}", "invalid value"),
            ("{\"format\":3,\"more\":1}", "unknown field `more`"),
            ("[[[[", "file: "),
        ] {
            let error = parse(text).expect_err("an error");
            assert!(error.contains(expected), "{text}: {error}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).is_err());
    }
}
