//! Wikitext to plain text, and texts to sentences (module [`sentences`]).
//!
//! ```text
//! wikitext ─ spans: which opener has which closer ─ render: one walk over text and spans ─ plain text
//! ```
//!
//! `spans` pairs brackets and finds what is opaque (comments, references, formulas) before a word is
//! written, so that the walk knows at each opener whether and where it closes; `render` writes.
//! `templates` defines the text that remains of a template, `links` the target of a link, `variants`
//! the variant of a word that is shown, and `languages` the sections and namespaces of a language.
//! Nothing recurses, and both passes are linear in the wikitext, whatever is left open.

mod blocks;
mod entities;
mod format;
mod formulas;
mod languages;
mod links;
mod quotes;
mod render;
mod rule;
pub mod sentences;
mod spans;
mod tags;
mod template_names;
mod templates;
mod variants;

pub use blocks::Block;
pub use formulas::{Formulas, UnknownFormulas};
pub use languages::is_language_code;

/// Longest piece that is cleaned at once; offsets are kept in 32 bits.
const PIECE: usize = 1 << 30;

/// The plain text of a page.
///
/// Blocks (paragraphs, headings, list items, quotations) are separated by one line feed each;
/// no block is empty or begins or ends with a space. Tables, templates, references, captions,
/// galleries, categories and links between languages are left out, and so are the
/// sections of references, links and notes that close a page. Numbers, foreign words and
/// quotations that common templates carry stay (`{{convert|5|km|mi}}` is "5 km"). Link labels
/// stay. Of marks that convert between scripts (`-{zh-hans:州; zh-hant:邦}-`) the first variant stays.
/// Entities are decoded once. The text of a redirect is empty.
///
/// A formula of TeX in a sentence is the word `FORMULA` ([`Formulas::Placeholder`]), and so is
/// `{{math|…}}` with a template that is left out; otherwise that is its text. Formulas in lines of
/// their own are left out.
///
/// Beside what is left out, brackets around nothing, separators that have lost what they separated,
/// and spaces before a comma or a full stop go too: `Ouse ({{IPA|…}}; born 1809)` is
/// "Ouse (born 1809)". Other punctuation stays as the page has it.
///
/// `language` is the code of the wiki (`"en"`, `"pt"`); it decides which sections close a page and
/// what some templates mean. `None` takes the sections of all languages.
///
/// What is left open ends where its line ends, and template or table lines right after it that
/// begin with `|` go with it; a heading closes everything. Time and memory are linear in the
/// length of `wikitext`.
///
/// ```
/// use neardup_wikitext::to_plain;
///
/// let wikitext = "'''Ouse''' is {{convert|5|km|mi}} long.<ref>A map.</ref>\n\
///     == Course ==\n* from [[York (city)|York]] &amp; on\n==References==\n{{reflist}}";
/// assert_eq!(
///     to_plain(wikitext, Some("en")),
///     "Ouse is 5 km long.\nCourse\nfrom York & on"
/// );
/// ```
pub fn to_plain(wikitext: &str, language: Option<&str>) -> String {
    let mut plain = String::with_capacity(wikitext.len() / 2);
    let formulas = Formulas::Placeholder;
    to_blocks_into(wikitext, language, formulas, &mut plain, &mut String::new());
    plain
}

/// Appends the plain text of a page to `plain` as [`to_plain`] gives it, but with formulas as `formulas` says, and the
/// letter of the [`Block`] of each of its lines to `blocks`.
///
/// ```
/// use neardup_wikitext::{Formulas, to_blocks_into};
///
/// let (mut plain, mut blocks) = (String::new(), String::new());
/// let wikitext = "If <math>x^2 \\le 2</math>, it rained.\n== Places ==\n* [[York]]";
/// to_blocks_into(wikitext, Some("en"), Formulas::Text, &mut plain, &mut blocks);
/// assert_eq!(plain, "If x^2 ≤ 2, it rained.\nPlaces\nYork");
/// assert_eq!(blocks, "phl");
/// ```
pub fn to_blocks_into(
    wikitext: &str,
    language: Option<&str>,
    formulas: Formulas,
    plain: &mut String,
    blocks: &mut String,
) {
    if languages::is_redirect(wikitext) {
        return;
    }
    let language = languages::Language::of(language);
    let mut rest = wikitext;
    while rest.len() > PIECE {
        let near = rest.floor_char_boundary(PIECE);
        let end = rest[..near].rfind('\n').map_or(near, |i| i + 1);
        let length = plain.len();
        render::render(&rest[..end], &language, formulas, plain, blocks);
        if plain.len() > length {
            plain.push('\n');
        }
        rest = &rest[end..];
    }
    let length = plain.len();
    render::render(rest, &language, formulas, plain, blocks);
    if plain.len() == length && plain.ends_with('\n') {
        plain.pop();
    }
}

#[cfg(test)]
mod tests;
