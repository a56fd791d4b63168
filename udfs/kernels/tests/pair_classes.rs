//! Precision and recall of the classes of pairs on labelled pairs; `pair_classes/GUIDE.md` says how they are labelled.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "what fails, fails the test, and the figures are for readers"
)]

use std::collections::BTreeMap;

use neardup_kernels::{PairClass, PairClassifier};
use xxhash_rust::xxh3::xxh3_64;

const PAIRS: &str = include_str!("pair_classes/pairs.tsv");

struct Pair {
    label: PairClass,
    a: &'static str,
    b: &'static str,
    is_measured: bool,
}

fn pairs() -> Vec<Pair> {
    let pair = |line: &'static str| {
        let [label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}");
        };
        let label = PairClass::ALL
            .into_iter()
            .find(|class| class.word() == label);
        Pair {
            label: label.unwrap_or_else(|| panic!("no class: {line}")),
            a,
            b,
            is_measured: xxh3_64(line.as_bytes()) % 2 == 1,
        }
    };
    PAIRS.lines().map(pair).collect()
}

/// The language of a pair, for the rules of that language: German, French and Spanish by words that only they have.
fn language(text: &str) -> &'static str {
    let has = |words: &[&str]| text.split(' ').any(|word| words.contains(&word));
    if has(&["Die", "Der", "ist", "für", "findet"]) {
        "de"
    } else if has(&["Le", "est", "Les"]) {
        "fr"
    } else if has(&["El", "es", "La", "de"]) {
        "es"
    } else {
        "en"
    }
}

fn found(pair: &Pair) -> PairClass {
    PairClassifier::new(language(pair.a))
        .classify(pair.a, pair.b)
        .class
}

/// The interval that holds a share with a probability of 95 % (Wilson, "Probable inference", 1927).
fn interval(right: usize, all: usize) -> (f64, f64) {
    let (n, z) = (all.max(1) as f64, 1.96);
    let share = right as f64 / n;
    let centre = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((centre - half) / scale, (centre + half) / scale)
}

struct Figures {
    precision: (usize, usize),
    recall: (usize, usize),
}

impl Figures {
    fn f1(&self) -> f64 {
        2.0 * self.precision.0 as f64 / (self.precision.1 + self.recall.1).max(1) as f64
    }
}

fn measure(is_measured: bool) -> BTreeMap<PairClass, Figures> {
    let mut figures = BTreeMap::new();
    for class in PairClass::ALL {
        figures.insert(
            class,
            Figures {
                precision: (0, 0),
                recall: (0, 0),
            },
        );
    }
    for pair in pairs()
        .iter()
        .filter(|pair| pair.is_measured == is_measured)
    {
        let found = found(pair);
        let is_right = usize::from(found == pair.label);
        for (class, is_precision) in [(found, true), (pair.label, false)] {
            let figures = figures.get_mut(&class).expect("every class");
            let (right, all) = match is_precision {
                true => (&mut figures.precision.0, &mut figures.precision.1),
                false => (&mut figures.recall.0, &mut figures.recall.1),
            };
            *right += is_right;
            *all += 1;
        }
        if is_right == 0 && !is_measured {
            println!("{}, found {found}\n  {}\n  {}", pair.label, pair.a, pair.b);
        }
    }
    for (class, Figures { precision, recall }) in &figures {
        let show = |(right, all): (usize, usize)| {
            let (low, high) = interval(right, all);
            format!(
                "{right:3} of {all:3}, {:.2} in [{low:.2}, {high:.2}]",
                right as f64 / all.max(1) as f64
            )
        };
        println!(
            "{:14} precision {}; recall {}",
            class.word(),
            show(*precision),
            show(*recall)
        );
    }
    figures
}

#[test]
fn tuning_half() {
    measure(false);
    let all = pairs();
    assert!(all.len() >= 300, "{} pairs", all.len());
    let measured = all.iter().filter(|pair| pair.is_measured).count();
    assert!(
        measured * 5 >= all.len() * 2,
        "{measured} of {} are measured",
        all.len()
    );
}

/// Bounds on the pairs that the rules were not tuned on.
#[test]
fn measuring_half() {
    let figures = measure(true);
    let mean = figures.values().map(Figures::f1).sum::<f64>() / figures.len() as f64;
    println!("mean F1 {mean:.3}");
    assert!(mean >= 0.80, "mean F1 {mean}");
    for (class, figures) in &figures {
        let share = |(right, all): (usize, usize)| right as f64 / all as f64;
        let (precision, recall) = (share(figures.precision), share(figures.recall));
        assert!(
            precision >= 0.75 && recall >= 0.65,
            "{class}: {precision} {recall}"
        );
    }
    let drift = &figures[&PairClass::FactualDrift];
    assert!(
        drift.precision.0 * 100 >= drift.precision.1 * 85,
        "{:?}",
        drift.precision
    );
}
