//! Caps of buckets, and inputs whose columns or parameters do not fit together.

use std::collections::BTreeMap;

use super::super::{Csr, Groups, Items, PairError, PairInput, PairJoin, Spec, Texts, Verify};
use super::rows::{Pairs, Rows, exact};

/// The pairs of rows among the first `cap` rows of each bucket, and the number of rows beyond the cap.
fn naive_capped(rows: &Rows, cap: usize, threshold: f64) -> (Pairs, u64) {
    let mut buckets: BTreeMap<u64, [Vec<usize>; 2]> = BTreeMap::new();
    for (row, keys) in rows.keys.iter().enumerate() {
        for &key in keys {
            let side = rows.side.as_ref().map_or(0, |side| side[row]);
            buckets.entry(key).or_default()[usize::from(side)].push(row);
        }
    }
    let mut pairs = Pairs::new();
    let mut cut = 0;
    for sides in buckets.values_mut() {
        // A key that one row holds, or that is alone on its side, is never counted as cut twice.
        for side in sides.iter_mut() {
            cut += side.len().saturating_sub(cap) as u64;
            side.truncate(cap);
        }
        let members: Vec<usize> = sides.iter().flatten().copied().collect();
        for &a in &members {
            for &b in members.iter().filter(|&&b| a < b && rows.may_pair(a, b)) {
                if let Some(similarity) = rows.jaccard(a, b, threshold) {
                    pairs.insert(rows.oriented(a, b), similarity.to_bits());
                }
            }
        }
    }
    (pairs, cut)
}

#[test]
fn a_cap_takes_the_first_rows_and_counts_the_rest() {
    for seed in 0..10 {
        let plain = Rows::random_sets(seed, 200, 10).with_prefixes(0.4);
        for rows in [plain.clone(), plain.with_sides(seed)] {
            for cap in [1, 2, 5, 20, 1000] {
                let (expected, cut) = naive_capped(&rows, cap, 0.4);
                for parts in [1, 2, 7] {
                    let spec = Spec {
                        max_bucket: Some(cap),
                        parts,
                        ..exact(0.4)
                    };
                    let (pairs, stats) = rows.join(spec);
                    assert_eq!(pairs, expected);
                    assert_eq!(stats.rows_beyond_max_bucket, cut);
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let (offsets, keys) = ([0, 1, 2], [1, 1]);
    let csr = Csr::new(&offsets, &keys);
    let sets = PairInput {
        keys: csr,
        side: None,
        group: None,
        items: Items::Sets(csr),
    };
    let error = |input: PairInput<'_>, spec: Spec| PairJoin::new(&input, spec).unwrap_err();
    let bands = Spec {
        prefixes: false,
        ..exact(0.5)
    };

    for threshold in [0.0, -1.0, 1.1, f64::NAN] {
        assert!(matches!(
            error(sets, exact(threshold)),
            PairError::Threshold(_)
        ));
    }
    assert_eq!(
        error(
            sets,
            Spec {
                part: 2,
                parts: 2,
                ..exact(0.5)
            }
        ),
        PairError::Part(2, 2)
    );
    assert_eq!(
        error(
            sets,
            Spec {
                parts: 0,
                ..exact(0.5)
            }
        ),
        PairError::Part(0, 0)
    );
    for verify in [Verify::Edit, Verify::Estimate] {
        assert!(matches!(
            error(sets, Spec { verify, ..bands }),
            PairError::Items(..)
        ));
    }
    let spec = Spec {
        verify: Verify::None,
        ..exact(0.5)
    };
    assert!(matches!(
        error(sets, spec),
        PairError::Items("the prefix filter", _)
    ));
    let short = PairInput {
        side: Some(&[0]),
        ..sets
    };
    assert_eq!(
        error(short, exact(0.5)).to_string(),
        "1 sides for 2 rows of keys"
    );
    assert_eq!(
        error(
            PairInput {
                side: Some(&[0, 2]),
                ..sets
            },
            exact(0.5)
        ),
        PairError::Side(2)
    );
    let group = Some(Groups {
        values: &[1, 2],
        valid: Some(&[true]),
        agree: false,
    });
    assert!(matches!(
        error(PairInput { group, ..sets }, exact(0.5)),
        PairError::Lengths { .. }
    ));
    let items = Items::Signatures32 {
        values: &[1, 2, 3],
        width: 2,
    };
    let spec = Spec {
        verify: Verify::Estimate,
        ..bands
    };
    assert_eq!(
        error(PairInput { items, ..sets }, spec),
        PairError::Width(3, 2)
    );
    let items = Items::Signatures64 {
        values: &[1, 2, 3],
        width: 0,
    };
    assert_eq!(
        error(PairInput { items, ..sets }, spec),
        PairError::Width(3, 0)
    );
    let items = Items::Texts(Texts::new(&[0, 1], "a"));
    let spec = Spec {
        verify: Verify::Edit,
        ..bands
    };
    assert!(matches!(
        error(PairInput { items, ..sets }, spec),
        PairError::Lengths { .. }
    ));
}

#[test]
fn invalid_offsets_read_as_empty_rows() {
    let (offsets, keys) = ([0, 9, 1, 2], [1, 1]);
    let csr = Csr::new(&offsets, &keys);
    let input = PairInput {
        keys: csr,
        side: None,
        group: None,
        items: Items::Sets(csr),
    };
    let mut join = PairJoin::new(&input, exact(0.5)).unwrap();
    while let Some(batch) = join.next_batch(&input, 10) {
        assert!(batch.is_empty());
    }
    assert_eq!(Texts::new(&[0, 1, 9], "é").row(0), "");
    assert_eq!(Texts::new(&[0, 1, 9], "é").row(5), "");
}
