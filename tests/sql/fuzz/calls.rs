//! Random calls of the table functions, their SQL, and what they must give.

use super::random::Random;
use super::rows::{Id, Row};
use super::truth::{
    Keep, Keys, NULL, Outcome, Projected, Signed, Signing, Truth, Verify, items, normal, number,
    pairs_of, resolved, set, shown, sides, simhash, similar, sorted, within,
};
use neardup_kernels::{choose_bands, cosine, distance_for_recall};
use std::collections::{BTreeMap, BTreeSet};

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
        across: bool,
        linked: bool,
    },
    MinHash {
        compare: Compare,
        two: bool,
        across: bool,
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
    },
    NearVectors {
        threshold: f64,
        components: bool,
        keep: Keep,
        rows: bool,
    },
    Hamming {
        two: bool,
        across: bool,
        most: usize,
        method: &'static str,
    },
    SimHash {
        two: bool,
        across: bool,
        most: usize,
        method: &'static str,
        bits: usize,
        compare: Compare,
    },
    Cosine {
        two: bool,
        across: bool,
        threshold: f64,
    },
    Projection {
        two: bool,
        across: bool,
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

    fn arguments(&self) -> String {
        format!(
            "threshold => {:?}, shingle => '{}', normalize => {}",
            self.threshold, self.shingle, self.normalize
        )
    }

    fn text(&self, row: &Row) -> Option<String> {
        row.text.as_deref().map(|text| normal(text, self.normalize))
    }

    fn set(&self, text: &str) -> Vec<u64> {
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

impl Keep {
    fn argument(self) -> &'static str {
        match self {
            Self::First => "keep => 'first'",
            Self::Longest => "keep => 'longest'",
            Self::Page { descending: true } => "keep_by => 'page desc'",
            Self::Page { descending: false } => "keep_by => 'page'",
        }
    }
}

impl Call {
    /// A random call of the functions of texts.
    pub fn of_texts(random: &mut Random) -> Self {
        let compare = Compare::random(random);
        let (two, across) = (random.percent(25), random.percent(20));
        let linked = !two && !across && random.percent(40);
        match random.below(12) {
            0..3 => Self::Jaccard {
                compare,
                two,
                across,
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
                    across,
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
                let most = if method == "exact" {
                    random.below(6)
                } else {
                    random.below(129)
                };
                Self::SimHash {
                    two,
                    across,
                    most,
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
                across: false,
                linked: false,
            },
        }
    }

    /// A random call that resolves rows.
    pub fn of_clusters(random: &mut Random) -> Self {
        let compare = Compare::random(random);
        let (components, keep, rows) = (random.percent(40), keep(random), random.percent(40));
        match random.below(10) {
            0 => Self::Twice { compare },
            1..3 => Self::NearVectors {
                threshold: *random.pick(THRESHOLDS),
                components,
                keep,
                rows,
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
                }
            }
        }
    }

    /// A random call of the functions of vectors and signatures.
    pub fn of_vectors(random: &mut Random) -> Self {
        let (two, across) = (random.percent(25), random.percent(20));
        let threshold = *random.pick(THRESHOLDS);
        match random.below(3) {
            0 => {
                let method = *random.pick(&["exact", "exhaustive"]);
                let most = if method == "exact" {
                    random.below(8)
                } else {
                    random.below(33)
                };
                Self::Hamming {
                    two,
                    across,
                    most,
                    method,
                }
            }
            1 => Self::Cosine {
                two,
                across,
                threshold,
            },
            _ => {
                let (bits, seed) = (*random.pick(&[1, 7, 64, 100, 1024]), random.below(3) as u64);
                let estimate = random.percent(25);
                let mut given =
                    format!("bits => {bits}, seed => {seed}, threshold => {threshold:?}");
                let most = match distance_for_recall(bits, threshold, 0.9) {
                    Ok(most) if random.percent(50) => {
                        given += ", target_recall => 0.9";
                        most
                    }
                    _ => {
                        let most = random.below(bits + 1);
                        given += &format!(", max_distance => {most}");
                        most
                    }
                };
                if estimate {
                    given += ", verify => 'estimate'";
                }
                let projected = Projected {
                    bits,
                    seed,
                    most,
                    threshold,
                    estimate,
                };
                Self::Projection {
                    two,
                    across,
                    projected,
                    given,
                }
            }
        }
    }

    /// A random call that cuts texts into sentences.
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
            | Self::MinHash { two, .. }
            | Self::Hamming { two, .. }
            | Self::SimHash { two, .. }
            | Self::Cosine { two, .. }
            | Self::Projection { two, .. } => *two,
            _ => false,
        }
    }

    /// The query over relations; `more` are arguments that must not change the rows.
    pub fn sql(&self, relation: &str, second: &str, more: &str) -> (String, String) {
        let inputs = |two: bool| {
            if two {
                format!("{relation}, {second}")
            } else {
                relation.to_owned()
            }
        };
        let across = |across: bool| if across { ", across => page" } else { "" };
        let copies = |linked: bool| if linked { ", copies => 'linked'" } else { "" };
        let pairs = "id_a, id_b, similarity".to_owned();
        let duplicates =
            "id, cluster_id, representative_id, similarity, kept, cluster_size".to_owned();
        let resolve = |components: bool| {
            if components {
                "components"
            } else {
                "representative"
            }
        };
        match self {
            Self::Jaccard {
                compare,
                two,
                across: by,
                linked,
            } => (
                pairs,
                format!(
                    "jaccard_join({}, {}{}{}{more})",
                    inputs(*two),
                    compare.arguments(),
                    across(*by),
                    copies(*linked)
                ),
            ),
            Self::MinHash {
                compare,
                two,
                across: by,
                linked,
                given,
                verify,
                ..
            } => {
                let verify = match verify {
                    Verify::Exact => "exact",
                    Verify::Edit => "edit",
                    Verify::Estimate => "estimate",
                    Verify::Nothing => "none",
                };
                (
                    pairs,
                    format!(
                        "minhash_join({}, {}, {given}, verify => '{verify}'{}{}{more})",
                        inputs(*two),
                        compare.arguments(),
                        across(*by),
                        copies(*linked)
                    ),
                )
            }
            Self::Buckets { compare, given, .. } => (
                "band, bucket, id".to_owned(),
                format!(
                    "minhash_buckets({relation}, {}, {given})",
                    compare.arguments()
                ),
            ),
            Self::Near {
                compare,
                minhash,
                components,
                keep,
                rows,
            } => {
                let arguments = format!(
                    "{relation}, {}, method => '{}', resolution => '{}', {}{more}",
                    compare.arguments(),
                    if *minhash { "minhash" } else { "exact" },
                    resolve(*components),
                    keep.argument()
                );
                match rows {
                    true => ("place".to_owned(), format!("deduplicate({arguments})")),
                    false => (duplicates, format!("near_duplicates({arguments})")),
                }
            }
            Self::NearVectors {
                threshold,
                components,
                keep,
                rows,
            } => {
                let arguments = format!(
                    "{relation}, threshold => {threshold:?}, method => 'projection', resolution => '{}', {}{more}",
                    resolve(*components),
                    keep.argument()
                );
                match rows {
                    true => ("place".to_owned(), format!("deduplicate({arguments})")),
                    false => (duplicates, format!("near_duplicates({arguments})")),
                }
            }
            Self::Hamming {
                two,
                across: by,
                most,
                method,
            } => (
                "id_a, id_b, distance".to_owned(),
                format!(
                    "hamming_join({}, max_distance => {most}, method => '{method}'{}{more})",
                    inputs(*two),
                    across(*by)
                ),
            ),
            Self::SimHash {
                two,
                across: by,
                most,
                method,
                bits,
                compare,
            } => (
                "id_a, id_b, distance".to_owned(),
                format!(
                    "simhash_join({}, max_distance => {most}, method => '{method}', bits => {bits}, shingle => '{}', normalize => {}{}{more})",
                    inputs(*two),
                    compare.shingle,
                    compare.normalize,
                    across(*by)
                ),
            ),
            Self::Cosine {
                two,
                across: by,
                threshold,
            } => (
                pairs,
                format!(
                    "cosine_join({}, threshold => {threshold:?}{}{more})",
                    inputs(*two),
                    across(*by)
                ),
            ),
            Self::Projection {
                two,
                across: by,
                given,
                ..
            } => (
                pairs,
                format!(
                    "projection_join({}, {given}{}{more})",
                    inputs(*two),
                    across(*by)
                ),
            ),
            Self::Components { compare } => (
                "id, cluster_id, cluster_size".to_owned(),
                format!(
                    "components((SELECT id_a, id_b FROM jaccard_join({relation}, {}{more})))",
                    compare.arguments()
                ),
            ),
            Self::Quality { compare, other } => (
                "found, truth, correct, precision, recall, f1".to_owned(),
                format!(
                    "pair_quality((SELECT id_a, id_b FROM jaccard_join({relation}, {}{more})), \
                 (SELECT id_b AS id_a, id_a AS id_b FROM jaccard_join({relation}, threshold => {other:?}, shingle => '{}', normalize => {})))",
                    compare.arguments(),
                    compare.shingle,
                    compare.normalize
                ),
            ),
            Self::Twice { compare } => (
                pairs,
                format!(
                    "jaccard_join((SELECT * FROM deduplicate({relation}, {}{more})), {})",
                    compare.arguments(),
                    compare.arguments()
                ),
            ),
            Self::Sentences {
                window,
                min,
                max,
                published,
            } => (
                "sentence_id, id, page, sentence_no, start_byte, end_byte, sentence".to_owned(),
                format!(
                    "sentences({relation}, carry => [page], window => {window}, min_length => {min}, max_length => {max}, splitter => '{}')",
                    if *published { "published" } else { "default" }
                ),
            ),
            Self::SentencePairs { compare } => (
                pairs,
                format!(
                    "jaccard_join((SELECT * FROM sentences({relation}) WHERE id IS NOT NULL), id => sentence_id, text => sentence, across => id, {}{more})",
                    compare.arguments()
                ),
            ),
            Self::Terms {
                stop_words,
                stem,
                min_count,
                min_terms,
                frequencies,
            } => {
                let counts = format!(
                    "term_counts({relation}, stop_words => {stop_words}, stem => {stem}, min_count => {min_count}, min_terms => {min_terms})"
                );
                match frequencies {
                    true => (
                        "term, df".to_owned(),
                        format!("document_frequencies((SELECT id, term, tf FROM {counts}))"),
                    ),
                    false => ("id, term, tf, language".to_owned(), counts),
                }
            }
        }
    }

    /// Whether the call takes `parts`.
    pub fn has_parts(&self) -> bool {
        !matches!(
            self,
            Self::Buckets { .. } | Self::Sentences { .. } | Self::Terms { .. }
        )
    }

    /// What it must give.
    pub fn truth(&self, rows: &[Row], second: &[Row]) -> Truth {
        let second = self.two().then_some(second);
        match self {
            Self::Jaccard {
                compare,
                across,
                linked,
                ..
            } => {
                let sides = sides(rows, second, *across, |row| row.text.clone());
                let sides = sides.map(|sides| compared(sides, compare, None));
                match (sides, linked) {
                    (Err(wrong), _) => wrong,
                    (Ok((first, _)), true) => linked_pairs(&first, |a, b| {
                        similar(&a.set, &b.set, compare.threshold).map(number)
                    }),
                    (Ok(sides), false) => pairs_of(&sides, *across, |a, b| {
                        similar(&a.set, &b.set, compare.threshold).map(number)
                    }),
                }
            }
            Self::MinHash {
                compare,
                across,
                linked,
                signing,
                verify,
                ..
            } => {
                let sides = sides(rows, second, *across, |row| row.text.clone());
                let sides = sides.map(|sides| compared(sides, compare, Some(signing)));
                let measure = |a: &Signed, b: &Signed| a.verified(b, *verify, compare.threshold);
                match (sides, linked) {
                    (Err(wrong), _) => wrong,
                    (Ok((first, _)), true) => linked_pairs(&first, measure),
                    (Ok(sides), false) => pairs_of(&sides, *across, measure),
                }
            }
            Self::Buckets {
                compare, signing, ..
            } => {
                let sides = match sides(rows, None, false, |row| row.text.clone()) {
                    Ok(sides) => compared(sides, compare, Some(signing)),
                    Err(wrong) => return wrong,
                };
                let mut buckets: BTreeMap<(usize, u64), Vec<String>> = BTreeMap::new();
                for item in &sides.0 {
                    for (band, key) in item.value.keys.iter().enumerate() {
                        buckets
                            .entry((band, *key))
                            .or_default()
                            .push(item.id.to_string());
                    }
                }
                let members = buckets.iter().filter(|(_, ids)| ids.len() > 1);
                sorted(
                    members
                        .flat_map(|((band, key), ids)| {
                            ids.iter()
                                .map(|id| vec![band.to_string(), key.to_string(), id.clone()])
                        })
                        .collect(),
                )
            }
            Self::SimHash {
                across,
                most,
                bits,
                compare,
                ..
            } => match sides(rows, second, *across, |row| row.text.clone()) {
                Err(wrong) => wrong,
                Ok(sides) => {
                    let mut sides = compared(sides, compare, None);
                    for side in [Some(&mut sides.0), sides.1.as_mut()].into_iter().flatten() {
                        side.retain(|item| !item.value.set.is_empty());
                    }
                    pairs_of(&sides, *across, |a, b| {
                        within(&simhash(&a.set, *bits), &simhash(&b.set, *bits), *most)
                    })
                }
            },
            Self::Hamming { across, most, .. } => {
                match sides(rows, second, *across, |row| row.signature) {
                    Err(wrong) => wrong,
                    Ok(sides) => pairs_of(&sides, *across, |a, b| within(a, b, *most)),
                }
            }
            Self::Cosine {
                across, threshold, ..
            } => match sides(rows, second, *across, |row| row.vector.clone()) {
                Err(wrong) => wrong,
                Ok(sides) => pairs_of(&sides, *across, |a, b| {
                    cosine(a, b).filter(|c| c >= threshold).map(number)
                }),
            },
            Self::Projection {
                across, projected, ..
            } => match sides(rows, second, *across, |row| row.vector.clone()) {
                Err(wrong) => wrong,
                Ok(mut sides) => {
                    for side in [Some(&mut sides.0), sides.1.as_mut()].into_iter().flatten() {
                        side.retain(|item| item.value.iter().any(|x| *x != 0.0));
                    }
                    pairs_of(&sides, *across, |a, b| projected.measure(a, b))
                }
            },
            Self::Near {
                compare,
                minhash,
                components,
                keep,
                rows: kept,
            } => {
                if let Err(wrong) = items(rows, false, |row| row.text.clone()) {
                    return Truth::Contradiction(wrong);
                }
                let signing = minhash.then(|| {
                    let bands = choose_bands(compare.threshold, 0.99, 128).expect("bands");
                    Signing {
                        keys: Keys::Bands(bands.bands, bands.rows),
                        bits: 32,
                        seed: 1,
                    }
                });
                let value = |row: &Row| {
                    let signed = signed(&compare.text(row)?, compare, signing.as_ref());
                    (!signed.set.is_empty()).then_some(signed)
                };
                let edge = |a: &Signed, b: &Signed| match minhash {
                    true => a
                        .verified(b, Verify::Exact, compare.threshold)
                        .and_then(|value| value.parse().ok()),
                    false => similar(&a.set, &b.set, compare.threshold),
                };
                let exact = |a: &Signed, b: &Signed| neardup_kernels::jaccard(&a.set, &b.set);
                duplicates(
                    rows,
                    &resolved(rows, *keep, *components, value, edge, exact),
                    *kept,
                )
            }
            Self::NearVectors {
                threshold,
                components,
                keep,
                rows: kept,
            } => {
                if let Err(wrong) = items(rows, false, |row| row.vector.clone()) {
                    return Truth::Contradiction(wrong);
                }
                let Ok(most) = distance_for_recall(1024, *threshold, 0.99) else {
                    return Truth::Rows(vec![]);
                };
                let projected = Projected {
                    bits: 1024,
                    seed: 1,
                    most,
                    threshold: *threshold,
                    estimate: false,
                };
                let value = |row: &Row| {
                    row.vector
                        .clone()
                        .filter(|vector| vector.iter().any(|x| *x != 0.0))
                };
                let edge = |a: &Vec<f32>, b: &Vec<f32>| {
                    projected.measure(a, b).and_then(|value| value.parse().ok())
                };
                let exact = |a: &Vec<f32>, b: &Vec<f32>| cosine(a, b).unwrap_or(f64::NAN);
                duplicates(
                    rows,
                    &resolved(rows, *keep, *components, value, edge, exact),
                    *kept,
                )
            }
            Self::Components { compare } => match text_pairs(rows, compare, compare.threshold) {
                Err(wrong) => wrong,
                Ok(pairs) => components(&pairs),
            },
            Self::Quality { compare, other } => {
                let found = text_pairs(rows, compare, compare.threshold);
                let truth = text_pairs(rows, compare, *other);
                match (found, truth) {
                    (Ok(found), Ok(truth)) => {
                        quality(found.len(), truth.len(), found.intersection(&truth).count())
                    }
                    (Err(wrong), _) | (_, Err(wrong)) => wrong,
                }
            }
            Self::Twice { .. } => match items(rows, false, |row| row.text.clone()) {
                Err(wrong) => Truth::Contradiction(wrong),
                // No two kept rows are similar.
                Ok(_) => Truth::Rows(vec![]),
            },
            Self::Sentences {
                window,
                min,
                max,
                published,
            } => sorted(
                rows.iter()
                    .flat_map(|row| sentences(row, *window, *published))
                    .filter(|row| {
                        let length = row[6].chars().count();
                        length >= *min && (*max == 0 || length <= *max)
                    })
                    .collect(),
            ),
            Self::SentencePairs { compare } => {
                let rows: Vec<Row> = rows
                    .iter()
                    .filter(|row| row.id.is_some())
                    .flat_map(|row| {
                        sentences(row, 1, false).into_iter().map(|sentence| Row {
                            id: Some(Id::Number(sentence[0].parse().expect("an id"))),
                            text: Some(sentence[6].clone()),
                            page: sentence[1].parse().ok(),
                            place: 0,
                            vector: None,
                            signature: None,
                        })
                    })
                    .collect();
                Self::Jaccard {
                    compare: compare.clone(),
                    two: false,
                    across: true,
                    linked: false,
                }
                .truth(&rows, &[])
            }
            Self::Terms {
                stop_words,
                stem,
                min_count,
                min_terms,
                frequencies,
            } => {
                let texts = match items(rows, false, |row| row.text.clone()) {
                    Ok(texts) => texts,
                    Err(wrong) => return Truth::Contradiction(wrong),
                };
                let terms = neardup_kernels::Terms::new("en", *stop_words, *stem);
                let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
                let mut totals: BTreeMap<String, usize> = BTreeMap::new();
                for item in &texts {
                    terms.for_each(
                        &item.value,
                        &mut neardup_kernels::TermScratch::default(),
                        |term| {
                            *counts
                                .entry((item.id.to_string(), term.to_owned()))
                                .or_default() += 1;
                            *totals.entry(term.to_owned()).or_default() += 1;
                        },
                    );
                }
                counts.retain(|(_, term), _| totals[term] >= *min_count);
                let mut lengths: BTreeMap<String, usize> = BTreeMap::new();
                for ((id, _), tf) in &counts {
                    *lengths.entry(id.clone()).or_default() += tf;
                }
                counts.retain(|(id, _), _| lengths[id] >= *min_terms);
                match frequencies {
                    false => sorted(
                        counts
                            .into_iter()
                            .map(|((id, term), tf)| vec![id, term, tf.to_string(), "en".to_owned()])
                            .collect(),
                    ),
                    true => {
                        let mut frequencies: BTreeMap<String, usize> = BTreeMap::new();
                        for (_, term) in counts.into_keys() {
                            *frequencies.entry(term).or_default() += 1;
                        }
                        sorted(
                            frequencies
                                .into_iter()
                                .map(|(term, df)| vec![term, df.to_string()])
                                .collect(),
                        )
                    }
                }
            }
        }
    }
}

fn signed(text: &str, compare: &Compare, signing: Option<&Signing>) -> Signed {
    let set = compare.set(text);
    let (signature, keys) = signing
        .map(|signing| signing.sign(&set))
        .unwrap_or_default();
    Signed {
        text: text.to_owned(),
        set,
        signature,
        keys,
    }
}

type Texts<T> = super::truth::Sides<T>;

fn compared(sides: Texts<String>, compare: &Compare, signing: Option<&Signing>) -> Texts<Signed> {
    let of = |items: Vec<super::truth::Item<String>>| {
        items
            .into_iter()
            .map(|item| super::truth::Item {
                value: signed(&normal(&item.value, compare.normalize), compare, signing),
                id: item.id,
                page: item.page,
            })
            .collect()
    };
    (of(sides.0), sides.1.map(of))
}

/// Pairs of the first rows of distinct texts, and one a copy.
fn linked_pairs(
    items: &[super::truth::Item<Signed>],
    measure: impl Fn(&Signed, &Signed) -> Option<String>,
) -> Truth {
    let mut first: BTreeMap<&str, &super::truth::Item<Signed>> = BTreeMap::new();
    let (mut leaders, mut rows) = (Vec::new(), Vec::new());
    for item in items {
        match first.get(item.value.text.as_str()) {
            Some(leader) if !item.value.set.is_empty() => {
                rows.push(vec![
                    leader.id.to_string(),
                    item.id.to_string(),
                    number(1.0),
                ]);
            }
            Some(_) => {}
            None => {
                first.insert(&item.value.text, item);
                leaders.push(item.clone());
            }
        }
    }
    if let Truth::Rows(pairs) = pairs_of(&(leaders, None), false, measure) {
        rows.extend(pairs);
    }
    sorted(rows)
}

fn text_pairs(
    rows: &[Row],
    compare: &Compare,
    threshold: f64,
) -> Result<BTreeSet<(Id, Id)>, Truth> {
    let (items, _) = compared(
        sides(rows, None, false, |row| row.text.clone())?,
        compare,
        None,
    );
    let mut pairs = BTreeSet::new();
    for (at, a) in items.iter().enumerate() {
        for b in &items[at + 1..] {
            if similar(&a.value.set, &b.value.set, threshold).is_some() {
                pairs.insert((a.id.clone(), b.id.clone()));
            }
        }
    }
    Ok(pairs)
}

fn components(pairs: &BTreeSet<(Id, Id)>) -> Truth {
    let ids: Vec<&Id> = pairs
        .iter()
        .flat_map(|(a, b)| [a, b])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let place = |id: &Id| ids.binary_search(&id).expect("an id") as i64;
    let edges: Vec<_> = pairs
        .iter()
        .map(|(a, b)| (place(a), place(b), 1.0))
        .collect();
    let clusters = crate::oracle::naive::components(ids.len(), &edges);
    sorted(
        ids.iter()
            .zip(&clusters)
            .map(|(id, cluster)| {
                let size = clusters.iter().filter(|other| *other == cluster).count();
                vec![
                    id.to_string(),
                    ids[*cluster as usize].to_string(),
                    size.to_string(),
                ]
            })
            .collect(),
    )
}

fn quality(found: usize, truth: usize, correct: usize) -> Truth {
    let share = |a: f64, b: usize| {
        if b == 0 {
            NULL.to_owned()
        } else {
            number(a / b as f64)
        }
    };
    Truth::Rows(vec![vec![
        found.to_string(),
        truth.to_string(),
        correct.to_string(),
        share(correct as f64, found),
        share(correct as f64, truth),
        share(2.0 * correct as f64, found + truth),
    ]])
}

/// Rows of near_duplicates, or the places of the rows that deduplicate keeps.
fn duplicates(rows: &[Row], outcomes: &[Outcome], kept: bool) -> Truth {
    if kept {
        let removed: BTreeSet<&Id> = outcomes
            .iter()
            .filter(|o| o.representative != o.id)
            .map(|o| &o.id)
            .collect();
        let stays = |row: &&Row| row.id.as_ref().is_none_or(|id| !removed.contains(id));
        return sorted(
            rows.iter()
                .filter(stays)
                .map(|row| vec![row.place.to_string()])
                .collect(),
        );
    }
    let mut answer: Vec<Vec<String>> = outcomes
        .iter()
        .map(|o| {
            vec![
                o.id.to_string(),
                o.cluster.to_string(),
                o.representative.to_string(),
                shown(o.similarity.map(number)),
                (o.representative == o.id).to_string(),
                o.size.to_string(),
            ]
        })
        .collect();
    for _ in rows.iter().filter(|row| row.id.is_none()) {
        answer.push(
            [NULL, NULL, NULL, NULL, "true", "1"]
                .map(str::to_owned)
                .to_vec(),
        );
    }
    sorted(answer)
}

fn sentences(row: &Row, window: usize, published: bool) -> Vec<Vec<String>> {
    use neardup_wikidump::sentences::{Splitter, split};
    let splitter = if published {
        Splitter::Published
    } else {
        Splitter::Default
    };
    let text = row.text.as_deref().unwrap_or_default();
    let places: Vec<_> = split(text, Some("en"), splitter).collect();
    places
        .windows(window)
        .enumerate()
        .map(|(number, run)| {
            let (start, end) = (run[0].0, run[window - 1].1);
            let id = match &row.id {
                Some(Id::Number(id)) => Some((id << 20) + number as i128),
                _ => None,
            };
            vec![
                shown(id),
                shown(row.id.as_ref()),
                shown(row.page),
                number.to_string(),
                start.to_string(),
                end.to_string(),
                text[start..end].to_owned(),
            ]
        })
        .collect()
}
