//! Assembles rows from the pieces of pages.

use std::sync::Arc;

use crate::error::DumpError;
use crate::kind::{self, PageKind};
use crate::location::{Location, PageName};
use crate::losses::Losses;
use crate::options::{OnError, ReadOptions, Revisions};
use crate::pages::Piece;
use crate::schema::{Head, Page, Parsed, Revision, SiteInfo, Wanted, parse_revision};

/// A page that returns rows; if only the latest revision is requested, the latest one so far is kept.
#[derive(Debug)]
struct CurrentPage {
    head: Head,
    youngest: Option<Revision>,
    has_revision: bool,
}

/// The page being read, and the handling of faults in it.
#[derive(Debug)]
pub(super) struct Assembler {
    site: Arc<SiteInfo>,
    options: ReadOptions,
    /// `None` between pages, and in one that gives no rows.
    open: Option<CurrentPage>,
    /// Where the page starts.
    location: Location,
    /// The name of the last page whose end was seen, and of the one being read.
    whole: Option<PageName>,
    current: Option<PageName>,
}

impl Assembler {
    pub(super) fn new(site: Arc<SiteInfo>, options: ReadOptions) -> Self {
        Self {
            site,
            options,
            open: None,
            location: Location::File { byte: 0 },
            whole: None,
            current: None,
        }
    }

    pub(super) fn site(&self) -> &SiteInfo {
        &self.site
    }

    /// The last page whose end was seen.
    pub(super) fn last_whole(&self) -> Option<PageName> {
        self.whole.clone()
    }

    /// The page being read runs into bytes that are lost.
    pub(super) fn cut(&mut self, losses: &mut Losses) {
        losses.pages_cut += 1;
        self.open = None;
        self.current = None;
    }

    /// Adds a piece; returns a row if one is complete.
    pub(super) fn take(
        &mut self,
        piece: Piece<'_>,
        losses: &mut Losses,
    ) -> Result<Option<Page>, DumpError> {
        match piece {
            Piece::Head { bytes, location } => {
                self.location = location;
                self.enter(bytes, losses)?;
                Ok(None)
            }
            Piece::Revision(bytes) => self.revision(bytes, losses),
            Piece::LargeRevision => {
                if let Some(open) = &mut self.open {
                    open.has_revision = true;
                    self.large(losses)?;
                }
                Ok(None)
            }
            Piece::RevisionEnd => {
                if self.open.is_some() {
                    self.malformed("a revision has no start", losses)?;
                }
                Ok(None)
            }
            Piece::End => Ok(self.leave(losses)),
            Piece::Stray => {
                losses.pages_stray += 1;
                Ok(None)
            }
            Piece::Broken { reason, location } => {
                self.open = None;
                let page = self.current.take().unwrap_or_default();
                if self.options.on_error == OnError::Skip {
                    losses.pages_unclosed += 1;
                    return Ok(None);
                }
                Err(DumpError::UnclosedPage {
                    page,
                    location,
                    reason,
                })
            }
        }
    }

    fn enter(&mut self, bytes: &[u8], losses: &mut Losses) -> Result<(), DumpError> {
        self.open = None;
        self.current = None;
        match Head::parse(bytes, &self.site) {
            Ok(head) => {
                self.current = Some(head.name());
                losses.fields += head.unreadable;
                losses.not_utf8 += u64::from(head.not_utf8);
                let namespaces = self.options.namespaces.as_ref();
                if namespaces.is_none_or(|wanted| wanted.contains(&head.namespace)) {
                    self.open = Some(CurrentPage {
                        head,
                        youngest: None,
                        has_revision: false,
                    });
                }
                Ok(())
            }
            Err((page, reason)) => {
                self.current = Some(page);
                self.malformed(reason, losses)
            }
        }
    }

    fn revision(&mut self, bytes: &[u8], losses: &mut Losses) -> Result<Option<Page>, DumpError> {
        let Some(CurrentPage {
            head,
            youngest,
            has_revision,
        }) = &mut self.open
        else {
            return Ok(None);
        };
        *has_revision = true;
        let wanted = Wanted {
            text: self.options.text || self.options.kind || !self.options.redirects,
            after: youngest.as_ref().map(Revision::age),
        };
        match parse_revision(bytes, wanted) {
            Parsed::Older { is_dated } => {
                losses.fields += u64::from(!is_dated);
                Ok(None)
            }
            Parsed::TextCut(reason) => self.malformed(reason, losses).map(|()| None),
            Parsed::Revision(revision, faults) => {
                losses.fields += faults.unreadable;
                losses.not_utf8 += u64::from(faults.not_utf8);
                if self.options.revisions == Revisions::All {
                    return Ok(row(head.clone(), revision, &self.options));
                }
                *youngest = Some(revision);
                Ok(None)
            }
        }
    }

    fn leave(&mut self, losses: &mut Losses) -> Option<Page> {
        self.whole = self.current.take();
        let CurrentPage {
            head,
            youngest,
            has_revision,
        } = self.open.take()?;
        losses.pages_without_revision += u64::from(!has_revision);
        row(head, youngest?, &self.options)
    }

    /// Handles a fault in the page: the page is left out, or only the revision if all revisions are read.
    fn malformed(&mut self, reason: &'static str, losses: &mut Losses) -> Result<(), DumpError> {
        if self.options.on_error == OnError::Skip {
            losses.pages_malformed += 1;
            self.drop_page();
            return Ok(());
        }
        Err(DumpError::BadPage {
            page: self.current.clone().unwrap_or_default(),
            location: self.location,
            reason,
        })
    }

    fn large(&mut self, losses: &mut Losses) -> Result<(), DumpError> {
        if self.options.on_error == OnError::Skip {
            losses.pages_too_large += 1;
            self.drop_page();
            return Ok(());
        }
        Err(DumpError::TooLarge {
            page: self.current.clone().unwrap_or_default(),
            location: self.location,
            limit: self.options.max_page_bytes,
        })
    }

    fn drop_page(&mut self) {
        if self.options.revisions == Revisions::Latest {
            self.open = None;
        }
    }
}

/// The row of a revision; `None` if it is a redirect and redirects are left out.
fn row(head: Head, mut revision: Revision, options: &ReadOptions) -> Option<Page> {
    let (kind, redirect) = classify(&head, &revision, options);
    if kind == PageKind::Redirect && !options.redirects {
        return None;
    }
    if !options.text {
        revision.text = None;
    }
    Some(Page {
        id: head.id,
        namespace: head.namespace,
        title: head.title,
        kind,
        redirect,
        revision,
    })
}

/// The kind of a revision, and the target if it is a redirect.
///
/// The mark of a redirect belongs to the current page. In a history, older revisions count as redirects by their own
/// text; if the page has the mark, any word may precede the link.
fn classify(head: &Head, revision: &Revision, options: &ReadOptions) -> (PageKind, Option<String>) {
    let text = revision.text.as_deref();
    let target = text.and_then(|text| kind::redirect_target(text, head.is_redirect));
    let by_mark = head.is_redirect && (text.is_none() || options.revisions == Revisions::Latest);
    if by_mark || target.is_some() {
        let marked = head.redirect.clone().filter(|_| by_mark);
        return (
            PageKind::Redirect,
            marked.or_else(|| target.map(str::to_owned)),
        );
    }
    let is_wikitext = revision
        .model
        .as_deref()
        .is_none_or(|model| model == "wikitext");
    let kind = match text {
        _ if head.namespace != 0 || !is_wikitext => PageKind::Other,
        Some(text) if options.kind => kind::of_wikitext(&head.title, text),
        _ => PageKind::Article,
    };
    (kind, None)
}
