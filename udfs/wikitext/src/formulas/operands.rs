//! Operands of a formula, and how they are written in a line.

use pulldown_latex::event::{Content, DelimiterType, RelationContent, ScriptPosition, ScriptType};

/// An operand that has been read.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) text: String,
    pub(super) class: Class,
}

/// How an operand is set apart from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter, a number, a group.
    Ordinary,
    /// With a script: a space before a letter or a digit behind it.
    Scripted,
    /// A fraction: as with a script, also before it.
    Fraction,
    /// `\sin`, `\sum`: a space behind it.
    Function,
    /// `+`: a space on both sides, unless nothing stands before it.
    Binary,
    /// `=`: a space on both sides.
    Relation,
    Opening,
    Closing,
    /// A comma: a space behind it.
    Punctuation,
    Space,
}

/// What waits for operands.
#[derive(Debug)]
pub(super) struct Operator {
    pub(super) kind: Kind,
    /// Number of operands; `None` for a group, which ends with its own event.
    pub(super) arity: Option<usize>,
    pub(super) operands: Vec<Operand>,
    /// The letters in it are double-struck (ℝ).
    pub(super) double_struck: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A group with its delimiters.
    Group(Option<char>, Option<char>),
    SquareRoot,
    Root,
    Fraction {
        has_line: bool,
    },
    Negation,
    Script(ScriptType, ScriptPosition),
}

/// What a character, a number, a name or the number of a text is.
pub(super) fn operand(content: Content<'_>, double_struck: bool, texts: &[String]) -> Operand {
    let text_of = |name: &str| match name.parse().ok().and_then(|n: usize| texts.get(n)) {
        Some(text) => text.to_owned(),
        None => name.to_owned(),
    };
    let (text, class) = match content {
        // A space that does not break.
        Content::Text("&nbsp;") => (String::new(), Class::Space),
        Content::Text(text) => (text_of(text), Class::Ordinary),
        Content::Number(digits) => (digits.to_owned(), Class::Ordinary),
        Content::Function(name) => (text_of(name), Class::Function),
        Content::Ordinary { content, .. } if double_struck => {
            (self::double_struck(content).to_string(), Class::Ordinary)
        }
        Content::Ordinary { content, .. } => (content.to_string(), Class::Ordinary),
        Content::LargeOp { content, .. } => (content.to_string(), Class::Function),
        Content::BinaryOp { content, .. } => (content.to_string(), Class::Binary),
        Content::Relation { content, .. } => (relation(content), Class::Relation),
        Content::Delimiter { content, ty, .. } => {
            let class = match ty {
                DelimiterType::Open => Class::Opening,
                DelimiterType::Close => Class::Closing,
                DelimiterType::Fence => Class::Ordinary,
            };
            (content.to_string(), class)
        }
        Content::Punctuation('.') => (".".to_owned(), Class::Ordinary),
        Content::Punctuation(mark) => (mark.to_string(), Class::Punctuation),
    };
    Operand { text, class }
}

fn relation(content: RelationContent) -> String {
    let mut bytes = [0; 8];
    String::from_utf8_lossy(content.encode_utf8_to_buf(&mut bytes)).into_owned()
}

/// The sets of numbers have characters of their own in everyday texts.
fn double_struck(letter: char) -> char {
    match letter {
        'C' => 'ℂ',
        'H' => 'ℍ',
        'N' => 'ℕ',
        'P' => 'ℙ',
        'Q' => 'ℚ',
        'R' => 'ℝ',
        'Z' => 'ℤ',
        other => other,
    }
}

/// An operator with all its operands; `None` if it cannot be written in a line.
pub(super) fn combined(operator: Operator) -> Option<Operand> {
    let operands = operator.operands.as_slice();
    let text = |place: usize| operands.get(place).map_or("", |o| o.text.as_str());
    let class = |place: usize| operands.get(place).map_or(Class::Ordinary, |o| o.class);
    let (text, class) = match operator.kind {
        Kind::Group(None, None) => match operands {
            // The comma of `1{,}000` is no separator, and `{+}` stays an operator.
            [only] if only.class == Class::Punctuation => (only.text.clone(), Class::Ordinary),
            [only] => (only.text.clone(), only.class),
            _ => (joined(operands), Class::Ordinary),
        },
        Kind::Group(opening, closing) => {
            let mut text = String::new();
            text.extend(opening);
            text.push_str(&joined(operands));
            text.extend(closing);
            (text, Class::Ordinary)
        }
        Kind::SquareRoot => (format!("√{}", bracketed(text(0))), Class::Scripted),
        Kind::Root => {
            let root = match text(1) {
                "3" => '∛'.to_string(),
                "4" => '∜'.to_string(),
                index => format!("{}√", bracketed(index)),
            };
            (format!("{root}{}", bracketed(text(0))), Class::Scripted)
        }
        // Without a line it is a binomial coefficient.
        Kind::Fraction { has_line: false } => {
            (format!("{}; {}", text(0), text(1)), Class::Ordinary)
        }
        Kind::Fraction { has_line: true } => (
            format!("{}/{}", bracketed(text(0)), bracketed(text(1))),
            Class::Fraction,
        ),
        Kind::Negation => (negated(text(0)), class(0)),
        Kind::Script(ty, position) => {
            let (sub, sup) = match ty {
                ScriptType::Subscript => (text(1), ""),
                ScriptType::Superscript => ("", text(1)),
                ScriptType::SubSuperscript => (text(1), text(2)),
            };
            let mut whole = match class(0) {
                Class::Fraction => format!("({})", text(0)),
                _ => text(0).to_owned(),
            };
            let is_above = position == ScriptPosition::AboveBelow;
            for (mark, script) in [('_', sub), ('^', sup)] {
                match accent(script, mark).filter(|_| is_above) {
                    // A bar over several letters is one over each of them.
                    Some(accent) if whole.chars().all(char::is_alphanumeric) => {
                        whole = whole.chars().flat_map(|c| [c, accent]).collect();
                    }
                    Some(_) => return None,
                    None if script.is_empty() || BRACES.contains(&script) => {}
                    None if script.chars().all(|c| PRIMES.contains(&c)) => whole.push_str(script),
                    None => {
                        whole.push(mark);
                        whole.push_str(&bracketed(script));
                    }
                }
            }
            let is_accent = accent(sup, '^').is_some() && is_above;
            match class(0) {
                Class::Ordinary | Class::Fraction if !is_accent => (whole, Class::Scripted),
                other => (whole, other),
            }
        }
    };
    Some(Operand { text, class })
}

/// Braces above and below.
const BRACES: [&str; 4] = ["⏞", "⏟", "⎴", "⎵"];

const PRIMES: [char; 4] = ['\'', '′', '″', '‴'];

/// The combining mark of an accent above (`^`) or below (`_`).
fn accent(mark: &str, place: char) -> Option<char> {
    Some(match mark {
        "ˉ" | "¯" | "‾" | "_" if place == '_' => '\u{332}',
        _ if place == '_' => return None,
        "ˉ" | "¯" | "‾" => '\u{304}',
        "^" | "ˆ" => '\u{302}',
        "~" | "˜" => '\u{303}',
        "→" | "⃗" => '\u{20d7}',
        "˙" | "." => '\u{307}',
        "¨" => '\u{308}',
        "ˇ" => '\u{30c}',
        "˘" => '\u{306}',
        "´" => '\u{301}',
        "`" => '\u{300}',
        "˚" => '\u{30a}',
        _ => return None,
    })
}

/// The sign with a stroke through it.
fn negated(text: &str) -> String {
    match text {
        "=" => "≠".to_owned(),
        "∈" => "∉".to_owned(),
        "∋" => "∌".to_owned(),
        "⊂" => "⊄".to_owned(),
        "⊆" => "⊈".to_owned(),
        "≡" => "≢".to_owned(),
        "<" => "≮".to_owned(),
        ">" => "≯".to_owned(),
        "≤" => "≰".to_owned(),
        "≥" => "≱".to_owned(),
        "∃" => "∄".to_owned(),
        "∣" => "∤".to_owned(),
        "∥" => "∦".to_owned(),
        "∼" => "≁".to_owned(),
        "≈" => "≉".to_owned(),
        other => format!("¬{other}"),
    }
}

/// The text, in brackets unless it is one letter or number.
fn bracketed(text: &str) -> String {
    let is_number = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let letters = text.chars().filter(|&c| !is_mark(c)).count();
    match is_number || letters == 1 {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

/// True for a combining mark that [`accent`] gives.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{20d7}') || PRIMES.contains(&c)
}

/// The operands of a group in a row, with spaces around operators.
pub(super) fn joined(operands: &[Operand]) -> String {
    let mut row = String::new();
    let mut before: Option<Class> = None;
    for (place, operand) in operands.iter().enumerate() {
        let leads = matches!(
            before,
            None | Some(
                Class::Opening
                    | Class::Binary
                    | Class::Relation
                    | Class::Punctuation
                    | Class::Space
                    | Class::Function
            )
        );
        let is_sign = operand.class == Class::Binary && leads;
        let is_word = |c: char| c.is_alphanumeric();
        let is_digit = |c: char| c.is_ascii_digit();
        // `x^2 y`, `2 1/2`, `e^x 5`.
        let is_apart = match (before, operand.class) {
            (Some(Class::Scripted | Class::Fraction), _) => operand.text.starts_with(is_word),
            (Some(_), Class::Fraction) => row.ends_with(is_word),
            _ => row.ends_with(is_digit) && operand.text.starts_with(is_digit),
        };
        let spaced = match (before, operand.class) {
            (_, Class::Punctuation | Class::Closing) => false,
            (Some(Class::Space | Class::Punctuation | Class::Relation | Class::Binary), _) => true,
            (Some(Class::Function), Class::Opening) => false,
            (Some(Class::Function), _) => true,
            (Some(_), Class::Function) => row.ends_with(is_word),
            (_, Class::Relation) => true,
            (_, Class::Binary) => !is_sign,
            _ => is_apart,
        };
        if spaced && !row.is_empty() && !row.ends_with(' ') {
            row.push(' ');
        }
        row.push_str(&operand.text);
        // A sign belongs to what follows it.
        before = match (is_sign && place + 1 < operands.len(), operand.class) {
            (true, _) => Some(Class::Ordinary),
            (false, class) => Some(class),
        };
    }
    row
}
