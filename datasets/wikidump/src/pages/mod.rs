//! Finds pages and their revisions in decoded XML that arrives in chunks of any size.
//!
//! `<` is always escaped in the text of a dump, so the tags are found by byte search. A `<page>` whose title is
//! complete (`</title>` comes before another tag of a page or revision) starts a page; the page is complete if
//! `</page>` comes before the next start. This does not depend on anything before the page, so the result does not
//! depend on where reading started, and reading continues after malformed parts. Whether a `</page>` ends a page does
//! depend on what is before it: where that is not read, the first one is taken to end a page, and the reader of the range
//! before follows the dump to it. A page is returned in pieces, its head
//! and each of its revisions, so that the history of a page need not fit in memory. The content of a piece is not
//! parsed here.

mod segments;

use crate::location::Location;
use memchr::memmem;
use segments::Segments;

/// Start tags are without their end, since they may have attributes.
const PAGE: &[u8] = b"<page";
const PAGE_END: &[u8] = b"</page>";
const REVISION: &[u8] = b"<revision";
const REVISION_END: &[u8] = b"</revision>";
const TITLE_END: &[u8] = b"</title>";

/// A part of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// From `<page>` to the first revision or to the end of the page.
    Head { bytes: &'a [u8], location: Location },
    /// From `<revision>` to `</revision>`.
    Revision(&'a [u8]),
    /// A revision above the limit, whose bytes are not kept.
    LargeRevision,
    /// The page is whole.
    End,
    /// A `<page>` without a title, which starts no page, a `</page>` that ends none, or a title outside pages.
    Stray,
    /// The end of a revision whose start was not seen.
    RevisionEnd,
    /// The page has no end.
    Broken {
        reason: &'static str,
        location: Location,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Outside pages, or in a page whose start was not seen or was malformed.
    Unknown,
    Outside,
    /// In the head of a page, which starts at the kept position.
    Head,
    /// In a page, after its head, outside revisions.
    Between,
    /// In a revision, which starts at the kept position.
    Revision,
    /// In a revision whose bytes are dropped.
    Large,
    /// A page starts that belongs to another range.
    Foreign,
}

/// The scanner. Feed it with [`PageScanner::push`], then take pieces until there are none.
#[derive(Debug)]
pub(crate) struct PageScanner {
    /// Bytes that are still needed.
    bytes: Vec<u8>,
    /// Decoded offset of the first of them.
    base: u64,
    /// Where to continue to search for tags.
    scan: usize,
    /// Where the current piece starts; equals `scan` if there is none.
    kept: usize,
    state: State,
    segments: Segments,
    /// Where the page starts.
    page: Location,
    /// Where a `<page>` lies whose title has not ended yet.
    start: Option<usize>,
    /// The end of a page was found with its head.
    end_owed: bool,
    limit: usize,
}

impl PageScanner {
    /// `limit` is the largest head or revision that is kept, in bytes; `from_start` says whether the first byte to come
    /// is that of the dump.
    pub(crate) fn new(limit: usize, from_start: bool) -> Self {
        Self {
            bytes: Vec::new(),
            base: 0,
            scan: 0,
            kept: 0,
            state: if from_start {
                State::Outside
            } else {
                State::Unknown
            },
            segments: Segments::default(),
            page: Location::File { byte: 0 },
            start: None,
            end_owed: false,
            limit,
        }
    }

    /// Adds decoded bytes, the first of which lies at `location`. Pages that start in a chunk that
    /// is not `owned` end the scan.
    pub(crate) fn push(&mut self, chunk: &[u8], location: Location, owned: bool) {
        if self.kept > 0 {
            self.bytes.drain(..self.kept);
            self.base += self.kept as u64;
            self.scan -= self.kept;
            self.start = self.start.map(|start| start - self.kept);
            self.kept = 0;
            self.segments.forget_before(self.base);
        }
        self.segments
            .push(self.base + self.bytes.len() as u64, location, owned);
        self.bytes.extend_from_slice(chunk);
    }

    /// Reports that bytes are missing between those pushed and the next ones. Returns the location of a page that is cut
    /// by the gap; to be called until there is none.
    pub(crate) fn gap(&mut self) -> Option<Location> {
        if self.in_page() {
            self.state = State::Unknown;
            return Some(self.page);
        }
        let start = self.start.take().map(|start| self.base + start as u64);
        let cut = match start {
            Some(start) if self.segments.owned(start) => Some(self.segments.location(start)),
            _ => None,
        };
        self.base += self.bytes.len() as u64;
        self.bytes.clear();
        (self.scan, self.kept) = (0, 0);
        self.segments.clear();
        if self.state != State::Foreign {
            self.state = State::Unknown;
        }
        cut
    }

    /// Ends the input. Returns a page that has no end; to be called until there is none.
    pub(crate) fn finish(&mut self) -> Option<Piece<'static>> {
        let location = self.gap()?;
        Some(Piece::Broken {
            reason: "the dump ends first",
            location,
        })
    }

    /// Whether no page that starts in an owned chunk is unfinished. Outside of a page, the next tag of an owned chunk
    /// has not been read, which may be a stray end tag.
    pub(crate) fn idle(&self) -> bool {
        match self.state {
            State::Foreign => true,
            State::Unknown => {
                let next = self.start.unwrap_or(self.scan);
                next == self.bytes.len() || !self.segments.owned(self.base + next as u64)
            }
            _ => false,
        }
    }

    /// Whether a page of another range was met, after which nothing of this one comes.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Foreign
    }

    fn in_page(&self) -> bool {
        !matches!(self.state, State::Unknown | State::Outside | State::Foreign)
    }

    /// The next piece of what was pushed.
    pub(crate) fn next_piece(&mut self) -> Option<Piece<'_>> {
        if self.end_owed {
            self.end_owed = false;
            return Some(Piece::End);
        }
        loop {
            let tags: &[&[u8]] = match self.state {
                State::Foreign => return None,
                _ if self.start.is_some() => &[TITLE_END, REVISION, REVISION_END, PAGE_END, PAGE],
                State::Unknown => &[PAGE_END, PAGE],
                State::Outside => &[PAGE_END, PAGE, TITLE_END],
                State::Head => &[REVISION, PAGE_END, PAGE],
                State::Between => &[REVISION, REVISION_END, PAGE_END, PAGE, TITLE_END],
                State::Revision | State::Large => &[REVISION_END, PAGE_END, PAGE],
            };
            let found = self.find_tag(tags);
            let seen = found.map_or(self.scan, |(at, tag)| at + tag.len());
            if matches!(self.state, State::Head | State::Revision) && seen - self.kept > self.limit
            {
                if let Some(piece) = self.drop_large() {
                    return Some(piece);
                }
                continue;
            }
            if let Some(start) = self.start {
                let is_start = matches!(found, Some((_, TITLE_END)));
                if seen - start > self.limit || (found.is_some() && !is_start) {
                    if let Some(piece) = self.drop_start(start) {
                        return Some(piece);
                    }
                    continue;
                }
                if is_start {
                    self.scan = seen;
                    if let Some(piece) = self.begin(start) {
                        return Some(piece);
                    }
                    continue;
                }
            }
            let Some((at, tag)) = found else {
                if !matches!(self.state, State::Head | State::Revision) {
                    self.kept = self.start.unwrap_or(self.scan);
                }
                return None;
            };
            self.scan = seen;
            if tag == PAGE {
                if self.state == State::Unknown && !self.segments.owned(self.base + at as u64) {
                    self.state = State::Foreign;
                }
                self.start = Some(at);
                continue;
            }
            let piece = match (self.state, tag) {
                (State::Unknown, _) => {
                    self.leave(at);
                    continue;
                }
                (State::Outside, TITLE_END) => {
                    // The end of that page, if there is one, is not counted again.
                    self.state = State::Unknown;
                    Piece::Stray
                }
                (State::Outside, _) => {
                    self.leave(at);
                    Piece::Stray
                }
                (State::Head, _) => {
                    let bytes = self.kept..at;
                    self.kept = at;
                    self.enter(tag, at);
                    Piece::Head {
                        bytes: &self.bytes[bytes],
                        location: self.page,
                    }
                }
                (State::Between, REVISION) => {
                    self.kept = at;
                    self.state = State::Revision;
                    continue;
                }
                (State::Between, REVISION_END) => Piece::RevisionEnd,
                (State::Between, TITLE_END) => {
                    self.state = State::Unknown;
                    Piece::Broken {
                        reason: "the title of another page comes first",
                        location: self.page,
                    }
                }
                (State::Between, _) => {
                    self.leave(at);
                    Piece::End
                }
                (State::Revision, REVISION_END) => {
                    self.state = State::Between;
                    Piece::Revision(&self.bytes[self.kept..self.scan])
                }
                (State::Large, REVISION_END) => {
                    self.state = State::Between;
                    Piece::LargeRevision
                }
                _ => {
                    self.leave(at);
                    Piece::Broken {
                        reason: "it ends inside a revision",
                        location: self.page,
                    }
                }
            };
            return Some(piece);
        }
    }

    /// Nothing is open after the `</page>` at `at`. What follows one in another range belongs to that range.
    fn leave(&mut self, at: usize) {
        self.state = match self.segments.owned(self.base + at as u64) {
            true => State::Outside,
            false => State::Foreign,
        };
    }

    /// What follows the head of a page.
    fn enter(&mut self, tag: &[u8], at: usize) {
        if tag == REVISION {
            self.state = State::Revision;
        } else {
            self.leave(at);
            self.end_owed = true;
        }
    }

    /// A page starts. Gives the one that it leaves without an end.
    fn begin(&mut self, start: usize) -> Option<Piece<'static>> {
        let broken = self.in_page().then_some(self.page);
        let offset = self.base + start as u64;
        self.start = None;
        self.kept = start;
        if self.segments.owned(offset) {
            self.state = State::Head;
            self.page = self.segments.location(offset);
        } else {
            self.state = State::Foreign;
        }
        broken.map(|location| Piece::Broken {
            reason: "another page starts first",
            location,
        })
    }

    /// A `<page>` has no title.
    fn drop_start(&mut self, start: usize) -> Option<Piece<'static>> {
        self.start = None;
        if self.state == State::Outside {
            // Its end, if there is one, is not counted again.
            self.state = State::Unknown;
        }
        let owned = self.segments.owned(self.base + start as u64);
        owned.then_some(Piece::Stray)
    }

    /// The piece being looked for is above the limit.
    fn drop_large(&mut self) -> Option<Piece<'static>> {
        if self.state == State::Revision {
            self.state = State::Large;
            return None;
        }
        self.state = State::Unknown;
        Some(Piece::Broken {
            reason: "its head is above the limit (max_page_bytes)",
            location: self.page,
        })
    }

    /// The first of the tags at or after `scan`. Without one, `scan` moves to where more bytes are
    /// needed to tell.
    fn find_tag(&mut self, tags: &[&'static [u8]]) -> Option<(usize, &'static [u8])> {
        for at in memchr::memchr_iter(b'<', &self.bytes[self.scan..]) {
            let at = self.scan + at;
            let rest = &self.bytes[at..];
            if let Some(tag) = tags.iter().find(|tag| is_tag(rest, tag)) {
                return Some((at, tag));
            }
            if tags.iter().any(|tag| tag.starts_with(rest)) {
                self.scan = at;
                return None;
            }
        }
        self.scan = self.bytes.len();
        None
    }
}

/// Whether XML starts with a tag, the name of which ends there, and which is not that of an empty element.
fn is_tag(xml: &[u8], tag: &[u8]) -> bool {
    let after = xml.strip_prefix(tag).map(<[u8]>::first);
    let is_whole = tag.ends_with(b">");
    after.is_some_and(|next| is_whole || matches!(next, Some(b'>' | b' ' | b'\t' | b'\r' | b'\n')))
}

/// Where the first `<page>` of some XML lies, with or without attributes.
pub(crate) fn first_page(xml: &[u8]) -> Option<usize> {
    memmem::find_iter(xml, PAGE).find(|&at| is_tag(&xml[at..], PAGE))
}

#[cfg(test)]
mod tests;
