//! The options of a `dedup` job.

use super::super::dumps::DumpOptions;
pub use crate::functions::{Keep, KeepKey, KeepValue};
use crate::functions::{default_measure, joined_texts};
pub(super) use crate::jobs::defaults::default;
use crate::jobs::row_ids::RowIds;
use crate::parameters::{name, parameter_error, set};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, ident};
use neardup_kernels::Measure;

words! {
    /// The unit whose repetitions are cut out of the texts of a table.
    pub enum Edit("edit") {
        /// Lines.
        Lines = "lines",
        /// Paragraphs.
        Paragraphs = "paragraphs",
        /// Passages of a number of words.
        Passages = "passages",
    }
}

words! {
    /// Where repeated passages are cut.
    pub enum CutAt("cut_at") {
        /// At their first and last word.
        Words = "words",
        /// Only whole sentences are cut: those all of whose words are in repeated passages.
        Sentences = "sentences",
    }
}

words! {
    /// How pairs are found.
    pub enum Method("method") {
        /// The exact join, unless its estimated cost is much higher than that of MinHash.
        Auto = "auto",
        /// The exact join.
        Exact = "exact",
        /// MinHash banding at a target recall, with verification of candidates.
        MinHash = "minhash",
        /// Random projection of vectors at a target recall, with verification of candidates by their cosine.
        Projection = "projection",
    }
}

impl Method {
    /// The measure of the pairs that it finds, unless another one is chosen.
    pub fn measure(self) -> Measure {
        default_measure(self.word())
    }
}

words! {
    /// Which pairs are written.
    pub enum Pairs("pairs") {
        /// Pairs of distinct texts, and one pair for each exact copy.
        Linked = "linked",
        /// Every pair of rows.
        All = "all",
    }
}

words! {
    /// Which of the similar rows are removed.
    pub enum Resolution("resolution") {
        /// A row is removed if it is similar to a row that is kept.
        Representative = "representative",
        /// One row of each connected component is kept.
        Components = "components",
    }
}

words! {
    /// Which sentences of a dump are compared.
    pub enum Compare("compare") {
        /// Sentences of the running text, and list items that end with a stop.
        Sentences = "sentences",
        /// Also list items that do not end with a stop.
        Lists = "lists",
        /// Also headings.
        All = "all",
    }
}

impl Compare {
    /// The kinds of sentences, as the function `sentence_kinds` names them, that are not compared.
    pub(in crate::jobs) fn kinds_left_out(self) -> &'static [&'static str] {
        match self {
            Self::Sentences => &["heading", "list_item"],
            Self::Lists => &["heading"],
            Self::All => &[],
        }
    }
}

/// A `dedup` job.
#[derive(Debug, Clone)]
pub struct Dedup {
    /// Files, directories or globs, by path or address.
    pub inputs: Vec<String>,
    /// The job's directory: a path or an address.
    pub output: String,
    /// The id column of a table; `None`: `id` if there is such a column, else row numbers.
    pub id: Option<String>,
    /// How ids are made for a table without an id column.
    pub row_ids: RowIds,
    /// The text columns of a table; none: `text`. Several are compared as one text: that of each, with blank lines
    /// between them; NULL is left out.
    pub text: Vec<String>,
    /// The vector column of a table, for [`Method::Projection`]; `None`: `vector`.
    pub vector: Option<String>,
    /// Columns of a table: only rows that agree in all of them are compared. Rows with NULL in one of them are kept.
    pub within: Vec<String>,
    /// The measure of the similarity of two rows; `None`: that of the method.
    pub measure: Option<Measure>,
    /// Number of bits of a vector's signature, in 1..=4096.
    pub bits: usize,
    /// Minimum similarity of a pair; `None`: the default of the parameter, for dumps [`Dedup::DUMP_THRESHOLD`]. With
    /// `edit`: that of two lines or paragraphs, which are equal if it is `None`.
    pub threshold: Option<f64>,
    /// Shingles; `None`: the default of the parameter, for dumps [`Dedup::DUMP_SHINGLE`], with `edit` that of lines and
    /// paragraphs.
    pub shingle: Option<String>,
    /// How pairs are found.
    pub method: Method,
    /// Share of the pairs at the threshold that MinHash or random projection must find, in (0, 1).
    pub target_recall: f64,
    /// Maximum number of hash functions that MinHash uses, in 1..=4096.
    pub num_hashes: usize,
    /// Seed of signatures, in 0..=9007199254740992.
    pub seed: u64,
    /// Whether texts are normalised (NFKC, lower case, white space) before they are compared.
    pub normalize: bool,
    /// Which pairs are written.
    pub pairs: Pairs,
    /// Which of the similar rows are removed.
    pub resolution: Resolution,
    /// Which row stays.
    pub keep: Keep,
    /// Buckets of more distinct texts are oversized: their rows are verified against pivots only. A vector is paired
    /// only with its first min(`max_bucket_pairwise`, 256) similar predecessors.
    pub max_bucket_pairwise: usize,
    /// What is cut out of the texts of a table, instead of removing rows.
    pub edit: Option<Edit>,
    /// With `edit`: lines, paragraphs or passages that occur fewer times are not cut.
    pub min_copies: usize,
    /// With `edit` of passages: the minimum number of words of a passage.
    pub min_words: usize,
    /// With `edit` of passages: where they are cut.
    pub cut_at: CutAt,
    /// Which sentences of a dump are compared.
    pub compare: Compare,
    /// Minimum length of a sentence of a dump in characters; with `edit`, of a line or paragraph.
    pub min_length: usize,
    /// Maximum length of a sentence of a dump in characters; 0 is no limit.
    pub max_length: usize,
    /// How dumps are read. The language is that of texts of tables, too.
    pub dump: DumpOptions,
    /// Whether to replace a job with other parameters in the directory.
    pub overwrite: bool,
    /// Names of the parameters that the caller chose: it is an error if one of them has no effect on this job.
    pub chosen: Vec<String>,
}

impl Dedup {
    /// Minimum similarity of two sentences of a dump, if none is given.
    pub const DUMP_THRESHOLD: f64 = 0.6;
    /// Shingles of the sentences of a dump, if none are given.
    pub const DUMP_SHINGLE: &'static str = "char:5";
    /// Minimum and maximum length of the sentences of a dump that are compared, if none are given.
    pub const LENGTHS: (usize, usize) = (20, 2000);

    /// A job with default options.
    pub fn new(inputs: Vec<String>, output: String) -> Self {
        Self {
            inputs,
            output,
            id: None,
            row_ids: default("row_ids"),
            text: Vec::new(),
            vector: None,
            within: Vec::new(),
            measure: None,
            bits: default("bits"),
            threshold: None,
            shingle: None,
            method: default("method.job"),
            target_recall: default("target_recall"),
            num_hashes: default("num_hashes"),
            seed: default("seed"),
            normalize: default("normalize"),
            pairs: default("pairs"),
            resolution: default("resolution"),
            keep: Keep::First,
            max_bucket_pairwise: default("max_bucket_pairwise"),
            edit: None,
            min_copies: default("min_copies.job"),
            min_words: default("min_words.repeated"),
            cut_at: default("cut_at"),
            compare: default("compare"),
            min_length: Self::LENGTHS.0,
            max_length: Self::LENGTHS.1,
            dump: DumpOptions::default(),
            overwrite: false,
            chosen: Vec::new(),
        }
    }

    /// The first of the chosen parameters that has no effect on this job, and what it is for.
    pub(super) fn without_effect(&self, is_dump: bool) -> Option<(&'static str, &'static str)> {
        const OF_DUMPS: &str = " is for the sentences of a dump; the input is a table";
        const OF_EDITS: &str = " is for lines, paragraphs or passages that are cut; the job removes rows, since edit is not set";
        const OF_VECTORS: &str = " is for vectors; the job compares texts";
        const OF_BUCKETS: &str =
            " bounds the candidates of other measures; by this one all are compared";
        let vectors = self.method == Method::Projection;
        let measure = self.measure();
        let is_other = matches!(measure, Measure::Containment | Measure::Edit);
        [
            ("compare", !is_dump, OF_DUMPS),
            ("min_length", !is_dump && self.edit.is_none(), OF_DUMPS),
            ("min_copies", self.edit.is_none(), OF_EDITS),
            ("min_words", self.edit.is_none(), OF_EDITS),
            ("cut_at", self.edit.is_none(), OF_EDITS),
            ("max_length", !is_dump, OF_DUMPS),
            ("splitter", !is_dump, OF_DUMPS),
            ("formulas", !is_dump, OF_DUMPS),
            ("on_error", !is_dump, OF_DUMPS),
            ("bits", !vectors, OF_VECTORS),
            (
                "shingle",
                vectors,
                " is for texts; the job compares vectors",
            ),
            (
                "shingle",
                measure == Measure::Edit,
                " is for sets of shingles; the edit similarity compares characters",
            ),
            ("max_bucket_pairwise", is_other, OF_BUCKETS),
            (
                "target_recall",
                self.method == Method::Exact || is_other,
                " is for joins that miss pairs; the exact join finds every pair",
            ),
        ]
        .into_iter()
        .find(|(name, is_unused, _)| *is_unused && self.chosen.iter().any(|chosen| chosen == name))
        .map(|(name, _, why)| (name, why))
    }

    /// The measure of the similarity of two rows.
    pub fn measure(&self) -> Measure {
        self.measure.unwrap_or(self.method.measure())
    }

    /// The names of the text columns of a table.
    pub(in crate::jobs) fn texts(&self) -> Vec<String> {
        match self.text.is_empty() {
            true => vec!["text".to_owned()],
            false => self.text.clone(),
        }
    }

    /// Whether repeated passages are narrowed to whole sentences.
    pub(super) fn cuts_sentences(&self) -> bool {
        self.edit == Some(Edit::Passages) && self.cut_at == CutAt::Sentences
    }

    /// What is compared: the vector column, or the text of the columns `texts`.
    pub(super) fn value(&self, texts: &[String]) -> Result<Expr> {
        match self.method {
            Method::Projection => Ok(ident(self.vector.as_deref().unwrap_or("vector"))),
            _ => joined_texts(texts.iter().map(ident).collect()),
        }
    }
}

impl Dedup {
    /// Checks that the other options have a meaning for an edit.
    pub(super) fn check_edit(&self, edit: Edit, threshold: f64, is_dump: bool) -> Result<()> {
        if is_dump {
            let why = " is for the texts of a table; neardup ingest makes tables of a dump";
            return Err(parameter_error![set("edit", edit), why].into());
        }
        if self.text.len() > 1 {
            let why = " cuts the texts of one column, but ";
            let several = " names several";
            return Err(parameter_error![set("edit", edit), why, name("text"), several].into());
        }
        const OF_UNITS: &[&str] = &["threshold", "shingle", "min_length"];
        let of_others = match edit {
            Edit::Passages => OF_UNITS,
            Edit::Lines | Edit::Paragraphs => &["min_words", "cut_at"],
        };
        // The language decides where sentences end.
        let of_sentences: &[&str] = match self.cuts_sentences() {
            true => &[],
            false => &["language"],
        };
        const UNUSED: [&str; 10] = [
            "measure",
            "method",
            "target_recall",
            "num_hashes",
            "bits",
            "vector",
            "pairs",
            "resolution",
            "max_bucket_pairwise",
            "max_length",
        ];
        let chosen = |option: &&str| self.chosen.iter().any(|chosen| chosen == option);
        let unused = UNUSED.iter().chain(of_others).chain(of_sentences);
        if let Some(option) = unused.copied().find(chosen) {
            let edit = set("edit", edit);
            return Err(parameter_error![name(option), " has no effect with ", edit].into());
        }
        if threshold >= 1.0 && chosen(&"shingle") {
            return Err(parameter_error![
                name("shingle"),
                " has no effect with ",
                set("edit", edit),
                ", which cuts what is equal unless ",
                name("threshold"),
                " is below 1"
            ]
            .into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Formulas, OnError, Splitter};
    use crate::parameters::{Kind, parameter};

    /// Enumerations of the job have the words and the defaults of `sql/parameters.txt`.
    #[test]
    fn words_and_defaults_are_those_of_the_parameters() {
        let job = Dedup::new(vec![], String::new());
        let words = |words: &[&'static str]| words.to_vec();
        let all = |entry: &str, found: Vec<&'static str>, default: String| {
            let Kind::OneOf(words) = &parameter(entry).kind else {
                panic!("{entry} has no words");
            };
            assert_eq!(*words, found, "{entry}");
            assert_eq!(parameter(entry).default_text(), default, "{entry}");
        };
        let method = Method::ALL.iter().map(|value| value.word());
        all("method.job", method.collect(), job.method.to_string());
        let pairs = Pairs::ALL.iter().map(|value| value.word());
        all("pairs", pairs.collect(), job.pairs.to_string());
        let resolution = Resolution::ALL.iter().map(|value| value.word());
        all(
            "resolution",
            resolution.collect(),
            job.resolution.to_string(),
        );
        let row_ids = RowIds::ALL.iter().map(|value| value.word());
        all("row_ids", row_ids.collect(), job.row_ids.to_string());
        let edit = Edit::ALL.iter().map(|value| value.word());
        let Kind::OneOf(edits) = &parameter("edit").kind else {
            panic!("edit has no words");
        };
        assert_eq!(*edits, edit.collect::<Vec<_>>());
        let cut_at = CutAt::ALL.iter().map(|value| value.word());
        all("cut_at", cut_at.collect(), job.cut_at.to_string());
        let compare = Compare::ALL.iter().map(|value| value.word());
        all("compare", compare.collect(), job.compare.to_string());
        all("keep", words(&Keep::WORDS), "first".to_owned());
        assert_eq!(job.keep, Keep::First);
        let on_error = [OnError::Fail, OnError::Skip].map(OnError::name);
        all("on_error", words(&on_error), job.dump.on_error.to_string());
        let splitter = [Splitter::Default, Splitter::Published].map(Splitter::name);
        all("splitter", words(&splitter), job.dump.splitter.to_string());
        let formulas = [Formulas::Placeholder, Formulas::Text].map(Formulas::name);
        all("formulas", words(&formulas), job.dump.formulas.to_string());
    }
}
