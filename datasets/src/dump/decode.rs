//! Decodes ranges of dumps.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::{Result, internal_datafusion_err};
use datafusion::datasource::table_schema::TableSchema;
use neardup_wikidump::{DumpReader, Losses};

use super::columns::{BatchBuilder, SiteColumns, dump_schema, index};
use super::losses::LossLog;
use super::options::DumpOptions;
use super::ranges::{Sites, failure};
use crate::files::{DecodeTask, Decoder, FormatSource};

/// A scan of dumps.
pub type DumpSource = FormatSource<DumpDecoder>;

/// Decodes dumps. Its state is the options and the header of each file.
#[derive(Debug, Clone)]
pub struct DumpDecoder {
    options: Arc<DumpOptions>,
    sites: Arc<Sites>,
    losses: LossLog,
}

impl DumpSource {
    /// A scan of all columns. `sites` has the header of each file under its path in the store.
    #[must_use]
    pub fn new(options: Arc<DumpOptions>, sites: Sites) -> Self {
        Self::with_losses(options, sites, LossLog::default())
    }

    /// A scan that also reports losses to `losses`.
    pub(super) fn with_losses(options: Arc<DumpOptions>, sites: Sites, losses: LossLog) -> Self {
        let decoder = DumpDecoder {
            options,
            sites: Arc::new(sites),
            losses,
        };
        Self::over(decoder, TableSchema::from(dump_schema()))
    }

    /// Returns and removes what scans in this process left out since the last call, by file.
    pub(super) fn take_losses(&self) -> Vec<(String, Losses)> {
        self.decoder().losses.take()
    }

    /// The options of reading.
    #[must_use]
    pub fn options(&self) -> &DumpOptions {
        &self.decoder().options
    }

    /// The headers of the files, by their path in the store.
    #[must_use]
    pub fn sites(&self) -> &Sites {
        &self.decoder().sites
    }
}

impl Decoder for DumpDecoder {
    fn name(&self) -> &str {
        "wikidump"
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.options.namespaces {
            None => write!(f, ", namespaces=all")?,
            Some(namespaces) => write!(f, ", namespaces={namespaces:?}")?,
        }
        write!(f, ", redirects={}", self.options.redirects)?;
        write!(f, ", revisions={:?}", self.options.revisions)
    }

    fn decode(&self, task: &DecodeTask) -> Result<()> {
        let fail = |error| failure(&task.file, error);
        let location = task.file.meta.location.as_ref();
        let site = self.sites.get(location).ok_or_else(|| {
            internal_datafusion_err!("{location}: the scan does not have the header of this file")
        })?;
        let wants = |column| task.columns.contains(&column);
        let options = self.options.reader(
            wants(index::WIKITEXT),
            wants(index::KIND) || wants(index::REDIRECT),
        );
        let range = task.range.clone();
        let mut reader =
            DumpReader::open(task.open()?, range, Arc::clone(site), options).map_err(fail)?;
        let site_columns = SiteColumns::new(site, self.options.language.as_deref());
        let mut rows = BatchBuilder::new(&task.columns, site_columns, task.max_rows)?;
        let mut outcome = Ok(());
        for page in reader.by_ref() {
            match page {
                Ok(page) => rows.push(&page),
                Err(error) => {
                    outcome = Err(fail(error));
                    break;
                }
            }
            if rows.is_full() && !task.send(rows.finish()) {
                break;
            }
        }
        self.report(task, reader.losses());
        if task.is_cancelled() {
            // The consumer is gone: neither the remaining rows nor the cancellation error are needed.
            return Ok(());
        }
        if !rows.is_empty() {
            task.send(rows.finish());
        }
        outcome
    }
}

impl DumpDecoder {
    fn report(&self, task: &DecodeTask, losses: &Losses) {
        if *losses == Losses::default() {
            return;
        }
        self.losses.add(&task.file.name, losses);
        for (name, count) in [
            ("skipped_blocks", losses.blocks),
            ("skipped_bytes", losses.bytes),
            ("skipped_pages", losses.pages()),
            ("skipped_fields", losses.fields),
            ("stray_page_tags", losses.pages_stray),
            ("pages_without_revision", losses.pages_without_revision),
            ("files_without_footer", losses.without_footer),
            ("texts_not_utf8", losses.not_utf8),
            ("null_bytes", losses.null_bytes),
        ] {
            if count > 0 {
                let counter = task.counter(name);
                counter.add(usize::try_from(count).unwrap_or(usize::MAX));
            }
        }
        if !losses.is_empty() {
            let Range { start, end } = task.range;
            log::warn!("{}: bytes {start} to {end}: {losses}", task.file.name);
        }
    }
}
