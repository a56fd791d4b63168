//! Words of commands for a shell, in messages that propose commands.

/// A text as one word of a command of a shell: in double quotes unless it is plain, with a backslash before the characters
/// that mean something within these.
///
/// ```
/// assert_eq!(neardup::shell_word("out/rows.csv"), "out/rows.csv");
/// assert_eq!(neardup::shell_word("SELECT \"A\" FROM 'x'"), r#""SELECT \"A\" FROM 'x'""#);
/// ```
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:=,+@%-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut word = String::from('"');
    for c in text.chars() {
        if ['\\', '"', '$', '`'].contains(&c) {
            word.push('\\');
        }
        word.push(c);
    }
    word.push('"');
    word
}
