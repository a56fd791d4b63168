//! `COPY … TO` names that the engine knows no format for: `.jsonl`, `.ndjson`, `.tsv`, and compressed files.

use datafusion::catalog::Session;
use datafusion::common::{GetExt, Result, plan_err};
use datafusion::datasource::file_format::csv::CsvFormatFactory;
use datafusion::datasource::file_format::json::JsonFormatFactory;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory, format_as_file_type};
use datafusion::logical_expr::dml::CopyTo;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Extensions of compressed files and the compression that they stand for.
const COMPRESSIONS: [(&str, &str); 3] = [("gz", "gzip"), ("bz2", "bzip2"), ("zst", "zstd")];

/// The formats that are written under a further extension.
pub(crate) fn written_formats() -> impl Iterator<Item = Arc<dyn FileFormatFactory>> {
    let compressed = COMPRESSIONS.iter().map(|(extension, _)| *extension);
    let all = ["jsonl", "ndjson", "tsv"].into_iter().chain(compressed);
    all.map(|extension| Arc::new(Written { extension }) as Arc<dyn FileFormatFactory>)
}

/// Tells the engine how a compressed file is written, by both extensions of its name.
///
/// # Errors
/// If the extension before that of the compression is not one of a text format.
pub(super) fn compressed(copy: CopyTo) -> Result<CopyTo> {
    let extension = copy.file_type.get_ext();
    let known = COMPRESSIONS.iter().find(|(name, _)| *name == extension);
    let Some((_, compression)) = known else {
        return Ok(copy);
    };
    let inner = Path::new(&copy.output_url).file_stem().map(Path::new);
    let inner = inner
        .and_then(Path::extension)
        .and_then(|name| name.to_str());
    let inner = inner.unwrap_or_default().to_lowercase();
    let factory: Arc<dyn FileFormatFactory> = match inner.as_str() {
        "csv" => Arc::new(CsvFormatFactory::new()),
        "json" | "jsonl" | "ndjson" => Arc::new(JsonFormatFactory::new()),
        "tsv" => Arc::new(Written { extension: "tsv" }),
        _ => {
            return plan_err!(
                "COPY … TO '{}': compressed files are .csv, .tsv, .json and .jsonl files, as in rows.jsonl.{extension}",
                copy.output_url
            );
        }
    };
    let mut options = copy.options;
    let compression = (*compression).to_owned();
    options
        .entry("format.compression".to_owned())
        .or_insert(compression);
    Ok(CopyTo {
        file_type: format_as_file_type(factory),
        options,
        ..copy
    })
}

/// A format of the engine under another extension.
#[derive(Debug)]
struct Written {
    extension: &'static str,
}

impl Written {
    fn inner(&self) -> Arc<dyn FileFormatFactory> {
        match self.extension {
            "tsv" => Arc::new(CsvFormatFactory::new()),
            _ => Arc::new(JsonFormatFactory::new()),
        }
    }
}

impl GetExt for Written {
    fn get_ext(&self) -> String {
        self.extension.to_owned()
    }
}

impl FileFormatFactory for Written {
    fn create(
        &self,
        session: &dyn Session,
        options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let mut options = options.clone();
        match self.extension {
            "tsv" => drop(
                options
                    .entry("format.delimiter".to_owned())
                    .or_insert("\t".to_owned()),
            ),
            "jsonl" | "ndjson" => {}
            other => {
                return plan_err!("STORED AS {other}: this names a compression; name the format");
            }
        }
        self.inner().create(session, &options)
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        self.inner().default()
    }
}
