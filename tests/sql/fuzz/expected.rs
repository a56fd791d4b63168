//! The expected results of calls.

use super::calls::{Call, Compare};
use super::rows::{Id, Row};
use super::truth::{
    Groups, Item, Keep, Keys, NULL, Outcome, Projected, Sides, Signed, Signing, Truth, Verify,
    items, normal, number, pairs_of, resolved, shown, sides, simhash, similar, sorted, within,
};
use neardup_kernels::{choose_bands, containment, cosine, distance_for_recall, edit_similarity};
use std::collections::{BTreeMap, BTreeSet};

impl Call {
    /// The expected result.
    pub fn truth(&self, rows: &[Row], second: &[Row]) -> Truth {
        let second = self.two().then_some(second);
        match self {
            Self::Jaccard {
                compare,
                groups,
                linked,
                ..
            } => {
                let sides = sides(rows, second, *groups, |row| row.text.clone());
                let sides = sides.map(|sides| compared(sides, compare, None));
                match (sides, linked) {
                    (Err(wrong), _) => wrong,
                    (Ok((first, _)), true) => linked_pairs(&first, *groups, |a, b| {
                        similar(&a.set, &b.set, compare.threshold).map(number)
                    }),
                    (Ok(sides), false) => pairs_of(&sides, *groups, |a, b| {
                        similar(&a.set, &b.set, compare.threshold).map(number)
                    }),
                }
            }
            Self::Containment {
                compare,
                groups,
                share_of,
                ..
            } => match sides(rows, second, *groups, |row| row.text.clone()) {
                Err(wrong) => wrong,
                Ok(sides) => pairs_of(&compared(sides, compare, None), *groups, |a, b| {
                    let share = match *share_of {
                        "a" => containment(&a.set, &b.set),
                        "b" => containment(&b.set, &a.set),
                        _ => containment(&a.set, &b.set).max(containment(&b.set, &a.set)),
                    };
                    let has_members = !a.set.is_empty() && !b.set.is_empty();
                    (has_members && share >= compare.threshold).then(|| number(share))
                }),
            },
            Self::Edit {
                compare, groups, ..
            } => match sides(rows, second, *groups, |row| row.text.clone()) {
                Err(wrong) => wrong,
                Ok(sides) => pairs_of(&compared(sides, compare, None), *groups, |a, b| {
                    let similarity = edit_similarity(&a.text, &b.text);
                    (similarity >= compare.threshold).then(|| number(similarity))
                }),
            },
            Self::MinHash {
                compare,
                groups,
                linked,
                signing,
                verify,
                ..
            } => {
                let sides = sides(rows, second, *groups, |row| row.text.clone());
                let sides = sides.map(|sides| compared(sides, compare, Some(signing)));
                let measure = |a: &Signed, b: &Signed| a.verified(b, *verify, compare.threshold);
                match (sides, linked) {
                    (Err(wrong), _) => wrong,
                    (Ok((first, _)), true) => linked_pairs(&first, *groups, measure),
                    (Ok(sides), false) => pairs_of(&sides, *groups, measure),
                }
            }
            Self::Buckets {
                compare, signing, ..
            } => {
                let sides = match sides(rows, None, Groups::Any, |row| row.text.clone()) {
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
                groups,
                max_distance,
                bits,
                compare,
                ..
            } => match sides(rows, second, *groups, |row| row.text.clone()) {
                Err(wrong) => wrong,
                Ok(sides) => {
                    let mut sides = compared(sides, compare, None);
                    for side in [Some(&mut sides.0), sides.1.as_mut()].into_iter().flatten() {
                        side.retain(|item| !item.value.set.is_empty());
                    }
                    pairs_of(&sides, *groups, |a, b| {
                        within(
                            &simhash(&a.set, *bits),
                            &simhash(&b.set, *bits),
                            *max_distance,
                        )
                    })
                }
            },
            Self::Hamming {
                groups,
                max_distance,
                ..
            } => match sides(rows, second, *groups, |row| row.signature) {
                Err(wrong) => wrong,
                Ok(sides) => pairs_of(&sides, *groups, |a, b| within(a, b, *max_distance)),
            },
            Self::Cosine {
                groups, threshold, ..
            } => match sides(rows, second, *groups, |row| row.vector.clone()) {
                Err(wrong) => wrong,
                Ok(sides) => pairs_of(&sides, *groups, |a, b| {
                    cosine(a, b).filter(|c| c >= threshold).map(number)
                }),
            },
            Self::Projection {
                groups, projected, ..
            } => match sides(rows, second, *groups, |row| row.vector.clone()) {
                Err(wrong) => wrong,
                Ok(mut sides) => {
                    for side in [Some(&mut sides.0), sides.1.as_mut()].into_iter().flatten() {
                        side.retain(|item| item.value.iter().any(|x| *x != 0.0));
                    }
                    pairs_of(&sides, *groups, |a, b| projected.measure(a, b))
                }
            },
            Self::Near {
                compare,
                minhash,
                components,
                keep,
                rows: kept,
                within,
            } => {
                let page = page(*within);
                if let Err(wrong) = items(rows, groups_of(*within), |row| row.text.clone()) {
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
                    (!signed.set.is_empty()).then_some((page(row)?, signed))
                };
                let edge = |(page_a, a): &(i64, Signed), (page_b, b): &(i64, Signed)| match minhash
                {
                    _ if page_a != page_b => None,
                    true => a
                        .verified(b, Verify::Exact, compare.threshold)
                        .and_then(|value| value.parse().ok()),
                    false => similar(&a.set, &b.set, compare.threshold),
                };
                let exact = |(_, a): &(i64, Signed), (_, b): &(i64, Signed)| {
                    neardup_kernels::jaccard(&a.set, &b.set)
                };
                let has_value = |row: &Row| row.text.is_some();
                duplicates(
                    rows,
                    &resolved(rows, *keep, *components, value, edge, exact, has_value),
                    kept.then_some((*keep, has_value)),
                )
            }
            Self::NearVectors {
                threshold,
                components,
                keep,
                rows: kept,
                within,
            } => {
                let page = page(*within);
                if let Err(wrong) = items(rows, groups_of(*within), |row| row.vector.clone()) {
                    return Truth::Contradiction(wrong);
                }
                let Ok(max_distance) = distance_for_recall(1024, *threshold, 0.99) else {
                    return Truth::Rows(vec![]);
                };
                let projected = Projected {
                    bits: 1024,
                    seed: 1,
                    max_distance,
                    threshold: *threshold,
                    estimate: false,
                };
                let value = |row: &Row| {
                    let vector = row.vector.clone()?;
                    let has_length = vector.iter().any(|x| *x != 0.0);
                    has_length.then_some((page(row)?, vector))
                };
                let edge = |(page_a, a): &(i64, Vec<f32>), (page_b, b): &(i64, Vec<f32>)| {
                    let value = projected.measure(a, b).filter(|_| page_a == page_b);
                    value.and_then(|value| value.parse().ok())
                };
                let exact = |(_, a): &(i64, Vec<f32>), (_, b): &(i64, Vec<f32>)| {
                    cosine(a, b).unwrap_or(f64::NAN)
                };
                let has_value = |row: &Row| row.vector.is_some();
                duplicates(
                    rows,
                    &resolved(rows, *keep, *components, value, edge, exact, has_value),
                    kept.then_some((*keep, has_value)),
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
            Self::Twice { .. } => match items(rows, Groups::Any, |row| row.text.clone()) {
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
                    groups: Groups::Across,
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
                let texts = match items(rows, Groups::Any, |row| row.text.clone()) {
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

/// The page by which the rows of a call are told apart; without `within` one for all of them.
fn page(within: bool) -> impl Fn(&Row) -> Option<i64> {
    move |row| match within {
        true => row.page,
        false => Some(0),
    }
}

fn groups_of(within: bool) -> Groups {
    match within {
        true => Groups::Within,
        false => Groups::Any,
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

fn compared(sides: Sides<String>, compare: &Compare, signing: Option<&Signing>) -> Sides<Signed> {
    let of = |items: Vec<Item<String>>| {
        items
            .into_iter()
            .map(|item| Item {
                value: signed(&normal(&item.value, compare.normalize), compare, signing),
                id: item.id,
                page: item.page,
            })
            .collect()
    };
    (of(sides.0), sides.1.map(of))
}

/// Pairs of the first rows of distinct texts, and one pair for each copy.
fn linked_pairs(
    items: &[Item<Signed>],
    groups: Groups,
    measure: impl Fn(&Signed, &Signed) -> Option<String>,
) -> Truth {
    let mut first: BTreeMap<(&str, Option<i64>), &Item<Signed>> = BTreeMap::new();
    let (mut originals, mut rows) = (Vec::new(), Vec::new());
    for item in items {
        let page = item.page.filter(|_| groups == Groups::Within);
        match first.get(&(item.value.text.as_str(), page)) {
            Some(original) if !item.value.set.is_empty() => {
                rows.push(vec![
                    original.id.to_string(),
                    item.id.to_string(),
                    number(1.0),
                ]);
            }
            Some(_) => {}
            None => {
                first.insert((&item.value.text, page), item);
                originals.push(item.clone());
            }
        }
    }
    if let Truth::Rows(pairs) = pairs_of(&(originals, None), groups, measure) {
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
        sides(rows, None, Groups::Any, |row| row.text.clone())?,
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

/// The rows of near_duplicates, or the column `place` of the rows that deduplicate keeps.
fn duplicates(
    rows: &[Row],
    outcomes: &[Outcome],
    kept: Option<(Keep, impl Fn(&Row) -> bool)>,
) -> Truth {
    if let Some((keep, has_value)) = kept {
        let stay = outcomes.iter().filter(|o| o.representative == o.id);
        let of_id = |id: &Id| {
            let same = rows.iter().filter(|row| row.id.as_ref() == Some(id));
            // Ties are decided by the columns in their order.
            same.min_by_key(|row| {
                let keep_key = keep.keep_key(row);
                let first = (!has_value(row), keep_key.is_none(), keep_key);
                let text = (row.text.is_none(), row.text.clone());
                (first, text, row.page.is_none(), row.page, row.place)
            })
        };
        let with_id = stay.filter_map(|o| of_id(&o.id));
        let without_id = rows.iter().filter(|row| row.id.is_none());
        let places = with_id.chain(without_id);
        return sorted(places.map(|row| vec![row.place.to_string()]).collect());
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
    use neardup_wikitext::sentences::{Splitter, split};
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
