//! The source of a formula, rewritten where the parser would misread it.

/// A formula for the parser.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The formula. In place of each text stands its number.
    pub(super) tex: String,
    /// The arguments of commands whose argument is a text, such as `\text` and `\operatorname`.
    pub(super) texts: Vec<String>,
}

impl Source {
    /// Reads a formula; `None` if a text is neither a group nor a character.
    pub(super) fn of(formula: &str) -> Option<Self> {
        let mut source = Self::default();
        let mut rest = formula;
        while let Some(at) = rest.find('\\') {
            source.tex.push_str(&rest[..at]);
            let (name, behind) = command(&rest[at + 1..])?;
            rest = match name {
                "operatorname" => {
                    let behind = behind.trim_start();
                    let (name, behind) = argument(behind.strip_prefix('*').unwrap_or(behind))?;
                    source.text(r"\operatorname", name.to_owned());
                    behind
                }
                // The parser reads other arguments of `\mathop` as formulas.
                "mathop" if behind.trim_start().starts_with('{') => {
                    let (name, behind) = argument(behind)?;
                    source.text(r"\operatorname", name.to_owned());
                    behind
                }
                "text" | "textrm" | "textbf" | "textit" | "textsf" | "texttt" => {
                    let (text, behind) = argument(behind)?;
                    source.text(r"\text", text.to_owned());
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

    /// Writes a command with a text.
    fn text(&mut self, command: &str, text: String) {
        let number = self.texts.len();
        self.tex.push_str(&format!("{command}{{{number}}}"));
        self.texts.push(text);
    }
}

/// The name of a command, from behind its `\`, and what follows it.
fn command(rest: &str) -> Option<(&str, &str)> {
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let length = match letters {
        0 => rest.chars().next()?.len_utf8(),
        letters => letters,
    };
    Some(rest.split_at(length))
}

/// The argument at the start of `rest`, a group or a character, and what follows it.
fn argument(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start();
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
