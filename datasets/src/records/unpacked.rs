//! The decompressed bytes of a file.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::common::Result;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use flate2::bufread::GzDecoder;
use neardup_wikidump::{ReadAt, SequentialReader};

/// Number of bytes of a gzip file that are read at a time.
const READ: usize = 1 << 16;

/// What a compression is called, and the bytes with which its files begin, by the end of their names.
fn known(ending: &str) -> (&'static str, &'static [u8]) {
    match ending {
        "gz" => ("gzip", &b"\x1F\x8B"[..]),
        "zst" => ("Zstandard", &b"\x28\xB5\x2F\xFD"[..]),
        _ => ("bzip2", &b"BZh"[..]),
    }
}

/// The bytes of a file, decompressed if it is compressed: `gz`, `zst` or `bz2`.
pub(super) fn open(
    bytes: Arc<dyn ReadAt>,
    compression: Option<(&str, FileCompressionType)>,
) -> Result<Box<dyn Read + Send>> {
    let failed = Arc::new(AtomicBool::new(false));
    let file = StoredBytes {
        bytes: SequentialReader::new(Arc::clone(&bytes), 0),
        failed: Arc::clone(&failed),
    };
    let Some((ending, compression)) = compression else {
        return Ok(Box::new(file));
    };
    let inner: Box<dyn Read + Send> = match ending {
        "gz" => Box::new(Gzip::new(file)),
        _ => compression.convert_read(file)?,
    };
    Ok(Box::new(Unpacked {
        inner,
        file: bytes,
        ending: ending.to_owned(),
        failed,
    }))
}

/// The bytes of a file as it is stored.
struct StoredBytes {
    bytes: SequentialReader,
    /// Set if the storage reports an error.
    failed: Arc<AtomicBool>,
}

impl Read for StoredBytes {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buf);
        if matches!(&read, Err(error) if error.kind() != io::ErrorKind::Interrupted) {
            self.failed.store(true, Ordering::Relaxed);
        }
        read
    }
}

/// A decompressed file, whose errors say what is wrong with it.
struct Unpacked {
    inner: Box<dyn Read + Send>,
    file: Arc<dyn ReadAt>,
    ending: String,
    /// Whether an error is one of the storage and not of the decompression.
    failed: Arc<AtomicBool>,
}

impl Unpacked {
    fn explained(&self, error: &io::Error) -> io::Error {
        let (compression, magic) = known(&self.ending);
        let start = SequentialReader::new(Arc::clone(&self.file), 0);
        let mut found = Vec::new();
        let read = start.take(magic.len() as u64).read_to_end(&mut found);
        let is_other = read.is_ok() && !found.is_empty() && found != magic;
        let text = match is_other {
            true => format!(
                "the file is not compressed with {compression}, though its name ends in .{}",
                self.ending
            ),
            false => format!("the compressed file is cut off or damaged ({error})"),
        };
        io::Error::new(error.kind(), text)
    }
}

impl Read for Unpacked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buf) {
            Err(error)
                if error.kind() != io::ErrorKind::Interrupted
                    && !self.failed.load(Ordering::Relaxed) =>
            {
                Err(self.explained(&error))
            }
            read => read,
        }
    }
}

/// A gzip file: its members, one after the other. As for gunzip, NULs may follow the last one, with which some programs
/// fill the last block of a file.
struct Gzip {
    /// The member that is read; `None` at the end of the file.
    member: Option<Box<GzDecoder<BufReader<StoredBytes>>>>,
    /// Whether NULs follow the member.
    is_padded: bool,
}

impl Gzip {
    fn new(file: StoredBytes) -> Self {
        let file = BufReader::with_capacity(READ, file);
        Self {
            member: Some(Box::new(GzDecoder::new(file))),
            is_padded: false,
        }
    }
}

impl Read for Gzip {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(member) = &mut self.member else {
                return Ok(0);
            };
            let count = member.read(buf)?;
            if count > 0 {
                return Ok(count);
            }
            let file = member.get_mut();
            let rest = file.fill_buf()?;
            let nuls = rest.iter().take_while(|byte| **byte == 0).count();
            if rest.is_empty() {
                self.member = None;
            } else if nuls > 0 {
                file.consume(nuls);
                self.is_padded = true;
            } else if self.is_padded {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "other bytes follow the NULs after the compressed ones",
                ));
            } else if let Some(ended) = self.member.take() {
                self.member = Some(Box::new(GzDecoder::new(ended.into_inner())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::str::FromStr;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("written");
        encoder.finish().expect("an end")
    }

    fn unpacked(bytes: &[u8], ending: &str) -> io::Result<String> {
        let compression = FileCompressionType::from_str(ending).expect("a compression");
        let bytes: Arc<dyn ReadAt> = Arc::new(bytes.to_vec());
        let mut text = String::new();
        open(bytes, Some((ending, compression)))
            .expect("a reader")
            .read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn nuls_may_follow_the_members_of_a_gzip_file() {
        let two = [gzip("one "), gzip("two")].concat();
        let padding = [0; 3 * READ];
        for count in [0, 1, 7, 512, padding.len()] {
            let padded = [&two[..], &padding[..count]].concat();
            assert_eq!(unpacked(&padded, "gz").expect("text"), "one two", "{count}");
        }
        for after in [&b"\0x"[..], b"x", &[&b"\0"[..], &gzip("three")].concat()] {
            let error = unpacked(&[&two[..], after].concat(), "gz").expect_err("other bytes");
            let error = error.to_string();
            assert!(error.contains("cut off or damaged"), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_compressed_file_is_said() {
        let whole = gzip(&"some text ".repeat(1000));
        for (bytes, ending, said) in [
            (&whole[..whole.len() / 2], "gz", "cut off or damaged ("),
            (&whole[..whole.len() - 3], "gz", "cut off or damaged ("),
            (
                b"id,text\n",
                "gz",
                "is not compressed with gzip, though its name ends in .gz",
            ),
            (
                b"id,text\n",
                "zst",
                "is not compressed with Zstandard, though",
            ),
            (b"id,text\n", "bz2", "is not compressed with bzip2, though"),
            (b"\x28\xB5\x2F\xFD\x24", "zst", "cut off or damaged ("),
            (b"BZh91AY&SY", "bz2", "cut off or damaged ("),
        ] {
            let error = unpacked(bytes, ending).expect_err(said).to_string();
            assert!(error.contains(said), "{ending}: {error}");
        }
    }
}
