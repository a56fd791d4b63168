//! The source of a formula, rewritten where the parser would misread it.

/// A formula for the parser.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The formula. Each text is replaced by its number.
    pub(super) tex: String,
    /// The arguments of commands whose argument is a text, such as `\text` and `\operatorname`.
    pub(super) texts: Vec<String>,
}

impl Source {
    /// Reads a formula; `None` if a text cannot be written in plain characters.
    pub(super) fn of(formula: &str) -> Option<Self> {
        let mut source = Self::default();
        let mut rest = formula;
        while let Some(at) = rest.find(['\\', '%']) {
            source.tex.push_str(&rest[..at]);
            let Some(behind) = rest[at..].strip_prefix('\\') else {
                // It begins no comment on a page.
                source.tex.push_str(r"\%");
                rest = &rest[at + 1..];
                continue;
            };
            let (name, behind) = command(behind)?;
            rest = match name {
                "operatorname" => {
                    let behind = behind.trim_start();
                    source.name(behind.strip_prefix('*').unwrap_or(behind))?
                }
                "mathop" => source.name(behind)?,
                "text" | "textrm" | "textbf" | "textit" | "textsf" | "texttt" | "mbox" | "hbox" => {
                    let (text, behind) = argument(behind)?;
                    source.text(r"\text", plain(text)?);
                    behind
                }
                // What is struck out stays, but a relation becomes its opposite, as after `\not`.
                "cancel" => {
                    let content = argument(behind).map(|(content, _)| content.trim());
                    if content.is_none_or(|content| RELATIONS.contains(&content)) {
                        source.tex.push_str(r"\not");
                    }
                    behind
                }
                // Less space than none is none.
                "!" => {
                    source.tex.push(' ');
                    behind
                }
                // The parser takes it for a letter.
                "colon" => {
                    source.tex.push_str(r"\mathpunct{:}");
                    behind
                }
                _ => {
                    source.tex.push('\\');
                    source.tex.push_str(name);
                    behind
                }
            };
        }
        source.tex.push_str(rest);
        Some(source)
    }

    /// Writes the name of an operator, the argument at the start of `rest`, and returns what is to be read next: the
    /// name itself if it is a formula.
    fn name<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let rest = rest.trim_start();
        let name = argument(rest).and_then(|(name, behind)| Some((plain(name)?, behind)));
        match name {
            Some((name, behind)) => {
                self.text(r"\operatorname", name);
                Some(behind)
            }
            None => rest.starts_with(['{', '\\']).then_some(rest),
        }
    }

    /// Writes a command with a text.
    fn text(&mut self, command: &str, text: String) {
        let number = self.texts.len();
        self.tex.push_str(&format!("{command}{{{number}}}"));
        self.texts.push(text);
    }
}

/// The name of the command whose `\` is before `rest`, and the text after it.
fn command(rest: &str) -> Option<(&str, &str)> {
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let length = match letters {
        0 => rest.chars().next()?.len_utf8(),
        letters => letters,
    };
    Some(rest.split_at(length))
}

/// The argument at the start of `rest`, a group or a character, without a font before it, and what follows it.
fn argument(rest: &str) -> Option<(&str, &str)> {
    let rest = without_fonts(rest);
    let Some(content) = rest.strip_prefix('{') else {
        let length = rest.chars().next()?.len_utf8();
        return (!rest.starts_with(SPECIAL)).then_some(rest.split_at(length));
    };
    let (mut depth, mut is_escaped) = (0, false);
    for (at, c) in content.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' => depth += 1,
            '}' if depth == 0 => return Some((&content[..at], &content[at + 1..])),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Characters that are no text by themselves.
const SPECIAL: [char; 9] = ['\\', '{', '}', '$', '&', '#', '^', '_', '~'];

/// What follows the spaces and the names of fonts at the start of `rest`.
fn without_fonts(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    while let Some((name, behind)) = rest.strip_prefix('\\').and_then(command)
        && FONTS.contains(&name)
    {
        rest = behind.trim_start();
    }
    rest
}

/// The argument of a command whose argument is a text, in plain characters; `None` if it has a formula or
/// another command.
fn plain(tex: &str) -> Option<String> {
    let mut text = String::with_capacity(tex.len());
    let mut rest = tex;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = behind;
        match c {
            '\\' => {
                let (name, behind) = command(behind)?;
                rest = behind;
                match name {
                    "%" | "&" | "_" | "#" | "$" => text.push_str(name),
                    "!" => {}
                    _ if SPACES.contains(&name) => text.push(' '),
                    _ if FONTS.contains(&name) => rest = behind.trim_start(),
                    _ => return None,
                }
            }
            '$' => return None,
            // A script of several characters.
            '{' if text.ends_with(['^', '_']) => return None,
            '{' | '}' => {}
            '~' => text.push(' '),
            c => text.push(c),
        }
    }
    Some(text)
}

/// Relations that are struck out.
#[rustfmt::skip]
const RELATIONS: [&str; 23] = [
    "=", "<", ">", r"\in", r"\ni", r"\subset", r"\subseteq", r"\supset", r"\supseteq", r"\equiv", r"\le", r"\leq",
    r"\ge", r"\geq", r"\mid", r"\parallel", r"\sim", r"\approx", r"\to", r"\rightarrow", r"\Rightarrow", r"\vdash",
    r"\models",
];

/// Commands of a space.
#[rustfmt::skip]
const SPACES: [&str; 11] = [
    " ", ",", ":", ";", ">", "thinspace", "medspace", "thickspace", "enspace", "quad", "qquad",
];

/// Commands that change the font or the size of letters only.
#[rustfmt::skip]
const FONTS: [&str; 30] = [
    "rm", "bf", "it", "sf", "tt", "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathup", "mathnormal", "mathcal",
    "mathfrak", "mathscr", "boldsymbol", "text", "textrm", "textbf", "textit", "textsf", "texttt", "textnormal",
    "textup", "mbox", "hbox", "displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle",
];
