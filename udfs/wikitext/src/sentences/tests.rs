use super::*;

fn sentences<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    split(text, Some(language), Splitter::Default)
        .map(|(start, end)| &text[start..end])
        .collect()
}

fn published(text: &str) -> Vec<&str> {
    split(text, None, Splitter::Published)
        .map(|(start, end)| &text[start..end])
        .collect()
}

#[test]
fn names_parse_and_print() {
    for splitter in [Splitter::Default, Splitter::Published] {
        assert_eq!(splitter.to_string().parse(), Ok(splitter));
    }
    let error = "Default".parse::<Splitter>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "splitter must be 'default' or 'published', found 'Default'"
    );
}

#[test]
fn blocks_are_never_joined() {
    assert_eq!(
        sentences("Early life\nHe was born.\n\n  item one \nitem two", "en"),
        ["Early life", "He was born.", "item one", "item two"]
    );
    assert_eq!(sentences("", "en"), [""; 0]);
    assert_eq!(sentences(" \n \n", "en"), [""; 0]);
}

#[test]
fn abbreviations_and_initials_go_on() {
    for text in [
        "See p. 283 of the book.",
        "The U.S. Congress met J. M. Keynes.",
        "Mt. Fuji is near St. Mary's, cf. Fig. 3 there.",
        "It rose by 3.5 percent at example.com today.",
    ] {
        assert_eq!(sentences(text, "en"), [text]);
    }
    assert_eq!(
        sentences("He lived in the U.S. The war ended.", "en"),
        ["He lived in the U.S.", "The war ended."]
    );
}

#[test]
fn times_units_and_degrees() {
    for text in [
        "It began at 5:00 p.m. EDT on the coast.",
        "At 5 a.m. Mr. Smith left.",
        "It weighs 2 lb. 4 oz. in all.",
        "He met J. R. R. Tolkien et al. in 1950.",
    ] {
        assert_eq!(sentences(text, "en"), [text]);
    }
    for text in [
        "It rises to 2413 ft.|Alabama has more.",
        "He left at 6 p.m.|Travellers stayed.",
        "She earned her Ph.D.|Tom did not.",
        "It fell in 44 B.C.|Rome went on.",
        "Really ! ! !|Then go.",
        "He says yes in court, etc.|Nobody minds.",
    ] {
        let expected: Vec<&str> = text.split('|').collect();
        assert_eq!(sentences(&expected.join(" "), "en"), expected);
    }
}

#[test]
fn other_scripts_and_languages() {
    assert_eq!(
        sentences("今日は。元気？はい！", "ja"),
        ["今日は。", "元気？", "はい！"]
    );
    assert_eq!(
        sentences("他说：「你好。」然后走了。", "zh"),
        ["他说：「你好。」然后走了。"]
    );
    assert_eq!(
        sentences("看《跑吧！爸爸》好吗？好！", "zh"),
        ["看《跑吧！爸爸》好吗？", "好！"]
    );
    assert_eq!(sentences("यह है। वह था।", "hi"), ["यह है।", "वह था।"]);
    assert_eq!(
        sentences("هذا بيت. هل تراه؟ نعم.", "ar"),
        ["هذا بيت.", "هل تراه؟", "نعم."]
    );
    assert_eq!(
        sentences("Բարև Ձեզ: Իմ անունն է Ա.", "hy"),
        ["Բարև Ձեզ:", "Իմ անունն է Ա."]
    );
    assert_eq!(
        sentences(
            "Das war im 19. Jahrhundert z. B. in Wien. Éva kam 1990. Dann ging sie.",
            "de"
        ),
        [
            "Das war im 19. Jahrhundert z. B. in Wien.",
            "Éva kam 1990.",
            "Dann ging sie."
        ]
    );
    assert_eq!(
        sentences("Он родился в г. Москва. Потом уехал.", "ru").len(),
        2
    );
    assert_eq!(
        sentences("Il dit « Bon. » Elle part.", "fr"),
        ["Il dit « Bon. »", "Elle part."]
    );
}

#[test]
fn abbreviations_of_other_languages_go_on() {
    for (language, text) in [
        (
            "it",
            "La legge n. 5 e la n. 7, cfr. pag. 283 del dott. Rossi, on. Bianchi e s. Maria.",
        ),
        ("it", "Si veda l'art. 5, la fig. 3 e il sec. XVI."),
        (
            "fr",
            "Voir n. 5, p. ex. Paris, vol. 2, t. II, Mgr. Dupont et bd. Saint-Michel.",
        ),
        (
            "es",
            "Véase el núm. 5, la pág. 3, p. ej. Madrid, y el Dr. Juan con la Sra. Pérez.",
        ),
        ("es", "El cap. 5 y el n. 3 de la ed. Planeta."),
        (
            "de",
            "Er kam z. B. Wien und d. h. Berlin näher, vgl. Bd. 5, Nr. 3 und hrsg. Müller.",
        ),
        ("de", "Das gilt u. a. Berlin, geb. 5 und Kap. 3."),
        (
            "pt",
            "Ver n. 5, p. 3, pág. 7, p. ex. Lisboa, na Av. Paulista e no séc. XVI.",
        ),
        ("pt-br", "O núm. 5 da R. Augusta."),
        (
            "pl",
            "Na ul. Długiej i ul. Krótka, św. Jan, nr. 5, np. Kraków, tzw. Polska i s. 5.",
        ),
        ("pl", "Mieszkał przy al. Jana, im. Adama, ur. 5 maja."),
        (
            "nl",
            "Zie nr. 5, blz. 3, dhr. Jansen, ds. De Vries en bijv. Utrecht en p. 7.",
        ),
        (
            "ru",
            "Он родился в г. Москва, на ул. Ленина, пл. Победы, см. гл. 5, ст. 3, т. е. Россия.",
        ),
        ("ru", "Около оз. Байкал, ок. 1500 и рис. 5."),
    ] {
        assert_eq!(sentences(text, language), [text], "{language}");
    }
    for (language, text) in [
        ("it", "È il numero.|La legge vale."),
        ("de", "Die Stadt liegt am Kap.|Er ging."),
        ("pl", "Dał to matce.|Potem wyszedł."),
        (
            "ru",
            "И т. д.|Потом он ушёл.|Это его род.|Он жил до н. э.|Рим рос.",
        ),
        ("fr", "C'est une BD.|Le dessin est beau."),
        (
            "en",
            "See vitamin C.|The end came.|He had a z.|Then he left.",
        ),
    ] {
        let expected: Vec<&str> = text.split('|').collect();
        assert_eq!(
            sentences(&expected.join(" "), language),
            expected,
            "{language}"
        );
    }
}

#[test]
fn items_in_one_line() {
    assert_eq!(
        sentences("1. The first item 2. The second item", "en"),
        ["1. The first item", "2. The second item"]
    );
    assert_eq!(sentences("1. d4 is a move.", "en"), ["1. d4 is a move."]);
}

#[test]
fn published_examples() {
    assert_eq!(
        published("See p. 283. The U.S. Navy. 5 men. Él. \"Yes.\" No?"),
        ["See p.", "The U.S.", "Navy.", "\"Yes.\"", "No?"]
    );
    assert_eq!(published("A heading\nThe end. x"), ["A heading\nThe end."]);
    assert_eq!(published("No stop  "), ["No stop  "]);
    assert_eq!(published("Wait... What?! 日本語。"), ["Wait...", "What?!"]);
    assert_eq!(published("Say \"no.\""), ["Say \"no.\""]);
    assert_eq!(published(""), [""; 0]);
}

/// The expression of the published splitter by backtracking, written as the expression is.
mod expression {
    /// End of the first group when the group starts at `at`, if it matches there.
    pub(super) fn group(text: &[u8], at: usize) -> Option<usize> {
        let first = *text.get(at)?;
        if first != b'"' && !first.is_ascii_uppercase() {
            return None;
        }
        greedy(text, at + 1, &|i| not_stop(text, i), &|i| repeat(text, i))
    }

    type Step<'a> = &'a dyn Fn(usize) -> Option<usize>;

    /// `x*` with backtracking: as many steps as match, then one fewer at a time.
    fn greedy(_text: &[u8], at: usize, step: Step<'_>, then: Step<'_>) -> Option<usize> {
        let mut ends = vec![at];
        while let Some(next) = ends.last().and_then(|&i| step(i)) {
            ends.push(next);
        }
        ends.into_iter().rev().find_map(then)
    }

    fn not_stop(text: &[u8], i: usize) -> Option<usize> {
        (!matches!(text.get(i)?, b'.' | b'!' | b'?')).then_some(i + 1)
    }

    /// `(?:[.!?](?!['"]?\s|$)[^.!?]*)*` and what follows it.
    fn repeat(text: &[u8], i: usize) -> Option<usize> {
        let once = match text.get(i) {
            Some(b'.' | b'!' | b'?') if !ahead(text, i + 1) => {
                greedy(text, i + 1, &|i| not_stop(text, i), &|i| repeat(text, i))
            }
            _ => None,
        };
        once.or_else(|| Some(tail(text, i)))
    }

    /// `['"]?\s|$` in multi-line mode.
    fn ahead(text: &[u8], i: usize) -> bool {
        let space = |i: usize| {
            text.get(i)
                .is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C))
        };
        let quote = matches!(text.get(i), Some(b'"' | b'\''));
        (quote && space(i + 1)) || space(i) || i == text.len() || text.get(i) == Some(&b'\n')
    }

    /// `[.!?]?['"]?`.
    fn tail(text: &[u8], mut i: usize) -> usize {
        if matches!(text.get(i), Some(b'.' | b'!' | b'?')) {
            i += 1;
        }
        if matches!(text.get(i), Some(b'"' | b'\'')) {
            i += 1;
        }
        i
    }
}

/// SplitMix64, for texts that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn text(&mut self, alphabet: &[&str], longest: usize) -> String {
        let n = self.below(longest + 1);
        (0..n)
            .map(|_| alphabet[self.below(alphabet.len())])
            .collect()
    }
}

#[test]
fn published_equals_the_backtracking_expression() {
    let alphabet = [
        "A", "b", ".", "!", "?", "\"", "'", " ", "\n", "\u{A0}", "é", "Z", "\t",
    ];
    let mut random = Random(7);
    for _ in 0..20_000 {
        let text = random.text(&alphabet, 16);
        let bytes = text.as_bytes();
        let mut expected = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            match expression::group(bytes, at) {
                Some(end) => {
                    expected.push((at, end));
                    at = end;
                }
                None => at += 1,
            }
        }
        let found: Vec<_> = split(&text, None, Splitter::Published).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn ranges_are_ordered_trimmed_and_lose_no_text() {
    let alphabet = [
        "A", "b", "Mr", "U.S", ".", ". ", "! ", "?", "\"", "'", " ", "\n", "\u{A0}", "é", "。",
        "」", "(", ")", "[", "1", "2", "…", " . ", "»", "«", "।", "և", ":", ";", "I ", "[3]", "•",
        "1. ", " 2. ",
    ];
    let mut random = Random(11);
    for round in 0..20_000 {
        let text = random.text(&alphabet, 24);
        let language = ["en", "de", "hy", "el", "zh", "xx", ""][round % 7];
        let mut last = 0;
        for (start, end) in split(&text, Some(language), Splitter::Default) {
            let sentence = &text[start..end];
            assert!(last <= start && start < end, "{text:?}");
            assert!(text[last..start].trim().is_empty(), "{text:?}");
            assert_eq!(sentence, sentence.trim(), "{text:?}");
            assert!(!sentence.contains('\n'), "{text:?}");
            last = end;
        }
        assert!(text[last..].trim().is_empty(), "{text:?}");
    }
}

#[test]
fn long_texts_without_breaks_end() {
    for unit in [
        "a.", "(", ". ", "\" A. ", "1. ", "你", "A.B.", ". . ", "« ", "[1]", "' ", "!",
    ] {
        let text = unit.repeat(100_000);
        let covered: usize = split(&text, Some("en"), Splitter::Default)
            .map(|(start, end)| end - start)
            .sum();
        assert!(covered <= text.len());
        assert!(split(&text, None, Splitter::Published).count() <= text.len());
    }
}
