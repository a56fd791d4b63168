//! The reader: returns the rows of one byte range of one dump.

mod assembler;

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use crate::container::{Container, check_encoding};
use crate::error::DumpError;
use crate::input::Input;
use crate::losses::Losses;
use crate::options::{OnError, ReadOptions};
use crate::pages::PageScanner;
use crate::schema::{Page, SiteInfo};
use crate::source::ReadAt;
use assembler::Assembler;

/// Bytes of XML in which the header of a dump must end.
const HEADER_LIMIT: usize = 1 << 20;

/// Properties of a dump that are known before its pages are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpInfo {
    /// How the XML is stored.
    pub container: Container,
    /// The content of the header; the default for a dump without one.
    pub site: SiteInfo,
}

impl DumpInfo {
    /// Reads the header of a dump. No more is decoded than the header needs, which is one bz2
    /// block.
    ///
    /// # Errors
    ///
    /// Files that are no dump (see [`Container::detect`]), XML that begins neither with an export nor with a page, XML in
    /// another encoding than UTF-8, and faults of the storage or of the container in the header. With [`OnError::Skip`] the latter
    /// leave the header unread instead.
    pub fn read(source: &Arc<dyn ReadAt>, on_error: OnError) -> Result<Self, DumpError> {
        let container = Container::detect(&**source)?;
        let whole = 0..source.len();
        let mut input = Input::new(Arc::clone(source), container, whole, on_error);
        let mut losses = Losses::default();
        let mut xml = Vec::new();
        let mut has_gap = false;
        while xml.len() < HEADER_LIMIT && !SiteInfo::is_complete(&xml) {
            let Some(chunk) = input.next_chunk(false, &mut losses)? else {
                has_gap = input.ended_in_gap();
                break;
            };
            if chunk.gap {
                has_gap = true;
                break;
            }
            let left = HEADER_LIMIT - xml.len();
            xml.extend_from_slice(&chunk.bytes[..chunk.bytes.len().min(left)]);
        }
        check_encoding(&xml)?;
        // An empty file is the empty part of a dump.
        let is_unread = has_gap || xml.is_empty();
        if !is_unread && !SiteInfo::is_complete(&xml) && memmem::find(&xml, b"<mediawiki").is_none()
        {
            return Err(DumpError::NoPages);
        }
        Ok(Self {
            container,
            site: SiteInfo::parse(&xml),
        })
    }
}

/// Reads the pages of one byte range of a dump; an iterator of rows in the order of the file.
///
/// A page belongs to the range in which its first byte lies, or, in bz2, in which the block starts
/// that holds its first byte; in gzip all pages belong to the range that holds byte 0. So ranges
/// that together cover a file return each row exactly once, wherever the file is split. Ranges may be empty or extend
/// past the end of the file.
///
/// After an error the iterator is at its end. Dropping it stops all work.
pub struct DumpReader {
    input: Input,
    scanner: PageScanner,
    assembler: Assembler,
    losses: Losses,
    /// No more bytes come.
    drained: bool,
    done: bool,
}

impl DumpReader {
    /// Opens a range of bytes of the file. `site` is the header of the dump, which the range may
    /// not hold; see [`DumpInfo::read`].
    ///
    /// # Errors
    ///
    /// Files that are no dump, and errors of the storage.
    pub fn open(
        source: Arc<dyn ReadAt>,
        range: Range<u64>,
        site: Arc<SiteInfo>,
        options: ReadOptions,
    ) -> Result<Self, DumpError> {
        let container = Container::detect(&*source)?;
        let from_start = range.contains(&0);
        Ok(Self {
            input: Input::new(source, container, range, options.on_error),
            scanner: PageScanner::new(options.max_page_bytes, from_start),
            losses: Losses::default(),
            assembler: Assembler::new(site, options),
            drained: false,
            done: false,
        })
    }

    /// Opens a whole file with the header that it has.
    ///
    /// # Errors
    ///
    /// Those of [`DumpInfo::read`] and [`DumpReader::open`].
    pub fn open_whole(source: Arc<dyn ReadAt>, options: ReadOptions) -> Result<Self, DumpError> {
        let info = DumpInfo::read(&source, options.on_error)?;
        let range = 0..source.len();
        Self::open(source, range, Arc::new(info.site), options)
    }

    /// The header that the reader was opened with.
    #[must_use]
    pub fn site(&self) -> &SiteInfo {
        self.assembler.site()
    }

    /// The losses so far.
    #[must_use]
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    fn read_next(&mut self) -> Result<Option<Page>, DumpError> {
        loop {
            while let Some(piece) = self.scanner.next_piece() {
                if let Some(page) = self.assembler.take(piece, &mut self.losses)? {
                    return Ok(Some(page));
                }
            }
            if self.drained || self.scanner.is_done() {
                return Ok(None);
            }
            self.read_chunk()?;
        }
    }

    /// Passes a chunk on to the scanner.
    fn read_chunk(&mut self) -> Result<(), DumpError> {
        let idle = self.scanner.idle();
        if let Some(chunk) = self.input.next_chunk(idle, &mut self.losses)? {
            while chunk.gap && self.scanner.gap().is_some() {
                self.assembler.cut(&mut self.losses);
            }
            if chunk.owned {
                let nulls = memchr::memchr_iter(0, chunk.bytes).count();
                self.losses.null_bytes += u64::try_from(nulls).unwrap_or(u64::MAX);
            }
            self.scanner.push(chunk.bytes, chunk.location, chunk.owned);
            return Ok(());
        }
        self.drained = true;
        if self.input.ended_in_gap() {
            while self.scanner.gap().is_some() {
                self.assembler.cut(&mut self.losses);
            }
            return Ok(());
        }
        while let Some(piece) = self.scanner.finish() {
            self.assembler.take(piece, &mut self.losses)?;
        }
        if *self.assembler.site() != SiteInfo::default() && self.input.lacks_footer()? {
            self.losses.without_footer += 1;
        }
        Ok(())
    }
}

impl Iterator for DumpReader {
    type Item = Result<Page, DumpError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.read_next() {
            Ok(Some(page)) => Some(Ok(page)),
            Ok(None) => {
                self.done = true;
                None
            }
            Err(error) => {
                self.done = true;
                Some(Err(match error {
                    DumpError::Truncated { offset, .. } => DumpError::Truncated {
                        offset,
                        last: self.assembler.last_whole(),
                    },
                    other => other,
                }))
            }
        }
    }
}
