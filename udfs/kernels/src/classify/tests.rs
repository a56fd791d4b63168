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

/// Values that change places are facts that differ, and not moved words.
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

/// A sign, a final zero and an exponent are parts of a number.
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

/// The names of two long lists are not compared pair by pair.
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

const BRIDGE: &str = "The Orvin Bridge was opened in 1931 by the mayor of Senja. It has two towers of granite and \
                      carries the road to Bergen. The ferry below it was closed in the following year.";

#[test]
fn boilerplate_around_a_text_states_nothing_of_it() {
    for (one, other) in [
        ("© 2017 Senja Media", "© 2018 Senja Media"),
        (
            "Copyright 2017 The Orvin Post. All rights reserved.",
            "Copyright 2018 Talvo News. All rights reserved.",
        ),
        ("Last updated 2 June 2017", "Last updated 9 July 2018"),
        (
            "This page was last edited on 2 June 2017, at 11:05.",
            "This page was last edited on 9 July 2018, at 12:40.",
        ),
        ("Page 2 of 7", "Page 4 of 7"),
        (
            "Posted by Mira Talvo at 11:05 AM",
            "Posted by Jon Velin at 12:40 PM",
        ),
        ("Views: 1,310", "Views: 4,022"),
        ("Comments (3)", "Comments (11)"),
        ("14 comments", "15 comments"),
        ("Share on Mastodon", "Share on Bluesky"),
        (
            "Read more: Orvin council cuts ferries",
            "Read more: Senja trains were late",
        ),
        ("Source: Senja Press Agency", "Source: Bergen Wire"),
        ("Retrieved 2 June 2017.", "Retrieved 9 July 2018."),
        ("[1] [2]", "[4] [5] [6]"),
        ("Tel. 0475 113 220", "Tel. 0475 998 101"),
        ("Advertisement", "Ad"),
        (
            "By Mira Talvo, Senja News",
            "By Jon Velin, Bergen Television",
        ),
        ("Alle Rechte vorbehalten", "All rights reserved"),
    ] {
        for gap in ["\n", "\n\n", " "] {
            // A digit does not begin a sentence.
            if gap == " " && one.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            is(
                PairClass::CopyEdit,
                &format!("{BRIDGE}{gap}{one}"),
                &format!("{BRIDGE}{gap}{other}"),
            );
        }
        is(PairClass::CopyEdit, &format!("{BRIDGE}\n{one}"), BRIDGE);
        is(
            PairClass::CopyEdit,
            &format!("{one}\n{BRIDGE}"),
            &format!("{other}\n{BRIDGE}"),
        );
        // A fact of the text counts.
        let changed = BRIDGE.replace("1931", "1934");
        let (a, b) = (format!("{BRIDGE}\n{one}"), format!("{changed}\n{other}"));
        is(PairClass::FactualDrift, &a, &b);
        assert_eq!(
            changes(&a, &b),
            [(ChangeKind::Date, "1931".to_owned(), "1934".to_owned())]
        );
    }
}

/// Sentences that end a text, or begin like boilerplate, are statements.
#[test]
fn last_sentences_are_not_boilerplate() {
    for (one, other) in [
        ("It was painted in 1950.", "It was painted in 1951."),
        ("The fee is 3 euros.", "The fee is 4 euros."),
        (
            "Sources of the Orvin lie 12 km north of it.",
            "Sources of the Orvin lie 14 km north of it.",
        ),
        (
            "Comments by the mayor led to 12 protests.",
            "Comments by the mayor led to 15 protests.",
        ),
        (
            "Page 12 of the plan was lost.",
            "Page 14 of the plan was lost.",
        ),
        ("By 1950 the toll was gone.", "By 1951 the toll was gone."),
        (
            "The site was last modified by the Velin company with 12 lamps.",
            "The site was last modified by the Velin company with 14 lamps.",
        ),
    ] {
        is(
            PairClass::FactualDrift,
            &format!("{BRIDGE} {one}"),
            &format!("{BRIDGE} {other}"),
        );
    }
}

/// Different messages with the same signature are neither an edit nor a drift nor a pattern.
#[test]
fn messages_with_a_shared_ending_are_other_texts() {
    let motto = "“A calm sea never made a skilled sailor, and you can't learn to swim in a boat.”";
    let dashes = "-----\nLife is a road; walk it slowly.";
    let proverb = "千里之行，始于足下。 A long walk can't begin without a step.";
    for ending in [
        motto,
        dashes,
        proverb,
        "*Every day is a new door. Keep the key!*",
    ] {
        for (one, other) in [
            (
                "Where did they hide this form; can't see it..",
                "Good evening all..",
            ),
            (
                "I don't eat fish; never did!",
                "Marta Velin is the best cook.",
            ),
            ("Same here..", "Orvin has no cinema; you need a car."),
        ] {
            is(
                PairClass::Other,
                &format!("{one} {ending}"),
                &format!("{other} {ending}"),
            );
        }
    }
    // The pattern with another subject stays one.
    is(
        PairClass::Template,
        "Orvin is a town. It has a station and 1,250 inhabitants.",
        "Senja is a village. It has a station and 1,250 inhabitants.",
    );
    // An edit of the beginning stays one.
    is(
        PairClass::CopyEdit,
        "The old ferry below the bridge was soon closed. The road to Bergen is open all year.",
        "Soon the ferry below the bridge was closed. The road to Bergen is open all year.",
    );
}

#[test]
fn values_have_many_spellings() {
    for (a, b) in [
        ("thirty-one", "31"),
        ("three hundred", "300"),
        ("a hundred", "100"),
        ("two thousand five hundred", "2,500"),
        ("four hundred and twenty-six", "426"),
        ("forty", "40"),
    ] {
        is(
            PairClass::CopyEdit,
            &format!("The mine of Orvin employed {a} men in 1931."),
            &format!("The mine of Orvin employed {b} men in 1931."),
        );
    }
    for (a, b) in [
        ("1.4 million dollars", "1,400,000 dollars"),
        ("$1.4m", "$1.4 million"),
        ("€3bn", "€3 billion"),
        ("14km", "14 km"),
        ("1,5 km", "1.5 km"),
        ("250men", "250 men"),
    ] {
        is(
            PairClass::CopyEdit,
            &format!("The mine of Orvin had {a} in the year of the flood."),
            &format!("The mine of Orvin had {b} in the year of the flood."),
        );
    }
    for (a, b) in [
        ("in 1974-75", "in 1974–1975"),
        ("on May 3, 1974", "on 3 May 1974"),
        ("on 1974-05-03", "on 3 May 1974"),
        ("on Jan. 3, 1974", "on January 3, 1974"),
        ("in the 1970s", "in the 1970l"),
        ("in 120 BC", "in 120 BCE"),
        ("on the twenty-first of May", "on the 21st of May"),
    ] {
        is(
            PairClass::CopyEdit,
            &format!("Mira Talvo led the club of Orvin {a} for Senja."),
            &format!("Mira Talvo led the club of Orvin {b} for Senja."),
        );
    }
    for (a, b) in [
        ("thirty-one", "thirty-two"),
        ("three hundred", "four hundred"),
        ("1.4 million", "1.5 million"),
        ("21", "thirty-one"),
    ] {
        is(
            PairClass::FactualDrift,
            &format!("The mine of Orvin employed {a} men in 1931."),
            &format!("The mine of Orvin employed {b} men in 1931."),
        );
    }
    is(
        PairClass::CopyEdit,
        "The mine of Orvin employed 300 men.[1]",
        "The mine of Orvin employed 300 men.[2]",
    );
    is(
        PairClass::CopyEdit,
        "The MRV's of Orvin were sold to Senja.",
        "The MRVs of Orvin were sold to Senja.",
    );
}

#[test]
fn misspelt_names_and_negations_are_no_facts() {
    for (a, b) in [
        ("Mira met him in Brenford.", "Mira met him in Brneford."),
        ("Mira lived in Elm Roakd.", "Mira lived in Elm Road."),
        ("Orvin has no harbour.", "Orvin has nno harbour."),
        ("Orvin did not win the cup.", "Orvin failed to win the cup."),
        (
            "Mira was not able to play for Orvin.",
            "Mira was unable to play for Orvin.",
        ),
    ] {
        is(PairClass::CopyEdit, a, b);
    }
    for (a, b) in [
        (
            "The king of Orvin was buried in Iran.",
            "The king of Orvin was buried in Iraq.",
        ),
        (
            "The king of Orvin was buried in Iceland.",
            "The king of Orvin was buried in Ireland.",
        ),
        (
            "The palace of Orvin was built for Louis XVIII.",
            "The palace of Orvin was built for Louis XVII.",
        ),
        (
            "The fleet of Orvin has the engine B1240.",
            "The fleet of Orvin has the engine B1250.",
        ),
    ] {
        is(PairClass::FactualDrift, a, b);
    }
}

#[test]
fn opposites_and_values_of_lists_are_facts() {
    for (a, b) in [
        (
            "Orvin has storms in May and June.",
            "Orvin has storms in April and May.",
        ),
        (
            "The club of Orvin won the cup once.",
            "The club of Orvin won the cup twice.",
        ),
        (
            "The club of Orvin was twice given the cup.",
            "The club of Orvin was three times given the cup.",
        ),
        (
            "The Orvin Act increases the fee.",
            "The Orvin Act decreases the fee.",
        ),
        (
            "Mira Talvo agreed with the mayor of Orvin.",
            "Mira Talvo disagreed with the mayor of Orvin.",
        ),
        (
            "Orvin received tens of thousands of guests.",
            "Orvin received hundreds of thousands of guests.",
        ),
        (
            "The ferry to Senja leaves Orvin at 7:30 am.",
            "The ferry to Senja leaves Orvin at 7:30 pm.",
        ),
        (
            "The road to Orvin is paved as far as Senja.",
            "The road to Orvin is unpaved as far as Senja.",
        ),
        ("Mira sold the mill.", "Mira never sold the mill."),
        ("Orvin beat Senja in 1931.", "Senja beat Orvin in 1931."),
    ] {
        is(PairClass::FactualDrift, a, b);
    }
    is(
        PairClass::CopyEdit,
        "The road to Orvin is not paved as far as Senja.",
        "The road to Orvin is unpaved as far as Senja.",
    );
}

/// What stands before the subject, how many there are, and a description in commas do not make it another one.
#[test]
fn openings_counts_and_appositions_are_no_subject() {
    for (a, b) in [
        (
            "In total, 31 bridges fell in six valleys in the flood of Orvin.",
            "In total, 34 bridges fell in five valleys in the flood of Orvin.",
        ),
        (
            "According to the Orvin Post, a 12 ft wave reached the harbour wall of Senja.",
            "According to the Orvin Post, a 14 ft wave reached the harbour wall of Senja.",
        ),
        (
            "Talvo's chief town, Orvin, is on the left bank of the river.",
            "Talvo's chief town, Brannock, is on the left bank of the river.",
        ),
        (
            "Orvin Airfield, a small field 4 km north of Senja used by gliders, is being sold.",
            "Orvin Airfield, a small field 4 km south of Senja used by gliders, is being sold.",
        ),
    ] {
        is(PairClass::FactualDrift, a, b);
    }
    for (a, b) in [
        (
            "The second bridge fell in the flood of Orvin.",
            "The third bridge fell in the flood of Orvin.",
        ),
        (
            "Route 31 runs from Orvin to the sea.",
            "Route 34 runs from Orvin to the sea.",
        ),
    ] {
        is(PairClass::Template, a, b);
    }
}

/// A pronoun, a group of people, and a name that changes with its number identify nothing.
#[test]
fn patterns_are_no_drift() {
    for (a, b) in [
        (
            "It was opened in 1931 to serve the miners of Orvin Valley.",
            "It was opened in 1957 to serve the miners of Orvin Valley.",
        ),
        (
            "Asians of any nation were 4.1% of the people.",
            "Asians of any nation were 6.3% of the people.",
        ),
        (
            "The Senja Post Service has given Orvin the code 4410.",
            "The Senja Post Service has given Talvo the code 4482.",
        ),
        (
            "24.1% of all homes were held by one person and 9.6% had a garden of more than an acre.",
            "27.6% of all homes were held by one person and 9.6% had a garden of more than an acre.",
        ),
        (
            "The people of the town were 51.0% male and 49.0% female.",
            "The people of the town were 49.0% male and 51.0% female.",
        ),
        ("Roads with paved lanes", "Roads with unpaved lanes"),
        ("Other ranks in the navy", "Other ranks in the police"),
        (
            "Talv, Senja  Talv is a hamlet in Orvin County.",
            "Talva Park, Senja  Talva Park is a hamlet in Orvin County.",
        ),
    ] {
        is(PairClass::Template, a, b);
    }
}

/// Values and names of other statements are no changed facts.
#[test]
fn facts_of_reworded_passages_are_no_changes() {
    let of = |a: &str, b: &str| {
        assert!(
            !matches!(english(a, b).class, PairClass::FactualDrift),
            "{a}\n{b}\n{:?}",
            changes(a, b)
        );
    };
    // An order and a quantity, a year and a number.
    of(
        "The longest snake of the valley is the Orvin viper with a length of just 31 cm.",
        "The longest snake of the valley is the Orvin viper first seen by hunters.",
    );
    of(
        "Orvin was runner up in the Senja Valley Cup during the second term of Mira Talvo.",
        "During the term of Mira Talvo Orvin won the Senja Valley Cup in 1992.",
    );
    // Names with a statement of their own.
    of(
        "The Brannock Navy sent two boats, eight trucks, seven doctors and two tankers to Orvin.",
        "The ship Marta departed from Senja with two boats, eight trucks, seven doctors and two \
         tankers to Orvin.",
    );
    // A sentence is attached to the one before it.
    let first = "The council of Orvin decides what the parish of Senja may build in the valley";
    of(
        &format!("{first} of the Talvo.Power is divided among the parishes."),
        &format!("{first} of the Talvo."),
    );
    // The values of another list.
    of(
        "Orvin won the Senja Cup four times (1931, 1934, 1937 and 1938).",
        "Orvin won the Senja Cup four times (1961, 1963, 1967 and 1968).",
    );
}

#[test]
fn places_of_one_name_are_other_subjects() {
    is(
        PairClass::Template,
        "Elmford, Orvin County, Senja   Elmford is a village in Orvin County in the Talvo-Holm valley.",
        "Elmford, Talvo County, Senja   Elmford is a village in Talvo County.",
    );
    is(
        PairClass::Template,
        "It is a parish that, in the lists of the Holm Census Office, is joined with Orvin to form Orvin-Talvo.",
        "It is a parish that, in the lists of the Holm Census Office, is joined with Talvo to form Orvin-Talvo.",
    );
    // What is said of a pronoun may be specific.
    is(
        PairClass::FactualDrift,
        "In 1931 she discovered the comet that bears her name on a photographic plate of the \
         telescope on the hill above Orvin.",
        "In 1934 she discovered the comet that bears her name on a photographic plate of the \
         telescope on the hill above Orvin.",
    );
}

#[test]
fn references_without_volume() {
    for (a, b) in [
        (
            "Velin, Marta. \"The Ferries of Orvin\". Senja Online. Retrieved 2011-04-02.",
            "Lund, Anna B. \"The Mills of Orvin\". Senja Online. Retrieved 2012-08-12.",
        ),
        (
            "Velin, Marta. \"The Ferries of Orvin\". Oak House. 1991.",
            "Marta Velin. \"The Ferries of Orvin\". Brannock & Sons. 1991.",
        ),
        (
            "Orvin Council. \"Report on the Flood\". 3 May 1991. Retrieved 2011-04-02.",
            "Orvin Council. \"Report on the Flood\". 3 May 1991. Retrieved 2014-11-23.",
        ),
        (
            "Velin, Marta. \"Ferries\". 1961. 85–86.",
            "Velin, Marta. \"Ferries\". 1961. 86–88.",
        ),
        (
            "The Diaries of Marta Velin, ed. Jon Lund (Senja: Elm Press, 1977), 12.",
            "The Diaries of Marta Velin, ed. Jon Lund (Senja: Elm Press, 1977), 140.",
        ),
    ] {
        is(PairClass::Reference, a, b);
    }
    // A statement about a work is none.
    is(
        PairClass::FactualDrift,
        "Marta Velin wrote \"The Ferries of Orvin\", her first book, in 1991.",
        "Marta Velin wrote \"The Ferries of Orvin\", her first book, in 1992.",
    );
}

#[test]
fn reactions_and_rows_of_tables_are_other_texts() {
    for (a, b) in [
        (
            "HB−(aq) + H2O(l) H3O+(aq) + B2−(aq)   Kb1",
            "H2B(aq) + H2O(l) H3O+(aq) + HB−(aq)   Kb2",
        ),
        (
            "4 *bal Water Norse, Frisian, Gothic",
            "9 *kel- stone Norse, Frisian, Gothic",
        ),
        (
            "4 bal Water ; lake Norse, Frisian, Gothic",
            "9 kel- Stone ; rock Norse, Frisian, Gothic",
        ),
    ] {
        is(PairClass::Other, a, b);
    }
}

/// Each rule that looks at a whole text looks at it once.
#[test]
fn long_texts_with_endings_negations_and_opposites_take_linear_time() {
    let text = |word: &str| format!("{word}. ").repeat(60_000);
    english(&text("Never paved"), &text("Unpaved not"));
    english(&text("By Mira"), &text("© 1931"));
    let ending = "the town has many people. ".repeat(30_000);
    english(
        &format!("{} {ending}", "not ".repeat(20_000)),
        &format!("{} {ending}", "unable ".repeat(20_000)),
    );
    english(
        &"two hundred and ".repeat(40_000),
        &"twenty-one ".repeat(40_000),
    );
}

/// A noun with an article, a plural and a pronoun say nothing about which thing is meant.
#[test]
fn subjects_without_a_name_make_patterns() {
    for (a, b) in [
        (
            "The mean plot size was 3.41 and the mean garden size was 1.27.",
            "The mean plot size was 3.41 and the mean garden size was 1.35.",
        ),
        (
            "Farmers were paid a mean of 4,310 sacks versus 2,950 for tenants.",
            "Farmers were paid a mean of 4,120 sacks versus 2,950 for tenants.",
        ),
        (
            "The chapel is a part of Orvin Parish Churches.",
            "The chapel is a part of the Talvo Parish Churches.",
        ),
        (
            "It is a part of the Orvin Valley Board.",
            "It is a part of the Talvo Valley Board.",
        ),
        (
            "It is a part of both the Orvin Valley and the Senja Coast.",
            "Holm Parish is a part of the Talvo Valley and the Senja Coast.",
        ),
        (
            "In 1931 the parish was the ninth least wooded one of the valley.",
            "In 1931 the parish was the third least wooded one of the valley.",
        ),
        // A name that is in all texts of a census names nothing.
        (
            "Of those homes, 15.4% were of stone, 12.1% of brick and 7.7% of clay according to the Holm Census.",
            "Of all homes, 18.3% were of stone, 14.6% of brick and 7.7% of clay according to the Holm Census.",
        ),
        // Another event, with another date and another name.
        (
            "In May 1931, Talvo was awarded the medal of the Orvin Society.",
            "In July 1934, Talvo was awarded the medal of the Senja Academy.",
        ),
        (
            "On 5 April 1780 the 1st Orvin Brigade was sent to the coast.",
            "The 2nd Orvin Brigade was sent to the coast on 5 April 1780.",
        ),
    ] {
        is(PairClass::Template, a, b);
    }
    // What is said may identify the topic without a name in the subject.
    for (a, b) in [
        (
            "There are six main kinds of mortar: lime, mud, ash, gypsum, cement, and bitumen.",
            "There are seven main kinds of mortar: lime, mud, ash, gypsum, cement, and bitumen.",
        ),
        (
            "The flood of 1931 reached two thousand homes in Holm.",
            "The flood of 1931 reached three thousand homes in Holm.",
        ),
        (
            "Valley-by-valley losses: Orvin 412, Senja 87, Talvo 14, Holm 2, Brannock 1.",
            "Valley-by-valley losses: Orvin 498, Senja 91, Talvo 14, Holm 2, Brannock 1.",
        ),
    ] {
        is(PairClass::FactualDrift, a, b);
    }
}

/// Without lists, only a name at the beginning says that both texts are about one thing.
#[test]
fn languages_without_lists_need_a_name_at_the_beginning() {
    let class = |a, b| PairClassifier::new("el").classify(a, b).class;
    for (a, b) in [
        (
            "Ο πληθυσμός του σύμφωνα με την απογραφή του 1931 είναι 318 κάτοικοι.",
            "Ο πληθυσμός του σύμφωνα με την απογραφή του 1931 είναι 94 κάτοικοι.",
        ),
        (
            "Το 1931 η κοινότητα έγινε μέρος του δήμου Όρβιν.",
            "Το 1931 η κοινότητα έγινε μέρος του δήμου Τάλβο.",
        ),
    ] {
        assert_eq!(class(a, b), PairClass::Template, "{a} / {b}");
    }
    assert_eq!(
        class(
            "Το Όρβιν έχει στην κοιλάδα του ποταμού 14 πέτρινες γέφυρες.",
            "Το Όρβιν έχει στην κοιλάδα του ποταμού 15 πέτρινες γέφυρες.",
        ),
        PairClass::FactualDrift
    );
}

#[test]
fn citations_of_parts_publishers_and_addresses() {
    for (a, b) in [
        (
            "The Ferries of Orvin, vol. 3, Ch. 50.",
            "The Ferries of Orvin, Vol. 1, §34",
        ),
        (
            "Velin, Marta (1972) A Theory of Ferries (J. Lund, Trans.). Senja: Oak Library. (First published 1903). p. 24",
            "Velin, Marta (1972) A Theory of Ferries (J. Lund, Trans.). Senja: Oak Library. (First published 1903). p. 92",
        ),
        (
            "Senja, Holm: Oak House Press, 1989.",
            "Senja, Holm: Oak House Press, 1984.",
        ),
        (
            "Velin, Marta (1990) Orvin and the Years of the Ferry.",
            "Velin, Marta (1991) Orvin and the Years of the Ferry. Oak University Press. p. 244",
        ),
        (
            "Senja: Oak de Lund. * Velin, Marta (ed.) 2008.",
            "Senja: Oak de Lund. * Holm, Bert (ed.) 2006.",
        ),
        (
            "http://www.orvin.example/ferries/1931_12.html",
            "http://www.orvin.example/ferries/1934_18.html",
        ),
    ] {
        is(PairClass::Reference, a, b);
    }
    // Dates of a list in parentheses are no citation.
    is(
        PairClass::FactualDrift,
        "Marta Velin won the cups of Orvin (Holm, 1968), Senja (Holm, 1994) and Talvo (Senja, 2006).",
        "Marta Velin won the cups of Orvin (Holm, 1967), Senja (Holm, 1994) and Talvo (Senja, 2006).",
    );
}

#[test]
fn similar_names_and_categories_are_other_subjects() {
    for (a, b) in [
        (
            "Brelco is a mill of Orvin Glass and the Senja Board of 1991.",
            "Bremco is a mill of Orvin Steel and the Senja Board of 1991.",
        ),
        (
            "Category:Mills based in Orvin",
            "Category:Mills based in Senja",
        ),
        ("Mills based in Orvin", "Mills based in Senja"),
    ] {
        is(PairClass::Template, a, b);
    }
    // An abbreviation of the same words is no name.
    is(
        PairClass::CopyEdit,
        "Orvin makes the acid of the lime tree (ALT) for the mills of Senja.",
        "Orvin makes the acid of the lime tree (LTA) for the mills of Senja.",
    );
    is(
        PairClass::FactualDrift,
        "The council of Orvin chose Mira Talvo (ALT) for the mills of Senja.",
        "The council of Orvin chose Mira Talvo (LTA) for the mills of Senja.",
    );
}

#[test]
fn forms_of_decades_countries_and_speeds_are_one_value() {
    for (a, b) in [
        (
            "The gap between Orvin and Senja was closed in the late 1930s.",
            "The gap between Orvin and Senja was closed in 1938.",
        ),
        (
            "The boat of Marta Velin sailed from Senja to the UK.",
            "The boat of Marta Velin sailed from Senja to Britain.",
        ),
        (
            "The storm Orla passed Senja with winds of 125 mi/h.",
            "The storm Orla passed Senja with winds of 125 mph.",
        ),
        (
            "The storm Orla passed Senja with winds of 125 miles per hour.",
            "The storm Orla passed Senja with winds of 125 mph.",
        ),
        (
            "The storm Orla formed east of Senja at 5:00 p.m.",
            "The storm Orla formed east of Senja at 2100 UTC.",
        ),
    ] {
        is(PairClass::CopyEdit, a, b);
    }
    is(
        PairClass::FactualDrift,
        "The gap between Orvin and Senja was closed in the late 1930s.",
        "The gap between Orvin and Senja was closed in 1941.",
    );
}

/// A number that differs is a fact also in a passage with other words.
#[test]
fn numbers_of_passages_that_are_not_aligned_are_facts() {
    let (a, b) = (
        "The storm Orla reached Senja with 125 mph (205 km/h) winds at noon, as a strong storm.",
        "The storm Orla reached Senja at noon, as a strong storm with winds of 127 mph.",
    );
    is(PairClass::FactualDrift, a, b);
    assert_eq!(
        changes(a, b),
        [(ChangeKind::Number, "125".to_owned(), "127".to_owned())]
    );
}

#[test]
fn headings_that_are_attached_to_a_text_are_no_subject() {
    for heading in ["GovernmentThe", "Ways to Govern The", "Government The"] {
        let text = |number: &str| format!("{heading} council of Orvin has {number} members.");
        is(
            PairClass::CopyEdit,
            &text("12"),
            "The council of Orvin has 12 members.",
        );
        is(
            PairClass::FactualDrift,
            &text("14"),
            "The council of Orvin has 12 members.",
        );
    }
    is(
        PairClass::Template,
        "GovernmentOrvin Parish was given a council in 1931.",
        "Law and governmentTalvo Parish was given a council in 1934.",
    );
}
