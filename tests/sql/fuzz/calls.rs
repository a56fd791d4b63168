//! Random calls of the table functions. Their SQL is in `written`, their expected results are in `expected`.

use super::random::Random;
use super::rows::Row;
use super::truth::{Groups, Keep, Keys, Projected, Signing, Verify, normal, set};
use neardup_kernels::{choose_bands, distance_for_recall};

/// How texts are compared.
#[derive(Debug, Clone)]
pub struct Compare {
    pub threshold: f64,
    pub shingle: &'static str,
    pub normalize: bool,
}

/// A call of a table function.
#[derive(Debug, Clone)]
pub enum Call {
    Jaccard {
        compare: Compare,
        two: bool,
        groups: Groups,
        linked: bool,
    },
    Containment {
        compare: Compare,
        two: bool,
        groups: Groups,
        share_of: &'static str,
    },
    Edit {
        compare: Compare,
        two: bool,
        groups: Groups,
    },
    MinHash {
        compare: Compare,
        two: bool,
        groups: Groups,
        linked: bool,
        signing: Signing,
        given: String,
        verify: Verify,
    },
    Buckets {
        compare: Compare,
        signing: Signing,
        given: String,
    },
    Near {
        compare: Compare,
        minhash: bool,
        components: bool,
        keep: Keep,
        rows: bool,
        within: bool,
    },
    NearVectors {
        threshold: f64,
        components: bool,
        keep: Keep,
        rows: bool,
        within: bool,
    },
    Hamming {
        two: bool,
        groups: Groups,
        max_distance: usize,
        method: &'static str,
    },
    SimHash {
        two: bool,
        groups: Groups,
        max_distance: usize,
        method: &'static str,
        bits: usize,
        compare: Compare,
    },
    Cosine {
        two: bool,
        groups: Groups,
        threshold: f64,
    },
    Projection {
        two: bool,
        groups: Groups,
        projected: Projected,
        given: String,
    },
    Components {
        compare: Compare,
    },
    Quality {
        compare: Compare,
        other: f64,
    },
    Twice {
        compare: Compare,
    },
    Sentences {
        window: usize,
        min: usize,
        max: usize,
        published: bool,
    },
    SentencePairs {
        compare: Compare,
    },
    Terms {
        stop_words: bool,
        stem: bool,
        min_count: usize,
        min_terms: usize,
        frequencies: bool,
    },
}

const THRESHOLDS: &[f64] = &[
    0.8,
    0.5,
    1.0,
    0.6,
    1.0 / 3.0,
    0.25,
    2.0 / 3.0,
    0.75,
    0.9,
    0.1,
    1e-9,
];
const SHINGLES: &[&str] = &[
    "word:3", "word:1", "char:5", "char:1", "char:12", "space:2", "word:2", "char:3", "space:1",
];

impl Compare {
    /// Random parameters.
    pub fn random(random: &mut Random) -> Self {
        Self {
            threshold: *random.pick(THRESHOLDS),
            shingle: random.word(SHINGLES),
            normalize: random.percent(80),
        }
    }

    /// The text of a row as it is compared.
    pub fn text(&self, row: &Row) -> Option<String> {
        row.text.as_deref().map(|text| normal(text, self.normalize))
    }

    /// The shingles of such a text.
    pub fn set(&self, text: &str) -> Vec<u64> {
        set(text, self.shingle)
    }
}

fn signing(random: &mut Random, threshold: f64) -> (Signing, String) {
    let (bits, seed) = (
        *random.pick(&[32_u32, 64, 8, 1, 33]),
        *random.pick(&[1_u64, 0, 9, 9_007_199_254_740_992]),
    );
    let mut given = format!("bits => {bits}, seed => {seed}");
    let target = *random.pick(&[0.99, 0.5, 0.9]);
    let keys = match (random.below(3), choose_bands(threshold, target, 128)) {
        (0, Ok(bands)) => {
            given += &format!(", target_recall => {target}");
            Keys::Bands(bands.bands, bands.rows)
        }
        (1, _) => {
            let (draws, size, hashes) = (
                random.between(1, 12),
                random.between(1, 5),
                random.between(1, 24),
            );
            given += &format!(
                ", scheme => 'draws', draws => {draws}, draw_size => {size}, num_hashes => {hashes}"
            );
            Keys::Draws(draws, size, hashes)
        }
        _ => {
            let (bands, rows) = (random.between(1, 16), random.between(1, 6));
            given += &format!(", bands => {bands}, rows => {rows}");
            Keys::Bands(bands, rows)
        }
    };
    (Signing { keys, bits, seed }, given)
}

fn keep(random: &mut Random) -> Keep {
    match random.below(4) {
        0 => Keep::Longest,
        1 => Keep::Page {
            descending: random.percent(50),
        },
        _ => Keep::First,
    }
}

/// Which rows may be in a pair.
fn groups(random: &mut Random) -> Groups {
    *random.pick(&[
        Groups::Any,
        Groups::Any,
        Groups::Any,
        Groups::Across,
        Groups::Within,
    ])
}

impl Call {
    /// A random call of the functions of texts.
    pub fn of_texts(random: &mut Random) -> Self {
        let compare = Compare::random(random);
        let (two, groups) = (random.percent(25), groups(random));
        let linked = !two && groups != Groups::Across && random.percent(40);
        match random.below(15) {
            12..14 => Self::Containment {
                compare,
                two,
                groups,
                share_of: ["smaller", "a", "b"][if two { random.below(3) } else { 0 }],
            },
            14 => Self::Edit {
                compare,
                two,
                groups,
            },
            0..3 => Self::Jaccard {
                compare,
                two,
                groups,
                linked,
            },
            3..6 => {
                let (signing, given) = signing(random, compare.threshold);
                let verify = *random.pick(&[
                    Verify::Exact,
                    Verify::Exact,
                    Verify::Edit,
                    Verify::Estimate,
                    Verify::Nothing,
                ]);
                let verify = if linked { Verify::Exact } else { verify };
                Self::MinHash {
                    compare,
                    two,
                    groups,
                    linked,
                    signing,
                    given,
                    verify,
                }
            }
            6 => {
                let (signing, given) = signing(random, compare.threshold);
                Self::Buckets {
                    compare,
                    signing,
                    given,
                }
            }
            7 => {
                let method = *random.pick(&["exact", "exhaustive"]);
                let max_distance = if method == "exact" {
                    random.below(6)
                } else {
                    random.below(129)
                };
                Self::SimHash {
                    two,
                    groups,
                    max_distance,
                    method,
                    bits: *random.pick(&[64, 128]),
                    compare,
                }
            }
            8 => Self::Components { compare },
            9 => Self::Quality {
                other: *random.pick(THRESHOLDS),
                compare,
            },
            10 => Self::Terms {
                stop_words: random.percent(50),
                stem: random.percent(50),
                min_count: random.between(1, 4),
                min_terms: random.below(6),
                frequencies: random.percent(40),
            },
            _ => Self::Jaccard {
                compare,
                two: false,
                groups: Groups::Any,
                linked: false,
            },
        }
    }

    /// A random call that resolves rows.
    pub fn of_clusters(random: &mut Random) -> Self {
        let compare = Compare::random(random);
        let (components, keep, rows) = (random.percent(40), keep(random), random.percent(40));
        let within = random.percent(30);
        match random.below(10) {
            0 => Self::Twice { compare },
            1..3 => Self::NearVectors {
                threshold: *random.pick(THRESHOLDS),
                components,
                keep,
                rows,
                within,
            },
            _ => {
                let minhash =
                    random.percent(30) && choose_bands(compare.threshold, 0.99, 128).is_ok();
                Self::Near {
                    compare,
                    minhash,
                    components,
                    keep,
                    rows,
                    within,
                }
            }
        }
    }

    /// A random call of the functions of vectors and signatures.
    pub fn of_vectors(random: &mut Random) -> Self {
        let (two, groups) = (random.percent(25), groups(random));
        let threshold = *random.pick(THRESHOLDS);
        match random.below(3) {
            0 => {
                let method = *random.pick(&["exact", "exhaustive"]);
                let max_distance = if method == "exact" {
                    random.below(8)
                } else {
                    random.below(33)
                };
                Self::Hamming {
                    two,
                    groups,
                    max_distance,
                    method,
                }
            }
            1 => Self::Cosine {
                two,
                groups,
                threshold,
            },
            _ => {
                let (bits, seed) = (*random.pick(&[1, 7, 64, 100, 1024]), random.below(3) as u64);
                let estimate = random.percent(25);
                let mut given =
                    format!("bits => {bits}, seed => {seed}, threshold => {threshold:?}");
                let max_distance = match distance_for_recall(bits, threshold, 0.9) {
                    Ok(max_distance) if random.percent(50) => {
                        given += ", target_recall => 0.9";
                        max_distance
                    }
                    _ => {
                        let max_distance = random.below(bits + 1);
                        given += &format!(", max_distance => {max_distance}");
                        max_distance
                    }
                };
                if estimate {
                    given += ", verify => 'estimate'";
                }
                let projected = Projected {
                    bits,
                    seed,
                    max_distance,
                    threshold,
                    estimate,
                };
                Self::Projection {
                    two,
                    groups,
                    projected,
                    given,
                }
            }
        }
    }

    /// A random call that splits texts into sentences.
    pub fn of_sentences(random: &mut Random) -> Self {
        match random.percent(60) {
            true => Self::Sentences {
                window: random.between(1, 3),
                min: random.below(12),
                max: *random.pick(&[0, 0, 40, 1]),
                published: random.percent(30),
            },
            false => Self::SentencePairs {
                compare: Compare::random(random),
            },
        }
    }

    /// Whether it takes a second relation.
    pub fn two(&self) -> bool {
        match self {
            Self::Jaccard { two, .. }
            | Self::Containment { two, .. }
            | Self::Edit { two, .. }
            | Self::MinHash { two, .. }
            | Self::Hamming { two, .. }
            | Self::SimHash { two, .. }
            | Self::Cosine { two, .. }
            | Self::Projection { two, .. } => *two,
            _ => false,
        }
    }

    /// Whether the call takes `parts`.
    pub fn has_parts(&self) -> bool {
        !matches!(
            self,
            Self::Buckets { .. } | Self::Sentences { .. } | Self::Terms { .. }
        )
    }
}
