//! The examples of the paper, and the rules one by one.

use super::*;

fn english(a: &str, b: &str) -> Classification {
    let classifier = PairClassifier::new("en");
    let found = classifier.classify(a, b);
    let mut back = classifier.classify(b, a);
    assert_eq!(found.class, back.class, "the order matters: {a} / {b}");
    for change in &mut back.changes {
        std::mem::swap(&mut change.a, &mut change.b);
    }
    back.changes
        .sort_by_key(|change| (change.a.start, change.b.start));
    assert_eq!(found.changes, back.changes, "{a} / {b}");
    found
}

#[track_caller]
fn is(class: PairClass, a: &str, b: &str) {
    assert_eq!(
        english(a, b).class,
        class,
        "\n{a}\n{b}\n{:?}",
        english(a, b).changes
    );
}

/// The changes with their values.
fn changes(a: &str, b: &str) -> Vec<(ChangeKind, String, String)> {
    let found = english(a, b).changes;
    let values = found
        .into_iter()
        .map(|change| (change.kind, a[change.a].to_owned(), b[change.b].to_owned()));
    values.collect()
}

#[test]
fn examples_of_the_paper() {
    let bush = "Bush had an approval rating of 22% by the end of his term in 2008.";
    let obama = "Obama had an approval rating of 56% by the end of his term in 2012.";
    let other = "Obama had an approval rating of 46% by the end of his term in 2012.";
    let president =
        "Bush, a US President, had an approval rating of 22% by the end of his term in 2008.";
    is(PairClass::Template, bush, obama);
    is(PairClass::FactualDrift, obama, other);
    is(PairClass::CopyEdit, bush, president);
    is(PairClass::Identical, bush, bush);
    is(
        PairClass::Reference,
        "Neotropical Ichthyology 11 (1): 73-80.",
        "Neotropical Ichthyology 10 (2): 245-253.",
    );
    is(
        PairClass::NotSimilar,
        bush,
        "The river rises in the hills and flows to the sea.",
    );
}

#[test]
fn empty_texts_and_texts_without_words() {
    is(PairClass::Identical, "", "");
    is(PairClass::Identical, " a  b", "a b ");
    is(PairClass::Identical, "ﬁne", "fine");
    is(PairClass::Other, "", "a");
    is(PairClass::Other, "—", "…");
}

#[test]
fn changed_facts_have_kinds_and_places() {
    use ChangeKind::*;
    let of = |kind, a: &str, b: &str| vec![(kind, a.to_owned(), b.to_owned())];
    for (a, b, wanted) in [
        (
            "Lake Orvin covers 14 km of the valley.",
            "Lake Orvin covers 15 km of the valley.",
            of(Number, "14", "15"),
        ),
        (
            "Lake Orvin covers 14 km of the valley.",
            "Lake Orvin covers 14 miles of the valley.",
            of(Unit, "km", "miles"),
        ),
        (
            "Mira Talvo was born in 1931 in Senja.",
            "Mira Talvo was born in 1932 in Senja.",
            of(Date, "1931", "1932"),
        ),
        (
            "Mira Talvo was born on 3 May 1931 in Senja.",
            "Mira Talvo was born on 3 June 1931 in Senja.",
            of(Date, "May", "June"),
        ),
        (
            "Mira Talvo was born on 3 May 1931 in Senja.",
            "Mira Talvo was born on 4 May 1931 in Senja.",
            of(Date, "3", "4"),
        ),
        (
            "Mira Talvo was born in Senja in 1931.",
            "Mira Talvo was born in Bergen in 1931.",
            of(Name, "Senja", "Bergen"),
        ),
        (
            "Orvin lies north of the lake.",
            "Orvin lies south of the lake.",
            of(Word, "north", "south"),
        ),
        (
            "Orvin was part of the old county.",
            "Orvin was not part of the old county.",
            of(Negation, "", "not"),
        ),
        (
            "Orvin has two stone bridges.",
            "Orvin has three stone bridges.",
            of(Number, "two", "three"),
        ),
    ] {
        is(PairClass::FactualDrift, a, b);
        assert_eq!(changes(a, b), wanted, "{a} / {b}");
    }
}

#[test]
fn spellings_of_one_value_are_not_other_facts() {
    for (a, b) in [
        (
            "Orvin had 1,250 inhabitants in the census.",
            "Orvin had 1250 inhabitants in the census.",
        ),
        (
            "Orvin has eleven stone bridges.",
            "Orvin has 11 stone bridges.",
        ),
        (
            "Orvin is 5 km from the sea.",
            "Orvin is 5 kilometres from the sea.",
        ),
        (
            "Orvin grew by 2.50% in the decade.",
            "Orvin grew by 2.5 percent in the decade.",
        ),
        (
            "The US Army left Orvin in 1946.",
            "The United States Army left Orvin in 1946.",
        ),
        (
            "The painter François Orvin died in 1946.",
            "The painter Francois Orvin died in 1946.",
        ),
        (
            "Orvin joined the league in 1946.",
            "Orvin joined the league on 3 May 1946.",
        ),
        (
            "In 1946 Orvin joined the northern league.",
            "Orvin joined the northern league in 1946.",
        ),
    ] {
        is(PairClass::CopyEdit, a, b);
    }
}

/// A language without lists has the rules for numbers, names by capitals and citations; without capitals those for
/// numbers.
#[test]
fn languages_without_lists() {
    let finnish = PairClassifier::new("fi");
    assert_eq!(finnish.language(), None);
    assert_eq!(PairClassifier::new("de-AT").language(), Some("de"));
    let class = |a, b| finnish.classify(a, b).class;
    let orvin = "Orvin kunnan väkiluku oli 1 204 vuonna 1998.";
    assert_eq!(
        class(orvin, "Orvin kunnan väkiluku oli 1 204 vuonna 1999."),
        PairClass::FactualDrift
    );
    assert_eq!(
        class(orvin, "Talvon kunnan väkiluku oli 3 117 vuonna 1998."),
        PairClass::Template
    );
    let chinese = PairClassifier::new("zh");
    let bridge = "这座大桥建于1931年，全长420米，连接两岸的老城区。";
    let other = "这座大桥建于1932年，全长420米，连接两岸的老城区。";
    assert_eq!(
        chinese.classify(bridge, other).class,
        PairClass::FactualDrift
    );
}

/// Alignments of long texts must not need a table of the square of their length.
#[test]
fn long_texts() {
    let text = |year: u32| {
        let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
        let word = |n: u32| -> String {
            [n, n / 26, n / 676, n / 17_576]
                .map(letter)
                .iter()
                .collect()
        };
        let words: Vec<String> = (0..60_000).map(|n| word(n % 40_000)).collect();
        format!("Orvin was founded in {year}. {}", words.join(" "))
    };
    let (a, b) = (text(1901), text(1902));
    let found = PairClassifier::new("en").classify(&a, &b);
    assert_eq!(found.class, PairClass::FactualDrift);
    assert_eq!(&b[found.changes[0].b.clone()], "1902");
    let same = "a b ".repeat(50_000);
    let other = "b a ".repeat(49_000);
    PairClassifier::new("en").classify(&same, &format!("x {other} y"));
}

/// Values that changed places were taken for moved words.
#[test]
fn values_that_change_places_are_facts() {
    is(
        PairClass::FactualDrift,
        "The match of Orvin against Senja in the final ended 2–1 in 1931.",
        "The match of Orvin against Senja in the final ended 1–2 in 1931.",
    );
    let found = changes(
        "Orvin defeated Senja in the battle of 1931.",
        "Senja defeated Orvin in the battle of 1931.",
    );
    let wanted = [
        (ChangeKind::Name, "Orvin".to_owned(), "Senja".to_owned()),
        (ChangeKind::Name, "Senja".to_owned(), "Orvin".to_owned()),
    ];
    assert_eq!(found, wanted);
    // The order of a list, and of the parts of a sentence, says nothing.
    is(
        PairClass::CopyEdit,
        "The company was founded by Orvin and Senja in 1931.",
        "The company was founded by Senja and Orvin in 1931.",
    );
    is(
        PairClass::CopyEdit,
        "Senja was born on 1 May 1931 in Orvin.",
        "Senja was born in Orvin on 1 May 1931.",
    );
}

/// A sign, a final zero and an exponent were dropped.
#[test]
fn all_of_a_number_counts() {
    for (a, b) in [
        (
            "The mean temperature in Orvin is -5 °C in January.",
            "The mean temperature in Orvin is 5 °C in January.",
        ),
        (
            "The version of Python in this release of Orvin is 3.1.",
            "The version of Python in this release of Orvin is 3.10.",
        ),
        (
            "The distance of Orvin from the sun is 10² m in this model.",
            "The distance of Orvin from the sun is 102 m in this model.",
        ),
    ] {
        is(PairClass::FactualDrift, a, b);
    }
    is(
        PairClass::CopyEdit,
        "The bridge of Orvin is 5.0 km long.",
        "The bridge of Orvin is 5 km long.",
    );
}

/// Each name of a list was compared with each name of the other list.
#[test]
fn long_lists_of_names_and_of_contrasts_take_linear_time() {
    let words = "the town has many people and they are ".repeat(1200);
    let names = |first: &str| -> String {
        let name = |at: u32| {
            let letter = |at: u32| char::from(b'a' + u8::try_from(at % 26).expect("a letter"));
            format!(
                "{first}{}{}{}{} ",
                letter(at),
                letter(at / 26),
                letter(at / 676),
                letter(at / 7)
            )
        };
        (0..15_000).map(name).collect()
    };
    let a = format!("{words}{}", names("Qa"));
    let b = format!("{words}{}", names("Zo"));
    english(&a, &b);
    let directions = |word: &str| format!("{words}{}", format!("{word} ").repeat(15_000));
    english(&directions("north"), &directions("south"));
    english(&directions("north"), &directions("king"));
}
