//! Formats of `COPY … TO` that the engine does not know: `.jsonl`, `.ndjson`, `.tsv`, and compressed files.

use datafusion::catalog::Session;
use datafusion::common::parsers::CompressionTypeVariant;
use datafusion::common::{GetExt, Result, plan_err};
use datafusion::datasource::file_format::csv::CsvFormatFactory;
use datafusion::datasource::file_format::json::JsonFormatFactory;
use datafusion::datasource::file_format::parquet::ParquetFormatFactory;
use datafusion::datasource::file_format::{
    FileFormat, FileFormatFactory, file_type_to_format, format_as_file_type,
};
use datafusion::logical_expr::dml::CopyTo;
use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// Extensions of compressed files and their compression.
const COMPRESSIONS: [(&str, &str); 3] = [("gz", "gzip"), ("bz2", "bzip2"), ("zst", "zstd")];

/// The formats that are written under a further extension.
pub(crate) fn written_formats() -> impl Iterator<Item = Arc<dyn FileFormatFactory>> {
    let compressed = COMPRESSIONS.iter().map(|(extension, _)| *extension);
    let all = ["jsonl", "ndjson", "tsv"].into_iter().chain(compressed);
    all.map(|extension| Arc::new(Written { extension }) as Arc<dyn FileFormatFactory>)
}

/// How a file is written by its name: the extension of a compression adds the compression.
///
/// # Errors
/// If the format of the statement contradicts the name of the file, which could then not be read back, or if the name is
/// that of a pipe or a device, in whose place a file would be put.
pub(super) fn by_name(copy: CopyTo) -> Result<CopyTo> {
    let found = std::fs::metadata(&copy.output_url);
    if found.is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return plan_err!(
            "COPY … TO '{}': it is a pipe or a device, neither a file nor a directory",
            copy.output_url
        );
    }
    let factory = file_type_to_format(&copy.file_type)?;
    let is_known = factory.downcast_ref::<CsvFormatFactory>().is_some()
        || factory.downcast_ref::<JsonFormatFactory>().is_some()
        || factory.downcast_ref::<ParquetFormatFactory>().is_some()
        || factory.downcast_ref::<Written>().is_some();
    if !is_known {
        // For example, the statement was sent and checked by a client.
        return Ok(copy);
    }
    let format = copy.file_type.get_ext();
    let name = copy.output_url.to_lowercase();
    let directory = name.ends_with('/') || Path::new(&name).extension().is_none();
    let compression = COMPRESSIONS.iter().find(|(extension, _)| {
        name.strip_suffix(extension)
            .is_some_and(|rest| rest.ends_with('.'))
    });
    let stated = COMPRESSIONS
        .iter()
        .any(|(extension, _)| *extension == format);
    if directory && (format == "tsv" || stated) {
        return plan_err!(
            "COPY … TO '{}' STORED AS {format}: files of a directory are Parquet, CSV or JSON; a file may be named, as in 'rows.tsv'",
            copy.output_url
        );
    }
    let inner = match compression {
        Some((extension, _)) => &name[..name.len() - extension.len() - 1],
        None => &name,
    };
    let inner = Path::new(inner).extension().and_then(|name| name.to_str());
    let named = if directory {
        None
    } else {
        inner.and_then(family)
    };
    let family = match (named, family(&format)) {
        (Some("parquet") | None, _) if compression.is_some() => {
            return plan_err!(
                "COPY … TO '{}': compressed files are .csv, .tsv, .json and .jsonl files, as in rows.jsonl.gz",
                copy.output_url
            );
        }
        (Some(named), Some(format)) if named != format => {
            return plan_err!(
                "COPY … TO '{}' STORED AS {format}: the name is that of a {named} file",
                copy.output_url
            );
        }
        (named, format) => named.or(format),
    };
    let Some((_, compression)) = compression else {
        return Ok(copy);
    };
    let factory: Arc<dyn FileFormatFactory> = match family {
        Some("tsv") => Arc::new(Written { extension: "tsv" }),
        Some("json") => Arc::new(JsonFormatFactory::new()),
        _ => Arc::new(CsvFormatFactory::new()),
    };
    let mut options = copy.options;
    let given = options.entry("format.compression".to_owned());
    let given = given.or_insert((*compression).to_owned());
    if CompressionTypeVariant::from_str(given).ok()
        != CompressionTypeVariant::from_str(compression).ok()
    {
        return plan_err!(
            "COPY … TO '{}': the compression {given} contradicts the name",
            copy.output_url
        );
    }
    Ok(CopyTo {
        file_type: format_as_file_type(factory),
        options,
        ..copy
    })
}

/// The format that readers take an extension for.
fn family(extension: &str) -> Option<&'static str> {
    match extension {
        "csv" => Some("csv"),
        "tsv" => Some("tsv"),
        "json" | "jsonl" | "ndjson" => Some("json"),
        "parquet" => Some("parquet"),
        _ => None,
    }
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
