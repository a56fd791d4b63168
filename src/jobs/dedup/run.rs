//! Validates the options of a job and derives its parameters.

use super::options::{Dedup, Edit, Method, Resolution, default};
use crate::files::{Input, Kind};
use crate::functions::{Value, needed_method};
use crate::jobs::figures::Figure;
use crate::jobs::job::Job;
use crate::jobs::row_ids::RowIds;
use crate::options::lookup;
use crate::parameters::{name, parameter, parameter_error, set};
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::MemoryLimit;
use neardup_kernels::{Measure, choose_bands, distance_for_recall};
use std::collections::BTreeMap;

/// A job with its parameters.
pub(in crate::jobs) struct Run<'a> {
    pub(super) options: &'a Dedup,
    pub(super) threshold: f64,
    pub(super) shingle: String,
}

impl<'a> Run<'a> {
    pub(in crate::jobs) fn new(options: &'a Dedup, input: &Input) -> Result<Self> {
        let is_dump = input.kind == Kind::Dump;
        let threshold = options.threshold.unwrap_or_else(|| match options.edit {
            Some(_) => default("threshold.unit"),
            None if is_dump => Dedup::DUMP_THRESHOLD,
            None => default("threshold"),
        });
        for (entry, value) in [
            ("threshold", threshold.to_string()),
            ("target_recall", options.target_recall.to_string()),
            ("num_hashes", options.num_hashes.to_string()),
            ("bits", options.bits.to_string()),
            ("seed", options.seed.to_string()),
            (
                "max_bucket_pairwise",
                options.max_bucket_pairwise.to_string(),
            ),
            ("min_length", options.min_length.to_string()),
            ("max_length", options.max_length.to_string()),
            ("min_copies.job", options.min_copies.to_string()),
            ("min_words.repeated", options.min_words.to_string()),
        ] {
            parameter(entry).read(&value)?;
        }
        let shingle = options.shingle.as_deref().unwrap_or(match options.edit {
            Some(_) => parameter("shingle.unit").default_text(),
            None if is_dump => Dedup::DUMP_SHINGLE,
            None => parameter("shingle").default_text(),
        });
        let Value::Text(shingle) = parameter("shingle").read(shingle)? else {
            return internal_err!("a shingle is a text");
        };
        let method = || set("method", options.method);
        let measure = options.measure();
        if let Some(needed) = needed_method(measure, options.method.word()) {
            return Err(parameter_error![
                set("measure", measure),
                " needs ",
                set("method", needed)
            ]
            .into());
        }
        if measure == Measure::Containment && options.resolution == Resolution::Components {
            return Err(parameter_error![
                set("measure", measure),
                " has a direction and needs ",
                set("resolution", Resolution::Representative)
            ]
            .into());
        }
        if options.method == Method::MinHash {
            choose_bands(threshold, options.target_recall, options.num_hashes)
                .map_err(|error| parameter_error![method(), format!(": {error}")])?;
        }
        let by_vector = options.method == Method::Projection;
        if by_vector {
            distance_for_recall(options.bits, threshold, options.target_recall)
                .map_err(|error| parameter_error![method(), format!(": {error}")])?;
            if is_dump {
                let none = " compares vectors; a dump has none";
                return Err(parameter_error![method(), none].into());
            }
        } else if options.vector.is_some() {
            let needed = set("method", Method::Projection);
            return Err(parameter_error![name("vector"), " needs ", needed].into());
        }
        if is_dump && options.row_ids != RowIds::Number {
            return Err(parameter_error![
                name("row_ids"),
                " makes ids for the rows of a table; the sentences of a dump already have ids"
            ]
            .into());
        }
        if is_dump && (options.id.is_some() || !options.text.is_empty()) {
            return Err(parameter_error![
                name("id"),
                " and ",
                name("text"),
                " name columns of a table; the columns of a dump are fixed"
            ]
            .into());
        }
        if is_dump && !options.within.is_empty() {
            return Err(parameter_error![
                name("within"),
                " names columns of a table; the sentences of a dump have none"
            ]
            .into());
        }
        if let Some((option, why)) = options.without_effect(is_dump) {
            return Err(parameter_error![name(option), why].into());
        }
        let run = Self {
            options,
            threshold,
            shingle,
        };
        if let Some(edit) = options.edit {
            options.check_edit(edit, threshold, is_dump)?;
        }
        Ok(run)
    }

    /// All parameters that the result depends on, for the manifest.
    pub(in crate::jobs) fn parameters(&self) -> BTreeMap<String, serde_json::Value> {
        let options = self.options;
        let mut parameters = BTreeMap::from([
            ("id".to_owned(), options.id.clone().into()),
            (
                "text".to_owned(),
                match options.text.as_slice() {
                    [] => serde_json::Value::Null,
                    [text] => text.clone().into(),
                    texts => texts.into(),
                },
            ),
            ("threshold".to_owned(), self.threshold.into()),
            ("shingle".to_owned(), self.shingle.clone().into()),
            ("method".to_owned(), options.method.word().into()),
            ("target_recall".to_owned(), options.target_recall.into()),
            ("num_hashes".to_owned(), options.num_hashes.into()),
            ("seed".to_owned(), options.seed.into()),
            ("normalize".to_owned(), options.normalize.into()),
            ("pairs".to_owned(), options.pairs.word().into()),
            ("resolution".to_owned(), options.resolution.word().into()),
            ("keep".to_owned(), options.keep.to_string().into()),
            (
                "max_bucket_pairwise".to_owned(),
                options.max_bucket_pairwise.into(),
            ),
            ("compare".to_owned(), options.compare.word().into()),
            ("min_length".to_owned(), options.min_length.into()),
            ("max_length".to_owned(), options.max_length.into()),
        ]);
        parameters.extend(options.dump.parameters());
        if let Some(edit) = options.edit {
            parameters.insert("edit".to_owned(), edit.word().into());
            parameters.insert("min_copies".to_owned(), options.min_copies.into());
            if edit == Edit::Passages {
                parameters.insert("min_words".to_owned(), options.min_words.into());
            }
            if options.cuts_sentences() {
                parameters.insert("cut_at".to_owned(), options.cut_at.word().into());
            }
        }
        match options.measure() {
            Measure::Jaccard | Measure::Cosine => {}
            measure => drop(parameters.insert("measure".to_owned(), measure.to_string().into())),
        }
        if options.measure() == Measure::Edit {
            // No shingles are compared.
            parameters.remove("shingle");
        }
        if !options.within.is_empty() {
            parameters.insert("within".to_owned(), options.within.clone().into());
        }
        if options.row_ids != RowIds::Number {
            parameters.insert("row_ids".to_owned(), options.row_ids.word().into());
        }
        if options.method == Method::Projection {
            parameters.insert("vector".to_owned(), options.vector.clone().into());
            parameters.insert("bits".to_owned(), options.bits.into());
        }
        parameters
    }

    /// Minimum similarity of a pair.
    pub(in crate::jobs) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Minimum and maximum length of a sentence.
    pub(super) fn lengths(&self) -> (usize, usize) {
        let max_length = match self.options.max_length {
            0 => i64::MAX as usize,
            max_length => max_length,
        };
        (self.options.min_length, max_length)
    }

    /// Number of parts of the joins. Texts are joined in one part, which uses the available memory. For vectors it
    /// follows from the memory limit, into which each part must fit.
    pub(super) fn parts(&self, job: &Job) -> usize {
        let state = job.context().state();
        if let Some(parts) = lookup(state.config_options(), "parts").and_then(|n| n.parse().ok()) {
            return parts;
        }
        let limit = state.runtime_env().memory_pool.memory_limit();
        let (Method::Projection, MemoryLimit::Finite(limit)) = (self.options.method, limit) else {
            return 1;
        };
        let texts = job.figure(Figure::DistinctTexts).max(1.0);
        // A part holds two of g groups of rows: vectors, signatures and transposed signatures.
        let bytes =
            job.figure(Figure::BytesOfVectors) + texts * (self.options.bits as f64 / 4.0 + 64.0);
        let partitions = state.config().target_partitions();
        let held = |groups: usize| 2.0 * bytes / groups as f64 * partitions.min(groups) as f64;
        // Half of the memory is left to the operators below the join.
        let fits = |groups: &usize| held(*groups) <= limit as f64 / 2.0;
        let groups = (1..64).find(fits).unwrap_or(64);
        groups * (groups + 1) / 2
    }

    pub(in crate::jobs) fn values(&self, job: &Job) -> BTreeMap<String, Value> {
        let options = self.options;
        // A pattern that a text must match to be compared.
        let by_characters = self.shingle.starts_with("char") || options.measure() == Measure::Edit;
        let not_blank = match by_characters {
            true => "(?s).",
            false => r"\S",
        };
        let group_rule = match options.within.is_empty() {
            true => "any",
            false => "agree",
        };
        BTreeMap::from([
            ("threshold".to_owned(), Value::Number(self.threshold)),
            ("shingle".to_owned(), Value::Text(self.shingle.clone())),
            ("normalize".to_owned(), Value::Boolean(options.normalize)),
            (
                "max_bucket_pairwise".to_owned(),
                Value::Integer(options.max_bucket_pairwise as i64),
            ),
            ("parts".to_owned(), Value::Integer(self.parts(job) as i64)),
            ("seed".to_owned(), Value::Integer(options.seed as i64)),
            (
                "resolution".to_owned(),
                Value::Text(options.resolution.to_string()),
            ),
            ("not_blank".to_owned(), Value::Text(not_blank.to_owned())),
            ("group_rule".to_owned(), Value::Text(group_rule.to_owned())),
            ("bits".to_owned(), Value::Integer(options.bits as i64)),
            (
                "target_recall".to_owned(),
                Value::Number(options.target_recall),
            ),
            (
                "measure".to_owned(),
                Value::Text(options.measure().to_string()),
            ),
        ])
    }
}
