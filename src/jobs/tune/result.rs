//! The result of a `tune` job: settings and methods, each with what it finds.

use crate::jobs::recall::Share;

/// A shingle and a threshold with the pairs that they find.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The shingle.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// Texts of the sample that are in a pair; `None` if labels judge.
    pub similar: Option<i64>,
    /// Pairs of this similarity or a greater one.
    pub pairs: i64,
    /// Wanted ones among them.
    pub wanted: i64,
    /// Share of the pairs that are wanted; `None` without pairs.
    pub precision: Option<Share>,
    /// Share of all wanted pairs that are among them; `None` if none are wanted. Without labels, all wanted pairs are those
    /// that any of the settings finds.
    pub recall: Option<Share>,
    /// Harmonic mean of precision and recall; 0 if no wanted pair is found.
    pub f1: f64,
    /// Estimated comparisons of the exact join of the whole corpus with itself: pairs of texts for each rare shingle that
    /// both have.
    pub comparisons: f64,
    /// Estimated cost of that join, in steps over a posting.
    pub cost_of_exact: f64,
    /// Estimated cost of MinHash at the default target recall, in the same unit; `None` if it cannot reach this recall.
    pub cost_of_minhash: Option<f64>,
}

impl Setting {
    /// A setting with counts and their F1.
    pub(super) fn of(shingle: &str, threshold: f64, pairs: i64, wanted: i64, all: i64) -> Self {
        Self {
            shingle: shingle.to_owned(),
            threshold,
            similar: None,
            pairs,
            wanted,
            precision: None,
            recall: None,
            f1: match pairs + all {
                0 => 0.0,
                both => 2.0 * wanted as f64 / both as f64,
            },
            comparisons: 0.0,
            cost_of_exact: 0.0,
            cost_of_minhash: None,
        }
    }
}

/// A method with the share of the pairs at the best setting that it finds.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRecall {
    /// The target recall of MinHash.
    pub target_recall: f64,
    /// Number of bands.
    pub bands: usize,
    /// Hash values per band.
    pub rows: usize,
    /// Pairs of the sample.
    pub pairs: i64,
    /// The pairs of the sample that it finds.
    pub found: i64,
    /// The share; `None` without pairs.
    pub recall: Option<Share>,
}

/// A join of the sample with the whole corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleJoin {
    /// The shingle.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// The target recall of MinHash; `None` for the exact join.
    pub target_recall: Option<f64>,
    /// How long it took. Unlike all other figures it depends on the machine and on what else the machine did.
    pub seconds: f64,
}

/// The rows of a table of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelCounts {
    /// All rows.
    pub rows: i64,
    /// Rows without one of the ids, or without a label; they are left out.
    pub incomplete: i64,
    /// Rows that pair an id with itself; they are left out.
    pub of_one_id: i64,
    /// The distinct pairs of the other rows; `(a, b)` and `(b, a)` are one pair.
    pub pairs: i64,
    /// The distinct pairs whose two ids have texts in the corpus. They judge the settings.
    pub found: i64,
}

impl LabelCounts {
    /// Rows whose pair another row has, with the same label.
    pub fn repeated(&self) -> i64 {
        self.rows - self.incomplete - self.of_one_id - self.pairs
    }
}

/// The result of a `tune` job.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneResult {
    /// Distinct texts of the corpus that are compared.
    pub texts: i64,
    /// Distinct texts of the sample.
    pub sample: i64,
    /// What was read of the labels, if there are any.
    pub labels: Option<LabelCounts>,
    /// All settings, by shingle and threshold.
    pub settings: Vec<Setting>,
    /// The setting of the largest F1, by its index in `settings`; `None` if no setting finds a wanted pair. Of equal ones
    /// the one of the greatest precision, then of the greatest threshold.
    pub best: Option<usize>,
    /// MinHash at that setting, by target recall; those that MinHash cannot reach are left out.
    pub methods: Vec<MethodRecall>,
    /// The joins of the sample. Without labels an exact join for each shingle finds the pairs of all thresholds; with labels
    /// there is one at the best setting. MinHash ran at the best setting.
    pub joins: Vec<SampleJoin>,
    /// The options of readers that are given and that the corpus has; others are those of the labels.
    pub reading: Vec<&'static str>,
}

impl TuneResult {
    /// The share of the texts of the sample that are in a pair of a setting; `None` if labels judge, or without texts.
    pub fn similar_share(&self, setting: &Setting) -> Option<f64> {
        let similar = setting.similar.filter(|_| self.sample > 0)?;
        Some(similar as f64 / self.sample as f64)
    }

    /// The settings at which more than half of the texts of the sample are in a pair, by their indexes in `settings`.
    pub fn mostly_similar(&self) -> Vec<usize> {
        let share = |setting: &usize| self.similar_share(&self.settings[*setting]);
        let exceeds_it =
            |setting: &usize| share(setting).is_some_and(|share| share > MAX_SIMILAR_SHARE);
        (0..self.settings.len()).filter(exceeds_it).collect()
    }

    /// The best setting at which at most half of the texts of the sample are in a pair, by its index in `settings`.
    pub fn best_of_others(&self) -> Option<usize> {
        let mostly = self.mostly_similar();
        best_of(&self.settings, |setting| !mostly.contains(&setting))
    }
}

/// The share of the texts in a pair above which a setting is said to make most texts similar.
const MAX_SIMILAR_SHARE: f64 = 0.5;

/// The index of the best setting.
pub(super) fn best(settings: &[Setting]) -> Option<usize> {
    best_of(settings, |_| true)
}

/// The index of the best one of some settings.
fn best_of(settings: &[Setting], is_candidate: impl Fn(usize) -> bool) -> Option<usize> {
    let precision = |setting: &Setting| setting.precision.map_or(0.0, |share| share.value);
    let better = |a: &Setting, b: &Setting| {
        let order = a.f1.total_cmp(&b.f1);
        let order = order.then(precision(a).total_cmp(&precision(b)));
        order.then(a.threshold.total_cmp(&b.threshold))
    };
    let found = (0..settings.len()).filter(|at| settings[*at].f1 > 0.0 && is_candidate(*at));
    // Of equal ones the first one.
    found
        .rev()
        .max_by(|a, b| better(&settings[*a], &settings[*b]))
}
