//! Classifies links by their targets: which of them are text.

use super::languages::{is_category, is_file, is_wiki_code};

/// What becomes of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A page: label or title is text.
    Page,
    /// A file, a category or the same page elsewhere: nothing is text.
    Aside,
}

/// Maximum number of bytes of a link target that are examined.
pub(super) const MAX_TARGET_BYTES: usize = 1024;

/// Endings of media files, which tell a file in a language whose namespace is not known.
const MEDIA: &[&str] = &[
    "jpg", "jpeg", "png", "svg", "gif", "tif", "tiff", "webp", "ogg", "oga", "ogv", "webm", "mp3",
    "mp4", "wav", "flac", "pdf", "djvu", "mid", "xcf", "stl", "opus",
];

/// What the link target `target` (without brackets and label) leads to.
pub(super) fn classify(target: &str) -> Target {
    let target = target.trim_start();
    let Some((prefix, title)) = target.split_once(':') else {
        return Target::Page;
    };
    let prefix = prefix.trim().replace('_', " ").to_lowercase();
    let media = || {
        title
            .trim_end()
            .rsplit_once('.')
            .is_some_and(|(_, end)| MEDIA.iter().any(|m| m.eq_ignore_ascii_case(end)))
    };
    let aside = !prefix.is_empty()
        && (is_file(&prefix) || is_category(&prefix) || is_wiki_code(&prefix) || media());
    if aside { Target::Aside } else { Target::Page }
}

/// The label of a link whose label is empty: the title without namespace, and without what follows in
/// parentheses or after a comma.
pub(super) fn short_title(target: &str) -> &str {
    let target = target.trim().trim_start_matches(':');
    let title = target.split_once(':').map_or(target, |(_, title)| title);
    let cut = match (title.find(" ("), title.find(", ")) {
        (Some(i), _) if title.ends_with(')') => i,
        (_, Some(i)) => i,
        _ => title.len(),
    };
    title[..cut].trim()
}
