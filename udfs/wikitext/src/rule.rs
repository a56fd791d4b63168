//! The rules for what remains of a template.

use super::format::Format;

/// What remains of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing.
    Nothing,
    /// This text.
    Text(&'static str),
    /// The template's own name.
    Name,
    /// One positional argument, from 1, or the argument `text=`.
    Argument(u8),
    /// The same with the argument 1, where nothing of it is left out; otherwise the word in place of a
    /// formula.
    Formula,
    /// The argument 1 as a formula of TeX.
    TexFormula,
    /// The last positional argument.
    Last,
    /// All positional arguments from this one on, with this between them.
    From(u8, &'static str),
    /// A block: the argument 1 or one named like it.
    Quotation,
    /// Each positional argument as a block of its own.
    Lines,
    /// The positional arguments put together by a function.
    Format(Format),
}
