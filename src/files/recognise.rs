//! Recognises the kind of a file by its first bytes, if its name does not tell it.

use super::{Kind, Location};
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::ObjectStoreExt;
use std::io::Read;
use std::str::FromStr;

/// Number of bytes by which the kind of a file is recognised.
const START_BYTES: u64 = 4 << 10;
/// Number of bytes of a compressed file that are read: more than the largest block of bz2.
const PACKED_BYTES: u64 = 1 << 20;

/// Compressions and the bytes that their files begin with.
const PACKED: [(&str, &[u8]); 3] = [
    ("gz", b"\x1F\x8B"),
    ("zst", b"\x28\xB5\x2F\xFD"),
    ("bz2", b"BZh"),
];

/// The kind and the compression of a file; no kind if its first bytes are not known.
pub(super) async fn kind(
    file: &Location,
    runtime: &RuntimeEnv,
) -> Result<(Option<Kind>, &'static str)> {
    let size = file.head(runtime).await?.size;
    let start = read(file, size.min(START_BYTES), runtime).await?;
    let packed = PACKED.iter().find(|(_, magic)| start.starts_with(magic));
    Ok(match packed {
        None if start.starts_with(b"PAR1") => (Some(Kind::Parquet), ""),
        None => (of_text(&start), ""),
        Some((compression, _)) => {
            let start = read(file, size.min(PACKED_BYTES), runtime).await?;
            let kind = unpacked(compression, start).and_then(|start| of_text(&start));
            // Dumps are not read from zst.
            let kind = kind.filter(|kind| (*kind, *compression) != (Kind::Dump, "zst"));
            (kind, *compression)
        }
    })
}

/// For a file with the extension of Parquet and other contents: its kind, and what to do, if its first bytes are known.
pub(super) async fn instead_of_parquet(
    file: &Location,
    runtime: &RuntimeEnv,
) -> Option<&'static str> {
    let size = file.head(runtime).await.ok()?.size;
    let start = read(file, size.min(START_BYTES), runtime).await.ok()?;
    if PACKED.iter().any(|(_, magic)| start.starts_with(magic)) {
        return Some("the file is compressed by its first bytes; unpack it first");
    }
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C);
    if start.iter().any(is_control) {
        return None;
    }
    Some(match of_text(&start) {
        Some(Kind::Json) => {
            "the file is JSON and not Parquet by its first bytes; rename it to .jsonl"
        }
        Some(Kind::Dump) => {
            "the file is a MediaWiki dump and not Parquet by its first bytes; rename it to .xml"
        }
        _ => {
            "the file is text and not Parquet by its first bytes; rename it to .csv or .tsv if it is a table, or to .txt"
        }
    })
}

async fn read(file: &Location, bytes: u64, runtime: &RuntimeEnv) -> Result<Vec<u8>> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let (store, path) = file.store(runtime)?;
    let start = store.get_range(&path, 0..bytes).await;
    let start = start.map_err(|error| exec_datafusion_err!("{file}: {error}"))?;
    Ok(start.to_vec())
}

/// The first bytes after decompression.
fn unpacked(compression: &str, packed: Vec<u8>) -> Option<Vec<u8>> {
    let compression = FileCompressionType::from_str(compression).ok()?;
    let mut reader = compression
        .convert_read(std::io::Cursor::new(packed))
        .ok()?;
    let mut start = vec![0; START_BYTES as usize];
    let mut filled = 0;
    // The input may end within a block, which is an error of the decompression.
    while let Ok(count) = reader.read(&mut start[filled..])
        && count > 0
    {
        filled += count;
    }
    start.truncate(filled);
    Some(start)
}

fn of_text(start: &[u8]) -> Option<Kind> {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let text = text.trim_ascii_start();
    match text.first()? {
        b'{' | b'[' => Some(Kind::Json),
        b'<' => {
            let root = b"<mediawiki";
            let is_export = text.windows(root.len()).any(|bytes| bytes == root);
            is_export.then_some(Kind::Dump)
        }
        _ => None,
    }
}
