//! What the elements of HTML mean for the text of a page.

/// The separator between the text before a tag and the text after it, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// None: the element is part of a line.
    None,
    /// A tab: cells of a row.
    Cell,
    /// A line feed.
    Line,
    /// A blank line.
    Paragraph,
}

/// What an element does besides separating texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing; its end tag may be left out.
    Text,
    /// A line break.
    Break,
    /// A heading of the text after it.
    Heading,
    /// A link, if it has an address.
    Link,
    /// It may have an ARIA role, and its end tag closes the elements that are open in it.
    Container,
    /// A container of the main content.
    Main,
    /// A container of other content than the main content.
    Other,
    /// A container of what is not the main content, unless it is in the main content.
    Header,
    /// White space in it is text.
    Preformatted,
    /// Its content is not read.
    Dropped,
}

/// The role of a container with the ARIA role `name`, if that changes it.
pub(super) fn aria_role(name: &[u8]) -> Option<Role> {
    match name.trim_ascii().to_ascii_lowercase().as_slice() {
        b"main" | b"article" => Some(Role::Main),
        b"alertdialog" | b"banner" | b"complementary" | b"contentinfo" | b"dialog" | b"menu"
        | b"menubar" | b"navigation" | b"search" | b"toolbar" => Some(Role::Other),
        _ => None,
    }
}

/// The position of an element in [`ELEMENTS`]; `None` for elements in a line that mean nothing.
pub(super) fn element(name: &[u8]) -> Option<usize> {
    ELEMENTS
        .binary_search_by(|element| element.0.as_bytes().cmp(name))
        .ok()
}

/// Names, sorted, with what separates them from the text around them.
pub(super) const ELEMENTS: &[(&str, Gap, Role)] = &[
    ("a", Gap::None, Role::Link),
    ("address", Gap::Paragraph, Role::Container),
    ("annotation", Gap::None, Role::Dropped),
    ("article", Gap::Paragraph, Role::Main),
    ("aside", Gap::Paragraph, Role::Other),
    ("audio", Gap::None, Role::Dropped),
    ("blockquote", Gap::Paragraph, Role::Container),
    ("body", Gap::Paragraph, Role::Text),
    ("br", Gap::None, Role::Break),
    ("button", Gap::None, Role::Other),
    ("canvas", Gap::None, Role::Dropped),
    ("caption", Gap::Line, Role::Text),
    ("center", Gap::Line, Role::Container),
    ("datalist", Gap::None, Role::Dropped),
    ("dd", Gap::Line, Role::Text),
    ("details", Gap::Paragraph, Role::Container),
    ("dialog", Gap::Paragraph, Role::Other),
    ("dir", Gap::Paragraph, Role::Container),
    ("div", Gap::Line, Role::Container),
    ("dl", Gap::Paragraph, Role::Container),
    ("dt", Gap::Line, Role::Text),
    ("fieldset", Gap::Paragraph, Role::Container),
    ("figcaption", Gap::Line, Role::Container),
    ("figure", Gap::Paragraph, Role::Container),
    ("footer", Gap::Paragraph, Role::Other),
    ("form", Gap::Paragraph, Role::Container),
    ("h1", Gap::Paragraph, Role::Heading),
    ("h2", Gap::Paragraph, Role::Heading),
    ("h3", Gap::Paragraph, Role::Heading),
    ("h4", Gap::Paragraph, Role::Heading),
    ("h5", Gap::Paragraph, Role::Heading),
    ("h6", Gap::Paragraph, Role::Heading),
    ("header", Gap::Paragraph, Role::Header),
    ("hgroup", Gap::Paragraph, Role::Container),
    ("hr", Gap::Paragraph, Role::Text),
    ("iframe", Gap::None, Role::Dropped),
    ("legend", Gap::Line, Role::Text),
    ("li", Gap::Line, Role::Text),
    ("listing", Gap::Paragraph, Role::Preformatted),
    ("main", Gap::Paragraph, Role::Main),
    ("menu", Gap::Paragraph, Role::Other),
    ("nav", Gap::Paragraph, Role::Other),
    ("noembed", Gap::None, Role::Dropped),
    ("noframes", Gap::None, Role::Dropped),
    ("noscript", Gap::None, Role::Dropped),
    ("object", Gap::None, Role::Dropped),
    ("ol", Gap::Paragraph, Role::Container),
    ("optgroup", Gap::Line, Role::Text),
    ("option", Gap::Line, Role::Text),
    ("p", Gap::Paragraph, Role::Text),
    ("pre", Gap::Paragraph, Role::Preformatted),
    ("script", Gap::None, Role::Dropped),
    ("search", Gap::Paragraph, Role::Other),
    ("section", Gap::Paragraph, Role::Container),
    ("select", Gap::None, Role::Other),
    ("style", Gap::None, Role::Dropped),
    ("summary", Gap::Line, Role::Text),
    ("svg", Gap::None, Role::Dropped),
    ("table", Gap::Paragraph, Role::Container),
    ("tbody", Gap::Line, Role::Text),
    ("td", Gap::Cell, Role::Container),
    ("template", Gap::None, Role::Dropped),
    ("textarea", Gap::None, Role::Dropped),
    ("tfoot", Gap::Line, Role::Text),
    ("th", Gap::Cell, Role::Container),
    ("thead", Gap::Line, Role::Text),
    ("title", Gap::None, Role::Dropped),
    ("tr", Gap::Line, Role::Text),
    ("ul", Gap::Paragraph, Role::Container),
    ("video", Gap::None, Role::Dropped),
    ("xmp", Gap::Paragraph, Role::Preformatted),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for (index, (name, _, _)) in ELEMENTS.iter().enumerate() {
            assert_eq!(element(name.as_bytes()), Some(index), "{name}");
        }
        assert_eq!(element(b"span"), None);
    }
}
