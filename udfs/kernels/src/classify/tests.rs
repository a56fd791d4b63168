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

fn class(language: &str, a: &str, b: &str) -> PairClass {
    PairClassifier::new(language).classify(a, b).class
}

/// Groups of digits were numbers of their own: "800 000" was 800.
#[test]
fn groups_of_digits_with_blanks_are_one_number() {
    for blank in [' ', '\u{a0}', '\u{202f}', '\u{2009}'] {
        for (written, plain) in [
            (format!("613{blank}480"), "613480"),
            (format!("613{blank}480"), "613,480"),
            (format!("2{blank}613{blank}480"), "2613480"),
            (format!("1{blank}905.5"), "1905.5"),
        ] {
            is(
                PairClass::CopyEdit,
                &format!("The mills of Orvin sold {written} sacks of flour to Senja."),
                &format!("The mills of Orvin sold {plain} sacks of flour to Senja."),
            );
        }
        let (a, b) = (
            format!("The mills of Orvin sold 613{blank}480 sacks of flour to Senja."),
            "The mills of Orvin sold 630,480 sacks of flour to Senja.",
        );
        is(PairClass::FactualDrift, &a, b);
        assert_eq!(
            changes(&a, b),
            [(
                ChangeKind::Number,
                format!("613{blank}480"),
                "630,480".to_owned()
            )]
        );
        // A narrow space is before a unit, too.
        is(
            PairClass::CopyEdit,
            &format!("The bridge of Orvin is 5{blank}km long."),
            "The bridge of Orvin is 5 kilometres long.",
        );
    }
    // Languages with a comma before the decimals have full stops between groups.
    for language in ["de", "es", "it", "nl"] {
        for (a, b) in [("613.480", "613480"), ("2.613.480", "2 613 480")] {
            let text = |number: &str| format!("Orvin 1931: {number} (Senja Talvo Brannock).");
            assert_eq!(
                class(language, &text(a), &text(b)),
                PairClass::CopyEdit,
                "{language}: {a} / {b}"
            );
        }
    }
    let text = |number: &str| format!("Orvin hat {number} Brücken aus Stein.");
    assert_eq!(
        class("de", &text("1.480"), &text("1.490")),
        PairClass::FactualDrift
    );
    // Neither a day nor a year is a group.
    for (a, b, value) in [
        (
            "On May 3 120 boats left Orvin for the coast of Senja.",
            "On May 3 130 boats left Orvin for the coast of Senja.",
            ("120", "130"),
        ),
        (
            "In 1931 200 boats left Orvin for the coast of Senja.",
            "In 1931 300 boats left Orvin for the coast of Senja.",
            ("200", "300"),
        ),
    ] {
        let wanted = [(ChangeKind::Number, value.0.to_owned(), value.1.to_owned())];
        assert_eq!(changes(a, b), wanted, "{a} / {b}");
    }
}

/// The date of a count looked like a place and a publisher.
#[test]
fn the_date_of_a_count_is_no_citation() {
    for (a, b) in [
        (
            "Orvin hat 14 Brücken aus Stein (Stand: Mai 1931).",
            "Orvin hat 15 Brücken aus Stein (Stand: Mai 1931).",
        ),
        (
            "Orvin hat 14 Brücken aus Stein (Stand: 3. Mai 1931).",
            "Orvin hat 15 Brücken aus Stein (Stand: 3. Mai 1931).",
        ),
    ] {
        assert_eq!(class("de", a, b), PairClass::FactualDrift, "{a} / {b}");
    }
    assert_eq!(
        class(
            "de",
            "Die Fähren betreuen 14 Gäste (Stand: Mai 1931).",
            "Die Fähren betreuen vierzehn Gäste (Stand: Mai 1931).",
        ),
        PairClass::CopyEdit
    );
}

/// An article without its vowel was a part of the word, and the word another name.
#[test]
fn articles_without_their_vowel_are_words() {
    for (language, a, b) in [
        ("fr", "L'école Talvo de Senja.", "École Talvo de Senja"),
        ("fr", "L’école Talvo de Senja.", "École Talvo de Senja"),
        (
            "it",
            "L'isola di Orvin si trova nel lago Senja.",
            "Isola di Orvin si trova nel lago Senja.",
        ),
    ] {
        assert_eq!(class(language, a, b), PairClass::CopyEdit, "{a} / {b}");
    }
    assert_eq!(
        class(
            "fr",
            "La ville d'Orvin compte 14 ponts en pierre.",
            "La ville d'Orvin compte 15 ponts en pierre.",
        ),
        PairClass::FactualDrift
    );
}

/// The number of a designation was paired with a count, and names and designations were cut at a hyphen.
#[test]
fn values_are_whole_words_with_hyphens() {
    use ChangeKind::*;
    for (a, b, wanted) in [
        (
            "Orvin sent 385 nurses, eight trucks and 296 tons of flour to the coast of Senja.",
            "Orvin sent Ka-17 boats, eight trucks and 250 tons of flour to the coast of Senja.",
            (Number, "296", "250"),
        ),
        (
            "The mill of Orvin was sold to the smith Kim Dae-jun in 1931.",
            "The mill of Orvin was sold to the smith Kim Hyo-min in 1931.",
            (Name, "Dae-jun", "Hyo-min"),
        ),
        (
            "The guards of Orvin flew the Ka-17 over the valley.",
            "The guards of Orvin flew the Ka-24 over the valley.",
            (Number, "Ka-17", "Ka-24"),
        ),
        (
            "The guards of Orvin flew the Velin-II over the valley.",
            "The guards of Orvin flew the Velin-III over the valley.",
            (Name, "Velin-II", "Velin-III"),
        ),
        (
            "Orvin Glass is traded in Senja as 4410.OR since 1931.",
            "Orvin Glass is traded in Senja as 4420.OR since 1931.",
            (Number, "4410.OR", "4420.OR"),
        ),
    ] {
        let wanted = [(wanted.0, wanted.1.to_owned(), wanted.2.to_owned())];
        assert_eq!(changes(a, b), wanted, "{a} / {b}");
    }
}

/// Numbers of a passage were paired in their order, whatever they count.
#[test]
fn numbers_of_a_passage_are_paired_by_their_noun() {
    let mut found = changes(
        "Talvo of Orvin left his heirs 12 goats, 31 sheep.",
        "Talvo of Orvin left his heirs 33 sheep, 14 goats.",
    );
    found.sort();
    let of = |a: &str, b: &str| (ChangeKind::Number, a.to_owned(), b.to_owned());
    assert_eq!(found, [of("12", "14"), of("31", "33")]);
}

/// A year of an era was a number.
#[test]
fn years_of_eras_are_dates() {
    for (language, era) in [("en", "BC"), ("en", "BCE"), ("de", "v. Chr.")] {
        let text = |year: u32| format!("Orvin {year} {era}");
        let (a, b) = (
            format!("{}: Talvo, Senja, Holm.", text(710)),
            format!("{}: Talvo, Senja, Holm.", text(640)),
        );
        let found = PairClassifier::new(language).classify(&a, &b);
        let kinds: Vec<ChangeKind> = found.changes.iter().map(|change| change.kind).collect();
        assert_eq!(kinds, [ChangeKind::Date], "{a} / {b}");
    }
}

/// The year of a date with a comma, the number of a route, and a number without a noun made another subject.
#[test]
fn dates_with_commas_and_numbers_of_routes_are_no_other_subject() {
    for (a, b) in [
        (
            "On May 3, 1974, Talvo sold the last ferry of the Orvin line.",
            "On May 3, 1975, Talvo sold the last ferry of the Orvin line.",
        ),
        (
            "On May 3, 1974 Talvo sold the last ferry of the Orvin line.",
            "On May 3, 1975 Talvo sold the last ferry of the Orvin line.",
        ),
        (
            "In May, 1974, Talvo sold the last ferry of the Orvin line.",
            "In May, 1975, Talvo sold the last ferry of the Orvin line.",
        ),
        (
            "Route 31 runs south of the mill.",
            "Route 31 runs north of the mill.",
        ),
        (
            "US 31 crosses the Holm River in Orvin.",
            "US 31 crosses the Lund River in Orvin.",
        ),
        (
            "ST 412 bends to the coast east of Holm.",
            "ST 412 bends to the coast west of Holm.",
        ),
        (
            "Interstate 31 was completed in 1972.",
            "Interstate 31 was completed in 1973.",
        ),
        (
            "Of the oldest mills of Orvin, 37 are built of stone.",
            "Of the oldest mills of Orvin, 35 are built of stone.",
        ),
        (
            "From at least 700 BC the valley of Orvin saw trade in salt.",
            "From at least 900 BC the valley of Orvin saw trade in salt.",
        ),
    ] {
        is(PairClass::FactualDrift, a, b);
    }
    for (a, b) in [
        // Another route, another chapter of any book, other mills.
        (
            "ST 412 bends to the coast east of Holm.",
            "ST 414 bends to the coast east of Holm.",
        ),
        (
            "Table 4 shows the towns of Orvin in 1931.",
            "Table 4 shows the towns of Orvin in 1934.",
        ),
        (
            "Brannocks represent 12% of the people of the parish.",
            "Brannocks represent 19% of the people of the parish.",
        ),
        ("Game 4 was won by Orvin.", "Game 4 was won by Senja."),
        (
            "Of those mills, 37 are built of stone.",
            "Of those mills, 35 are built of stone.",
        ),
        (
            "On May 3, 1974, the village was given a school.",
            "On June 4, 1981, the village was given a school.",
        ),
    ] {
        is(PairClass::Template, a, b);
    }
}

#[test]
fn references_of_german_bibliographies_and_series() {
    for (a, b) in [
        ("Retrieved on May 3, 2011.", "Retrieved on June 14, 2012."),
        (
            "The Mills (Orvin Valley Series) by Marta Velin and Jon B. Lund (1990),",
            "The Ferries (Orvin Valley Series) by Marta Velin and Jon B. Lund (1994),",
        ),
        (
            "Oak House hardcover set 1969, ISBN 978-3-11-148410-0",
            "Oak House hardcover set 1969,",
        ),
    ] {
        is(PairClass::Reference, a, b);
    }
    for (a, b) in [
        (
            "Zweite, verbesserte Auflage 1864 (Elm Books).",
            "Dritte, verbesserte und vermehrte Auflage, 1871 (Elm Books).",
        ),
        (
            "Zweite, sehr verbesserte und vermehrte Auflage.",
            "Dritte, verbesserte und vermehrte Auflage, 1871 (Elm Books).",
        ),
        ("Jahrgang, Senja 1931.", "Jahrgang, Senja 1934, S. 12–31."),
        (
            "Marta Velin (Hrsg.): Fähren.",
            "Marta Velin (Hrsg.): Mühlen.",
        ),
        ("Marta Velin: Fähren.", "Marta Velin (Hrsg.): Fähren."),
    ] {
        assert_eq!(class("de", a, b), PairClass::Reference, "{a} / {b}");
    }
    // Statements about editions and authors are none.
    for (language, a, b) in [
        (
            "de",
            "Die zweite Auflage erschien 1864.",
            "Die zweite Auflage erschien 1871.",
        ),
        (
            "en",
            "The Orvin mill was painted by Marta Velin and Jon Lund (1990).",
            "The Orvin mill was painted by Marta Velin and Jon Lund (1991).",
        ),
        (
            "en",
            "Retrieved from Orvin in 1931, the bell of Talvo hangs in Senja.",
            "Retrieved from Orvin in 1932, the bell of Talvo hangs in Senja.",
        ),
    ] {
        assert_ne!(class(language, a, b), PairClass::Reference, "{a} / {b}");
    }
}

/// Another team with another place was the same subject, because the names were not at the beginning.
#[test]
fn clauses_with_another_subject_and_another_name_are_patterns() {
    let (a, b) = (
        "After the flood of Orvin in 1931 broke the roof of the Lund Hall, the Senja Rovers were unable to play there.",
        "After the flood of Orvin in 1931 broke the roof of the Holm Arena, the Senja Miners were unable to play there.",
    );
    is(PairClass::Template, a, b);
}

/// Titles with another noun, and sentences that name nothing, were edits.
#[test]
fn other_nouns_of_titles_and_of_unnamed_things_are_other_subjects() {
    for (language, a, b) in [
        ("en", "Opening a Mill Account.", "Closing a Mill Account."),
        (
            "en",
            "Holm dialect list of words.",
            "Plumber dialect list of words.",
        ),
        (
            "en",
            "A girl and a boy are sitting in a garden.",
            "A girl and a boy are sitting in a kitchen.",
        ),
        (
            "de",
            "Ein alter Mann sitzt vor einem Haus.",
            "Ein alter Mann sitzt vor einem Brunnen.",
        ),
        (
            "de",
            "Liste der ältesten Mühlen der Welt (gesamt)",
            "Liste der ältesten Mühlen Senjas",
        ),
        ("fi", "Orvin koulun oppilaat", "Talvon koulun oppilaat"),
    ] {
        assert_eq!(class(language, a, b), PairClass::Template, "{a} / {b}");
    }
    for (a, b) in [
        // A form of the noun, another adjective, and a name.
        (
            "A girl and a boy are sitting in a garden.",
            "A girl and a boy are sitting in the gardens.",
        ),
        (
            "A girl and a boy are sitting in a big garden.",
            "A girl and a boy are sitting in a fine garden.",
        ),
        (
            "Mira and a boy of Orvin are sitting in the hall.",
            "Mira and a boy of Orvin are sitting in the kitchen.",
        ),
    ] {
        is(PairClass::CopyEdit, a, b);
    }
}

/// The guide says that a text that contains the other beside more than as much again is no edit of it.
#[test]
fn a_text_of_more_than_twice_the_length_is_no_edit() {
    let sentence = "The council of Orvin closed the old ferry below the bridge";
    let is_with = |class, more: &str| {
        is(
            class,
            &format!("{sentence}."),
            &format!("{sentence}{more}."),
        );
    };
    // Eleven words.
    is_with(
        PairClass::CopyEdit,
        " and opened a small road to the mills of the valley",
    );
    is_with(
        PairClass::Other,
        " and opened a small road to the old mills of the valley",
    );
}

#[test]
fn words_for_places_and_orders_exclude_each_other() {
    for (a, b) in [
        ("inside", "outside"),
        ("upstream", "downstream"),
        ("first", "last"),
    ] {
        let text = |word: &str| match word {
            "first" | "last" => format!("Mira Talvo was the {word} queen of Orvin."),
            _ => format!("Mira Talvo lived {word} of the walls of Orvin."),
        };
        is(PairClass::FactualDrift, &text(a), &text(b));
        assert_eq!(
            changes(&text(a), &text(b)),
            [(ChangeKind::Word, a.to_owned(), b.to_owned())]
        );
    }
    for (language, a, b) in [
        (
            "de",
            "Orvin liegt innerhalb der Mauern von Senja.",
            "Orvin liegt außerhalb der Mauern von Senja.",
        ),
        (
            "fr",
            "Orvin est en amont du moulin.",
            "Orvin est en aval du moulin.",
        ),
    ] {
        assert_eq!(class(language, a, b), PairClass::FactualDrift, "{a} / {b}");
    }
}

/// Words before a difference are not compared again, whatever blanks are between them.
#[test]
fn identical_texts_differ_in_white_space_and_compatibility_forms() {
    let mut random = crate::random_texts::RandomTexts::new(31);
    let words = |text: &str| -> Vec<String> {
        let words = text.split_whitespace();
        words.map(|word| word.nfkc().collect()).collect()
    };
    let exponents = |text: &str| {
        text.chars()
            .filter(|&c| is_superscript(c))
            .collect::<Vec<_>>()
    };
    let mut same = 0;
    for _ in 0..20_000 {
        let a = random.prose(60) + &random.special_characters(20) + &random.prose(20);
        let b = random.edited(&a, 1, &[' ', ' ', '\n', '\u{a0}', '\u{301}', '²']);
        let expected = words(&a) == words(&b) && exponents(&a) == exponents(&b);
        assert_eq!(same_characters(&a, &b), expected, "{a:?} {b:?}");
        same += usize::from(expected && a != b);
    }
    assert!(same > 1000, "{same}");
}

/// The place of a negation may be the end of the other text.
#[test]
fn a_negation_after_the_last_word() {
    let a = "the bridge that crosses the river was built by the workers of the town";
    for negation in ["not", "never", "none."] {
        let b = format!("{a} {negation}");
        let found = english(a, &b);
        let negation = negation.trim_end_matches('.');
        let values = (ChangeKind::Negation, String::new(), negation.to_owned());
        assert_eq!(found.class, PairClass::Template);
        assert_eq!(changes(a, &b), [values]);
    }
}
