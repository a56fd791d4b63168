//! Calls as SQL.

use super::calls::{Call, Compare};
use super::truth::{Groups, Keep, Verify};

impl Compare {
    fn arguments(&self) -> String {
        format!(
            "threshold => {:?}, shingle => '{}', normalize => {}",
            self.threshold, self.shingle, self.normalize
        )
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
    /// The query over relations; `more` are arguments that must not change the rows.
    pub fn sql(&self, relation: &str, second: &str, more: &str) -> (String, String) {
        let inputs = |two: bool| {
            if two {
                format!("{relation}, {second}")
            } else {
                relation.to_owned()
            }
        };
        let across = |groups: Groups| match groups {
            Groups::Any => "",
            Groups::Across => ", across => page",
            Groups::Within => ", within => page",
        };
        let inside = |within: bool| across(if within { Groups::Within } else { Groups::Any });
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
                groups: by,
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
            Self::Containment {
                compare,
                two,
                groups: by,
                share_of,
            } => (
                pairs,
                format!(
                    "containment_join({}, {}, share_of => '{share_of}'{}{more})",
                    inputs(*two),
                    compare.arguments(),
                    across(*by)
                ),
            ),
            Self::Edit {
                compare,
                two,
                groups: by,
            } => (
                pairs,
                format!(
                    "edit_join({}, threshold => {:?}, normalize => {}{}{more})",
                    inputs(*two),
                    compare.threshold,
                    compare.normalize,
                    across(*by)
                ),
            ),
            Self::MinHash {
                compare,
                two,
                groups: by,
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
                within,
            } => {
                let arguments = format!(
                    "{relation}, {}, method => '{}', resolution => '{}', {}{}{more}",
                    compare.arguments(),
                    if *minhash { "minhash" } else { "exact" },
                    resolve(*components),
                    keep.argument(),
                    inside(*within)
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
                within,
            } => {
                let arguments = format!(
                    "{relation}, threshold => {threshold:?}, method => 'projection', resolution => '{}', {}{}{more}",
                    resolve(*components),
                    keep.argument(),
                    inside(*within)
                );
                match rows {
                    true => ("place".to_owned(), format!("deduplicate({arguments})")),
                    false => (duplicates, format!("near_duplicates({arguments})")),
                }
            }
            Self::Hamming {
                two,
                groups: by,
                max_distance,
                method,
            } => (
                "id_a, id_b, distance".to_owned(),
                format!(
                    "hamming_join({}, max_distance => {max_distance}, method => '{method}'{}{more})",
                    inputs(*two),
                    across(*by)
                ),
            ),
            Self::SimHash {
                two,
                groups: by,
                max_distance,
                method,
                bits,
                compare,
            } => (
                "id_a, id_b, distance".to_owned(),
                format!(
                    "simhash_join({}, max_distance => {max_distance}, method => '{method}', bits => {bits}, shingle => '{}', normalize => {}{}{more})",
                    inputs(*two),
                    compare.shingle,
                    compare.normalize,
                    across(*by)
                ),
            ),
            Self::Cosine {
                two,
                groups: by,
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
                groups: by,
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
}
