//! Small files that expand to large ones: they are read in bounded memory, or rejected with an error message.

use bzip2::Compression;
use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use libtest_mimic::{Failed, Trial};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let bombs: &[(&str, Bomb, Expected)] = &[
        (
            "a page of 2 GB in bz2",
            page_in_bzip2,
            Expected::Error("(max_page_bytes)"),
        ),
        (
            "a page of 2 GB in gzip",
            page_in_gzip,
            Expected::Error("(max_page_bytes)"),
        ),
        (
            "2 GB of nothing in bz2",
            nothing_in_bzip2,
            Expected::Rows(1),
        ),
        (
            "entities that stand for entities",
            entities,
            Expected::Rows(1),
        ),
        (
            "word vectors that claim to be many",
            many_words,
            Expected::Error("error"),
        ),
        (
            "word vectors without an end in gzip",
            endless_word,
            Expected::Error("error"),
        ),
    ];
    let trials = bombs.iter().map(|&(name, write, expected)| {
        Trial::test(format!("hostile::bombs: {name}"), move || {
            run(write, expected)
        })
    });
    trials.collect()
}

/// Writes a file into a directory, and returns a query that reads it.
type Bomb = fn(&Path) -> Result<String, Failed>;

/// The expected result of a query over a bomb.
#[derive(Debug, Clone, Copy)]
enum Expected {
    Error(&'static str),
    /// This number of rows.
    Rows(usize),
}

/// The address space that a process may use beyond that of an idle process.
const KIBIBYTES: u64 = 2 << 20;

/// Runs a query over a bomb in a process with a memory limit.
fn run(write: Bomb, expected: Expected) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let query = write(scratch.path())?;
    let mut command = Command::new("bash");
    let limit = format!("ulimit -v {KIBIBYTES}; exec \"$0\" \"$@\"");
    let arguments = [
        "-c",
        &limit,
        env!("CARGO_BIN_EXE_neardup"),
        "sql",
        "--threads",
        "2",
        "--format",
        "json",
        "-c",
        &query,
    ];
    let done = command
        .args(arguments)
        .env("TMPDIR", scratch.path())
        .stdin(Stdio::null())
        .output()?;
    let (out, error) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    let shown = format!(
        "{:?}\n{}\n{}",
        done.status,
        out.chars().take(500).collect::<String>(),
        error.chars().take(1000).collect::<String>()
    );
    let right = match expected {
        Expected::Error(part) => {
            matches!(done.status.code(), Some(1 | 2))
                && error.contains("error: ")
                && error.contains(part)
        }
        Expected::Rows(rows) => done.status.success() && out.contains(&format!("\"rows\":{rows}")),
    };
    match right && !error.contains("panicked") {
        true => Ok(()),
        false => Err(format!("expected {expected:?}: {shown}").into()),
    }
}

const HEAD: &[u8] = b"<mediawiki><page><title>A</title><ns>0</ns><id>1</id><revision><id>1</id><timestamp>2024-01-01T00:00:00Z</timestamp><text>";
const TAIL: &[u8] = b"</text></revision></page></mediawiki>";

/// A query that reads all of a dump.
fn pages(path: &Path) -> String {
    format!(
        "SELECT count(*) AS rows, sum(length(wikitext)) AS characters FROM wiki_pages('{}')",
        path.display()
    )
}

/// Writes `head`, 2 GiB of one byte, and `tail`.
fn large(mut to: impl Write, head: &[u8], byte: u8, tail: &[u8]) -> std::io::Result<()> {
    to.write_all(head)?;
    let piece = vec![byte; 1 << 20];
    for _ in 0..2 << 10 {
        to.write_all(&piece)?;
    }
    to.write_all(tail)
}

/// All bz2 streams of 900,000 equal bytes are equal, so one is created and repeated.
fn repeated_stream(head: &[u8], byte: u8, tail: &[u8]) -> std::io::Result<Vec<u8>> {
    let stream = |bytes: &[u8]| {
        let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes)?;
        encoder.finish()
    };
    let one = stream(&vec![byte; 40 << 20])?;
    Ok([stream(head)?, one.repeat(51), stream(tail)?].concat())
}

fn page_in_bzip2(directory: &Path) -> Result<String, Failed> {
    let path = directory.join("a.xml.bz2");
    std::fs::write(&path, repeated_stream(HEAD, b'a', TAIL)?)?;
    Ok(pages(&path))
}

fn page_in_gzip(directory: &Path) -> Result<String, Failed> {
    let path = directory.join("a.xml.gz");
    let mut encoder = GzEncoder::new(std::fs::File::create(&path)?, flate2::Compression::fast());
    large(&mut encoder, HEAD, b'a', TAIL)?;
    encoder.finish()?;
    Ok(pages(&path))
}

/// Spaces between two pages.
fn nothing_in_bzip2(directory: &Path) -> Result<String, Failed> {
    let path = directory.join("a.xml.bz2");
    let tail = [&HEAD[b"<mediawiki>".len()..], b"text", TAIL].concat();
    std::fs::write(&path, repeated_stream(b"<mediawiki>", b' ', &tail)?)?;
    Ok(pages(&path))
}

/// Entities of a document type are never expanded.
fn entities(directory: &Path) -> Result<String, Failed> {
    let path = directory.join("a.xml");
    let mut xml = String::from("<!DOCTYPE mediawiki [<!ENTITY e0 \"aaaaaaaaaa\">\n");
    for level in 1..40 {
        let before = format!("&e{};", level - 1).repeat(10);
        xml += &format!("<!ENTITY e{level} \"{before}\">\n");
    }
    xml += "]>";
    let bytes = [xml.as_bytes(), HEAD, b"&e39;", TAIL].concat();
    std::fs::write(&path, bytes)?;
    Ok(pages(&path))
}

fn many_words(directory: &Path) -> Result<String, Failed> {
    let path = directory.join("a.vec");
    std::fs::write(&path, "4000000000 60000\nthe 0.5 0.5\n")?;
    Ok(format!(
        "SELECT count(*) AS rows FROM word_vectors('{}')",
        path.display()
    ))
}

fn endless_word(directory: &Path) -> Result<String, Failed> {
    let path = directory.join("a.vec.gz");
    let mut encoder = GzEncoder::new(std::fs::File::create(&path)?, flate2::Compression::fast());
    large(&mut encoder, b"the 0.5 0.5\n", b'a', b" 0.5 0.5\n")?;
    encoder.finish()?;
    Ok(format!(
        "SELECT count(*) AS rows FROM word_vectors('{}')",
        path.display()
    ))
}
