use super::*;
use crate::random_texts::RandomTexts;

/// The full dynamic-programming table.
fn oracle(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn check(a: &str, b: &str, random: &mut RandomTexts) {
    let expected = oracle(a, b);
    assert_eq!(edit_distance(a, b), expected, "{a:?} {b:?}");
    assert_eq!(edit_distance(b, a), expected, "{b:?} {a:?}");
    let longer = a.chars().count().max(b.chars().count());
    for max in [
        0,
        1,
        expected.saturating_sub(1),
        expected,
        expected + 1,
        random.below(longer + 2),
        usize::MAX,
    ] {
        let found = Some(expected).filter(|&distance| distance <= max);
        assert_eq!(edit_distance_within(a, b, max), found, "{max}: {a:?} {b:?}");
        assert_eq!(edit_distance_up_to(a, b, max), found, "{max}: {a:?} {b:?}");
    }
    let similarity = if longer == 0 {
        0.0
    } else {
        (longer - expected) as f64 / longer as f64
    };
    assert_eq!(edit_similarity(a, b), similarity);
}

#[test]
fn the_oracle() {
    assert_eq!(oracle("kitten", "sitting"), 3);
    assert_eq!(oracle("", "été"), 3);
    assert_eq!(oracle("abc", "abc"), 0);
}

#[test]
fn short_texts_equal_the_oracle() {
    let mut random = RandomTexts::new(20);
    for alphabet in [
        &['a', 'b'][..],
        &['a', 'b', 'c', 'd', ' '],
        &['a', 'é', '漢', '😀'],
        &['\0', '\u{7f}', '\u{80}'],
    ] {
        for _ in 0..3_000 {
            let (a, b) = (
                random.few_letters(70, alphabet),
                random.few_letters(70, alphabet),
            );
            check(&a, &b, &mut random);
        }
    }
}

#[test]
fn lengths_around_a_word_equal_the_oracle() {
    let mut random = RandomTexts::new(21);
    for alphabet in [&['a', 'b', 'c'][..], &['a', 'é', '漢']] {
        for length in [62, 63, 64, 65, 66, 127, 128, 129, 130, 191, 192, 193] {
            for edits in [0, 1, 2, 10, 60, 200] {
                let a: String = (0..length)
                    .map(|_| alphabet[random.below(alphabet.len())])
                    .collect();
                let b = random.edited(&a, edits, alphabet);
                check(&a, &b, &mut random);
                // The ends differ, so that nothing is trimmed away.
                check(&format!("x{a}y"), &format!("y{b}x"), &mut random);
            }
        }
    }
}

#[test]
fn long_texts_equal_the_oracle() {
    let mut random = RandomTexts::new(22);
    for alphabet in [&['a', 'b', 'c', 'd'][..], &['a', 'é', 'ø', '漢']] {
        for edits in [1, 20, 70, 150, 400, 2_000] {
            let a: String = (0..1_500)
                .map(|_| alphabet[random.below(alphabet.len())])
                .collect();
            let b = random.edited(&a, edits, alphabet);
            check(&a, &b, &mut random);
            check(&a[..600.min(a.floor_char_boundary(600))], &b, &mut random);
            check(&format!("start {a}"), &format!("{b} the end"), &mut random);
        }
    }
}

#[test]
fn many_different_characters_in_a_block() {
    let mut random = RandomTexts::new(23);
    let alphabet: Vec<char> = ('\u{3400}'..'\u{9000}').collect();
    for _ in 0..40 {
        let a: String = (0..200)
            .map(|_| alphabet[random.below(alphabet.len())])
            .collect();
        let b = random.edited(&a, 30, &alphabet);
        check(&a, &b, &mut random);
    }
}

#[test]
fn empty_texts() {
    assert_eq!(edit_distance("", ""), 0);
    assert_eq!(edit_similarity("", ""), 0.0);
    assert_eq!(edit_distance_within("", "abc", 2), None);
    assert_eq!(edit_distance_within("", "abc", 3), Some(3));
}
