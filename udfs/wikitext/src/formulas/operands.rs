//! Operands of a formula, and how they are written in a line.

use pulldown_latex::event::{Content, DelimiterType, RelationContent, ScriptPosition, ScriptType};

/// An operand that has been read.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) text: String,
    pub(super) class: Class,
    pub(super) brace: Brace,
}

/// Whether an operand has a brace above or below it, which is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brace {
    No,
    /// A script is the label of the brace.
    Unlabelled,
    Labelled,
}

impl Operand {
    pub(super) fn new(text: String, class: Class) -> Self {
        Self {
            text,
            class,
            brace: Brace::No,
        }
    }

    /// Whether a brace shows that it is a sum, where no brackets do.
    fn is_braced_sum(&self) -> bool {
        let mut depth = 0;
        self.brace != Brace::No
            && self.text.chars().any(|c| {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth -= 1,
                    _ => {}
                }
                depth == 0 && matches!(c, '+' | '−' | '±' | '∓')
            })
    }

    /// Whether it is a factor of the operand beside it.
    fn is_factor(&self) -> bool {
        match self.class {
            Class::Binary => matches!(self.text.as_str(), "⋅" | "·" | "×" | "/" | "∗" | "÷"),
            Class::Relation | Class::Punctuation => false,
            _ => self.text != ".",
        }
    }
}

/// How an operand is set apart from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter, a number, a group.
    Ordinary,
    /// With a script: a space before a letter or a digit after it.
    Scripted,
    /// A fraction: as with a script, also before it.
    Fraction,
    /// `\sin`, `\sum`: a space after it.
    Function,
    /// `+`: a space on both sides, unless nothing is before it.
    Binary,
    /// `=`: a space on both sides.
    Relation,
    Opening,
    Closing,
    /// A comma: a space after it.
    Punctuation,
    Space,
}

/// An operator or a group that has not got all of its operands.
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
    Operand::new(text, class)
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
        Kind::Group(None, None) => match <[Operand; 1]>::try_from(operator.operands) {
            // The comma of `1{,}000` is no separator, and `{+}` stays an operator.
            Ok([only]) if only.class == Class::Punctuation => (only.text, Class::Ordinary),
            Ok([only]) => return Some(only),
            Err(operands) => (joined(&operands), class_of_group(&operands)),
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
        Kind::Negation => (negated(text(0), class(0))?, class(0)),
        Kind::Script(ty, position) => {
            let mut operands = operator.operands.into_iter();
            let base = operands.next()?;
            let mut script = || operands.next().map(|o| o.text).unwrap_or_default();
            let (sub, sup) = match ty {
                ScriptType::Subscript => (script(), String::new()),
                ScriptType::Superscript => (String::new(), script()),
                ScriptType::SubSuperscript => (script(), script()),
            };
            return scripted(base, &sub, &sup, position == ScriptPosition::AboveBelow);
        }
    };
    Some(Operand::new(text, class))
}

/// What a group of several operands is.
fn class_of_group(operands: &[Operand]) -> Class {
    match operands.last() {
        // `{2x^2}y` is "2x^2 y".
        Some(last) if matches!(last.class, Class::Scripted | Class::Fraction) => Class::Scripted,
        _ => Class::Ordinary,
    }
}

/// An operand with its scripts below and above it, in the line or, if `is_above`, over the whole operand.
fn scripted(base: Operand, sub: &str, sup: &str, is_above: bool) -> Option<Operand> {
    if is_above && [sub, sup].iter().any(|script| BRACES.contains(script)) {
        return Some(Operand {
            brace: Brace::Unlabelled,
            ..base
        });
    }
    if base.brace == Brace::Unlabelled {
        return Some(Operand {
            brace: Brace::Labelled,
            ..base
        });
    }
    let is_set_apart = match base.class {
        Class::Fraction | Class::Scripted => true,
        Class::Function => base.text.contains(['^', '_']),
        _ => base.is_braced_sum(),
    };
    let mut whole = match is_set_apart && !(sub.is_empty() && sup.is_empty()) {
        true => format!("({})", base.text),
        false => base.text,
    };
    for (mark, script) in [('_', sub), ('^', sup)] {
        match accent(script, mark).filter(|_| is_above) {
            // A bar over several letters is one over each of them.
            Some(accent) if whole.chars().all(char::is_alphanumeric) => {
                whole = whole.chars().flat_map(|c| [c, accent]).collect();
            }
            Some(_) => return None,
            None if script.is_empty() => {}
            None if script.chars().all(|c| PRIMES.contains(&c)) => whole.push_str(script),
            None => {
                whole.push(mark);
                whole.push_str(&bracketed(script));
            }
        }
    }
    let is_accent = accent(sup, '^').is_some() && is_above;
    let class = match base.class {
        Class::Ordinary | Class::Fraction if !is_accent => Class::Scripted,
        other => other,
    };
    Some(Operand::new(whole, class))
}

/// Braces above and below.
const BRACES: [&str; 7] = ["⏞", "⏟", "⎴", "⎵", "⏠", "⏡", "⏝"];

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

/// The sign with a stroke through it; `None` for what has no opposite.
fn negated(text: &str, class: Class) -> Option<String> {
    let sign = match text {
        "=" => "≠",
        "∈" => "∉",
        "∋" => "∌",
        "⊂" => "⊄",
        "⊃" => "⊅",
        "⊆" => "⊈",
        "⊇" => "⊉",
        "≡" => "≢",
        "<" => "≮",
        ">" => "≯",
        "≤" => "≰",
        "≥" => "≱",
        "≺" => "⊀",
        "≻" => "⊁",
        "∃" => "∄",
        "∣" | "|" => "∤",
        "∥" => "∦",
        "∼" => "≁",
        "≃" => "≄",
        "≅" => "≇",
        "≈" => "≉",
        "⊢" => "⊬",
        "⊨" => "⊭",
        "→" => "↛",
        "←" => "↚",
        "⇒" => "⇏",
        "⇔" => "⇎",
        other if class == Class::Relation && other.chars().count() == 1 => {
            return Some(format!("{other}\u{338}"));
        }
        _ => return None,
    };
    Some(sign.to_owned())
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
        // The point of `x^2.5`, which is no decimal point of the exponent.
        let next = operands.get(place + 1);
        let is_point = operand.text == "." && next.is_some_and(|o| o.text.starts_with(is_digit));
        // `x^2 y`, `2 1/2`, `e^x 5`.
        let is_apart = match (before, operand.class) {
            (Some(Class::Scripted | Class::Fraction), _) => {
                operand.text.starts_with(is_word) || is_point
            }
            (Some(_), Class::Fraction) => row.ends_with(is_word),
            _ => row.ends_with(is_digit) && operand.text.starts_with(is_digit),
        };
        let spaced = match (before, operand.class) {
            (_, Class::Punctuation | Class::Closing) => false,
            // `a := b`.
            (Some(Class::Relation), Class::Relation) => false,
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
        match operand.is_braced_sum() && is_beside_factor(operands, place) {
            true => row.extend(["(", &operand.text, ")"]),
            false => row.push_str(&operand.text),
        }
        // A sign belongs to what follows it.
        before = match (is_sign && place + 1 < operands.len(), operand.class) {
            (true, _) => Some(Class::Ordinary),
            (false, class) => Some(class),
        };
    }
    row
}

/// Whether a factor is on either side of an operand.
fn is_beside_factor(operands: &[Operand], place: usize) -> bool {
    let is_written = |operand: &&Operand| operand.class != Class::Space;
    let before = operands.iter().take(place).rev().find(is_written);
    let behind = operands.iter().skip(place + 1).find(is_written);
    before.is_some_and(|o| o.class != Class::Opening && o.is_factor())
        || behind.is_some_and(|o| o.class != Class::Closing && o.is_factor())
}
