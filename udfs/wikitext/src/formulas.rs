//! Formulas of TeX in a text: a word in their place, or the formula itself in plain characters.
//!
//! `\frac{a+1}{b} \le x^2` is "(a + 1)/b ≤ x^2". The parser gives its events in prefix order: an operator, then
//! its operands. What waits for operands stands on an explicit stack, so that nothing recurses.

use std::fmt;
use std::panic::catch_unwind;
use std::str::FromStr;

use pulldown_latex::event::{
    Content, DelimiterType, EnvironmentFlow, Event, Font, Grouping, RelationContent,
    ScriptPosition, ScriptType, StateChange, Visual,
};
use pulldown_latex::{Parser, Storage};

use super::tags;

/// What a text has in place of a formula of TeX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Formulas {
    /// The word `FORMULA`, the same for every formula.
    #[default]
    Placeholder,
    /// The formula in plain characters: `\sqrt{x}` is "√x". The word where a formula cannot be read.
    Text,
}

impl Formulas {
    /// The name by which options and SQL know the choice.
    pub fn name(self) -> &'static str {
        match self {
            Self::Placeholder => "placeholder",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Formulas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A choice for formulas that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("formulas must be 'placeholder' or 'text', got '{name}'")]
pub struct UnknownFormulas {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Formulas {
    type Err = UnknownFormulas;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "placeholder" => Ok(Self::Placeholder),
            "text" => Ok(Self::Text),
            other => Err(UnknownFormulas {
                name: other.to_owned(),
            }),
        }
    }
}

/// The text of a formula between tags, from its start tag up to its end tag.
pub(super) fn of_tag(source: &str) -> Option<String> {
    let tag = tags::parse(source, 0)?;
    let content = &source[tag.end..];
    let is_chemistry = source
        .get(1..3)
        .is_some_and(|name| name.eq_ignore_ascii_case("ch") || name.eq_ignore_ascii_case("ce"));
    match is_chemistry {
        true => chemistry(content),
        // Inside the tags `<` may be written as an entity.
        false if content.contains("&lt;") || content.contains("&gt;") => {
            mathematics(&content.replace("&lt;", "<").replace("&gt;", ">"))
        }
        false => mathematics(content),
    }
}

/// The text of a formula in a template, from the `|` before it.
pub(super) fn of_template(arguments: &str) -> Option<String> {
    let tex = arguments.strip_prefix('|')?;
    let tex = tex.strip_prefix("1=").unwrap_or(tex);
    mathematics(&tex.replace("{{=}}", "=").replace("{{!}}", "|"))
}

/// Longest source of a formula that is read, in bytes.
const MAX_BYTES: usize = 4096;

/// A formula of TeX in plain characters; `None` if it cannot be read, is empty or is longer than [`MAX_BYTES`].
fn mathematics(tex: &str) -> Option<String> {
    let is_refused = REFUSED.iter().any(|command| tex.contains(command));
    if tex.len() > MAX_BYTES || is_refused || has_long_index(tex) {
        return None;
    }
    // The parser takes white space outside ASCII for the end of a dimension, and cuts it in the middle.
    let tex: String = tex
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    // A formula must not end a job, whatever the parser makes of it.
    let operands = catch_unwind(|| {
        let storage = Storage::new();
        let mut reading = Reading::default();
        for event in Parser::new(&tex, &storage) {
            reading.event(event.ok()?)?;
        }
        let [Operator { operands, .. }] = <[Operator; 1]>::try_from(reading.open).ok()?;
        Some(operands)
    });
    let text = one_line(&joined(&operands.ok()??))?;
    // A mark of punctuation alone, or before the formula, would be one of the sentence.
    let begins = |c: char| matches!(c, ',' | ';' | ':' | '.' | '!' | '?');
    (!text.starts_with(begins) && text.chars().any(|c| !c.is_whitespace())).then_some(text)
}

/// Commands at which the parser panics (at numbers outside ASCII, or of many digits), or whose scripts it leaves out.
const REFUSED: [&str; 4] = ["\\char", "{alignat", "{alignedat", "\\sideset"];

/// Whether the index of a root is more than one letter or digit: the parser gives its parts one by one.
fn has_long_index(tex: &str) -> bool {
    tex.match_indices("\\sqrt").any(|(at, command)| {
        let index = tex[at + command.len()..].trim_start().strip_prefix('[');
        index.is_some_and(|index| index.chars().nth(1) != Some(']'))
    })
}

/// A formula of chemistry, which is nearly plain: `2H2 + O2 -> 2H2O`.
fn chemistry(source: &str) -> Option<String> {
    if source.len() > MAX_BYTES || source.contains(['\\', '{', '}', '$']) {
        return None;
    }
    let arrows = source.replace("<=>", "⇌").replace("<->", "↔");
    one_line(&arrows.replace("->", "→").replace("<-", "←"))
}

/// The text with single spaces between its words and without control characters; `None` if nothing is left.
fn one_line(text: &str) -> Option<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    line.retain(|c| !c.is_control());
    (!line.is_empty()).then_some(line)
}

/// An operand that has been read.
#[derive(Debug)]
struct Operand {
    text: String,
    class: Class,
}

/// How an operand is set apart from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
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
struct Operator {
    kind: Kind,
    /// Number of operands; `None` for a group, which ends with its own event.
    arity: Option<usize>,
    operands: Vec<Operand>,
    /// The letters in it are double-struck (ℝ).
    double_struck: bool,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
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

/// The operators that are open; the first is the whole formula.
#[derive(Debug)]
struct Reading {
    open: Vec<Operator>,
}

impl Default for Reading {
    fn default() -> Self {
        let mut reading = Self { open: Vec::new() };
        reading.open(Kind::Group(None, None), None);
        reading
    }
}

impl Reading {
    fn open(&mut self, kind: Kind, arity: Option<usize>) {
        let double_struck = self.open.last().is_some_and(|outer| outer.double_struck);
        self.open.push(Operator {
            kind,
            arity,
            operands: Vec::new(),
            double_struck,
        });
    }

    /// Reads an event; `None` if groups are not balanced.
    fn event(&mut self, event: Event<'_>) -> Option<()> {
        match event {
            Event::Content(content) => {
                let double_struck = self.open.last()?.double_struck;
                self.operand(operand(content, double_struck))?;
            }
            Event::Begin(grouping) => {
                let (opening, closing) = match grouping {
                    Grouping::LeftRight(opening, closing) => (opening, closing),
                    Grouping::Cases { left: true } => (Some('{'), None),
                    Grouping::Cases { left: false } => (None, Some('}')),
                    _ => (None, None),
                };
                self.open(Kind::Group(opening, closing), None);
            }
            Event::End => self.close()?,
            Event::Visual(visual) => {
                let (kind, arity) = match visual {
                    Visual::SquareRoot => (Kind::SquareRoot, 1),
                    Visual::Root => (Kind::Root, 2),
                    Visual::Fraction(line) => {
                        let has_line = line.is_none_or(|line| line.value != 0.0);
                        (Kind::Fraction { has_line }, 2)
                    }
                    Visual::Negation => (Kind::Negation, 1),
                };
                self.open(kind, Some(arity));
            }
            Event::Script { ty, position } => {
                let arity = 2 + usize::from(ty == ScriptType::SubSuperscript);
                self.open(Kind::Script(ty, position), Some(arity));
            }
            Event::Space { .. } => self.operand(Operand {
                text: String::new(),
                class: Class::Space,
            })?,
            Event::StateChange(StateChange::Font(font)) => {
                self.open.last_mut()?.double_struck = font == Some(Font::DoubleStruck);
            }
            Event::StateChange(_) => {}
            // Cells and rows of a matrix.
            Event::EnvironmentFlow(flow) => {
                let (text, class) = match flow {
                    EnvironmentFlow::Alignment => ("", Class::Space),
                    EnvironmentFlow::NewLine { .. } => (";", Class::Punctuation),
                    EnvironmentFlow::StartLines { .. } => return Some(()),
                };
                let text = text.to_owned();
                // They are no operands, and stand only in groups.
                self.open.last_mut()?.operands.push(Operand { text, class });
            }
        }
        Some(())
    }

    /// Ends the innermost group.
    fn close(&mut self) -> Option<()> {
        let operator = self.open.pop_if(|operator| operator.arity.is_none())?;
        // The whole formula has no end of its own.
        self.open.last()?;
        self.operand(combined(operator)?)
    }

    /// Gives an operand to the innermost operator, and that one to the next if it was its last operand.
    fn operand(&mut self, mut operand: Operand) -> Option<()> {
        loop {
            let operator = self.open.last_mut()?;
            operator.operands.push(operand);
            if operator.arity != Some(operator.operands.len()) {
                return Some(());
            }
            operand = combined(self.open.pop()?)?;
        }
    }
}

fn operand(content: Content<'_>, double_struck: bool) -> Operand {
    let (text, class) = match content {
        // A space that does not break.
        Content::Text("&nbsp;") => (String::new(), Class::Space),
        Content::Text(text) => (text.replace("&nbsp;", " "), Class::Ordinary),
        Content::Number(digits) => (digits.to_owned(), Class::Ordinary),
        Content::Function(name) => (name.to_owned(), Class::Function),
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
fn combined(operator: Operator) -> Option<Operand> {
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
fn joined(operands: &[Operand]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_in_plain_characters() {
        for (tex, text) in [
            (r"x", "x"),
            (r"\bar x = 0", "x\u{304} = 0"),
            (r"a+b", "a + b"),
            (r"-x", "−x"),
            (r"x = -1", "x = −1"),
            (r"e^{-x}", "e^(−x)"),
            (r"x^2+y_1", "x^2 + y_1"),
            (r"e^x y", "e^x y"),
            (r"e^{xy}", "e^(xy)"),
            (r"10^3 5", "10^3 5"),
            (r"2\frac{1}{2}", "2 1/2"),
            (r"\frac{a}{b}c", "a/b c"),
            (r"\frac{a}{bc}", "a/(bc)"),
            (r"\frac{a}{b}^2", "(a/b)^2"),
            (r"\binom{n}{2}", "(n; 2)"),
            (r"\sqrt{2}3", "√2 3"),
            (r"1.2\overline{34}", "1.2 3\u{304}4\u{304}"),
            (r"\underline{x}", "x\u{332}"),
            (r"1{,}234{,}567", "1,234,567"),
            (r"x=.5", "x = .5"),
            (r"\sin -x", "sin −x"),
            (r"5~\text{kg}", "5 kg"),
            ("a\\hspace{1em\u{a0}}b", "a b"),
            (r"\begin{pmatrix}1&-2\\3&4\end{pmatrix}", "(1 −2; 3 4)"),
            (r"x_{i+1}^{n}", "x_(i + 1)^n"),
            (r"\frac{a+1}{b} \le x^2", "(a + 1)/b ≤ x^2"),
            (r"\frac12", "1/2"),
            (r"\sqrt{x}", "√x"),
            (r"\sqrt[3]{x + 1}", "∛(x + 1)"),
            (r"f(x) = \sin x", "f(x) = sin x"),
            (r"f'(x)", "f′(x)"),
            (r"x\in\mathbb{R}^n", "x ∈ ℝ^n"),
            (r"x \not= y", "x ≠ y"),
            (r"\alpha\beta", "αβ"),
            (r"\sum_{i=1}^n i", "∑_(i = 1)^n i"),
            (r"\left( a, b \right]", "(a, b]"),
            (
                r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
                "(a b; c d)",
            ),
            (r"\text{if } n \text{ is odd}", "if n is odd"),
            (r"\mathrm{kg}", "kg"),
            (r"\vec{v}\,\mathrm{d}t", "v\u{20d7} dt"),
            (r"\{1, 2\}", "{1, 2}"),
            (r"90^\circ", "90^∘"),
            (r"10\%", "10%"),
        ] {
            assert_eq!(mathematics(tex).as_deref(), Some(text), "{tex}");
        }
    }

    #[test]
    fn what_cannot_be_read() {
        for tex in [
            "",
            " ",
            "{",
            "}",
            r"\nosuchcommand x",
            r"\frac{1}",
            "a & b",
            "x^",
            r"\def\x{\x\x}\x",
            r"\sqrt[n+1]{x}",
            r"\hat{x_1}",
            ",",
            r"\begin{alignat}{２}a\end{alignat}",
            r"\sideset{_1^2}{_3^4}\prod",
        ] {
            assert_eq!(mathematics(tex), None, "{tex}");
        }
        let deep = format!("{}x{}", "{".repeat(2000), "}".repeat(2000));
        assert_eq!(mathematics(&deep).as_deref(), Some("x"));
        assert_eq!(mathematics(&"x".repeat(MAX_BYTES + 1)), None);
    }

    #[test]
    fn chemistry_is_nearly_plain() {
        assert_eq!(
            chemistry("2H2 + O2 -> 2H2O").as_deref(),
            Some("2H2 + O2 → 2H2O")
        );
        assert_eq!(chemistry(r"\ce{H2O}"), None);
    }
}
