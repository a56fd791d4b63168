//! The options of a `tune` job.

use crate::jobs::dedup::Dedup;
use crate::jobs::defaults::default;
use crate::parameters::{name, parameter, parameter_error, set};
use datafusion::common::Result;
use std::collections::BTreeMap;

/// A `tune` job.
#[derive(Debug, Clone)]
pub struct Tune {
    /// The corpus: where it is, what its columns are, and how its texts are normalised. Thresholds, shingles, methods and
    /// what is kept are not read.
    pub corpus: Dedup,
    /// Number of distinct texts that are compared with all others.
    pub sample: usize,
    /// The shingles that are tried.
    pub shingles: Vec<String>,
    /// The thresholds that are tried, each in (0, 1].
    pub thresholds: Vec<f64>,
    /// A pair is wanted if its edit similarity is at least this, in (0, 1]; without `labels`.
    pub min_edit_similarity: f64,
    /// A table of labelled pairs `id_a`, `id_b`, `label`, by which settings are judged instead; `label` is true, or a number
    /// above 0, for the wanted ones.
    pub labels: Option<String>,
}

impl Tune {
    /// The shingles that are tried if none are given.
    pub const SHINGLES: [&'static str; 5] = ["char:5", "char:12", "word:1", "word:2", "word:3"];
    /// The thresholds that are tried if none are given.
    pub const THRESHOLDS: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

    /// A job with default options.
    pub fn new(inputs: Vec<String>, output: String) -> Self {
        Self {
            corpus: Dedup::new(inputs, output),
            sample: default("sample"),
            shingles: Self::SHINGLES.map(str::to_owned).to_vec(),
            thresholds: Self::THRESHOLDS.to_vec(),
            min_edit_similarity: default("min_edit_similarity"),
            labels: None,
        }
    }
}

impl Tune {
    pub(super) fn check(&self) -> Result<()> {
        parameter("sample").read(&self.sample.to_string())?;
        parameter("min_edit_similarity").read(&self.min_edit_similarity.to_string())?;
        for threshold in &self.thresholds {
            parameter("threshold").read(&threshold.to_string())?;
        }
        for shingle in &self.shingles {
            parameter("shingle").read(shingle)?;
        }
        for (option, is_empty) in [
            ("threshold", self.thresholds.is_empty()),
            ("shingle", self.shingles.is_empty()),
        ] {
            if is_empty {
                return Err(parameter_error![name(option), ": there is none to try"].into());
            }
        }
        let twice = |shingle: &&String| self.shingles.iter().filter(|s| s == shingle).count() > 1;
        match self.shingles.iter().find(twice) {
            Some(shingle) => {
                Err(parameter_error![set("shingle", shingle), " is given twice"].into())
            }
            None => Ok(()),
        }
    }

    /// The thresholds that are tried, in order, each once.
    pub(super) fn thresholds(&self) -> Vec<f64> {
        let mut thresholds = self.thresholds.clone();
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        thresholds
    }

    /// The parameters that the result depends on beside those of the corpus.
    pub(super) fn parameters(&self) -> BTreeMap<String, serde_json::Value> {
        let mut parameters = BTreeMap::from([
            ("sample".to_owned(), self.sample.into()),
            ("shingle".to_owned(), self.shingles.clone().into()),
            ("threshold".to_owned(), self.thresholds().into()),
        ]);
        match &self.labels {
            Some(labels) => parameters.insert("labels".to_owned(), labels.clone().into()),
            None => parameters.insert(
                "min_edit_similarity".to_owned(),
                self.min_edit_similarity.into(),
            ),
        };
        parameters
    }
}
