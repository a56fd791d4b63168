//! Files written by the tests in every format, cut anywhere, damaged, and the published samples.

use std::io::{self, Write};

use super::*;
use crate::word_vectors::tests::support::corpus;

/// A source that returns at most `max_bytes` bytes at a time, and none across the offset `at`.
struct Cut {
    bytes: Vec<u8>,
    at: u64,
    max_bytes: usize,
}

impl ReadAt for Cut {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let mut max_bytes = buf.len().min(self.max_bytes);
        if offset < self.at {
            max_bytes = max_bytes.min((self.at - offset) as usize);
        }
        self.bytes.read_at(offset, &mut buf[..max_bytes])
    }
}

type Table = Vec<(String, Vec<f32>)>;

fn read_source(
    source: Arc<dyn ReadAt>,
    format: Option<Format>,
    on_error: OnError,
) -> Result<(Table, u64), VectorError> {
    let mut reader = VectorReader::open(Arc::clone(&source), format, on_error)?;
    assert_eq!(
        VectorReader::dimension_of(source, format)?,
        reader.dimension()
    );
    let mut table = Table::new();
    let mut numbers = Vec::new();
    while let Some(word) = reader.next(&mut numbers)? {
        let word = word.to_owned();
        assert_eq!(numbers.len(), reader.dimension());
        table.push((word, std::mem::take(&mut numbers)));
    }
    Ok((table, reader.skipped()))
}

fn read_as(bytes: &[u8], format: Option<Format>) -> Result<Table, VectorError> {
    let source = Arc::new(bytes.to_vec());
    Ok(read_source(source, format, OnError::Fail)?.0)
}

fn read(bytes: &[u8]) -> Table {
    read_as(bytes, None).unwrap()
}

fn message(bytes: &[u8]) -> String {
    message_as(bytes, None)
}

fn message_as(bytes: &[u8], format: Option<Format>) -> String {
    match read_as(bytes, format) {
        Ok(table) => panic!("{} rows", table.len()),
        Err(error) => error.to_string(),
    }
}

fn words() -> Table {
    let table: [(&str, [f32; 3]); 5] = [
        ("the", [0.25, -1.5, 3e-7]),
        ("größe", [1.0, 0.0, -0.0]),
        ("7", [7.0, 123_456.79, f32::MIN_POSITIVE]),
        ("日本", [f32::MAX, 1e-10, -2.0]),
        (",", [0.1, 0.2, 0.3]),
    ];
    table
        .map(|(word, numbers)| (word.to_owned(), numbers.to_vec()))
        .to_vec()
}

fn lines(table: &Table, space: &str, end: &str) -> Vec<u8> {
    let mut out = String::new();
    for (word, numbers) in table {
        out.push_str(word);
        for number in numbers {
            out.push_str(&format!("{space}{number}"));
        }
        out.push_str(end);
    }
    out.into_bytes()
}

fn header(table: &Table) -> Vec<u8> {
    let dimension = table.first().map_or(3, |(_, numbers)| numbers.len());
    format!("{} {dimension}\n", table.len()).into_bytes()
}

fn binary(table: &Table, behind: &[u8]) -> Vec<u8> {
    let mut out = header(table);
    for (word, numbers) in table {
        out.extend(word.as_bytes());
        out.push(b' ');
        out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        out.extend(behind);
    }
    out
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A fastText model of 3 numbers: what is not in the arguments is zero.
struct Model {
    buckets: i32,
    min_length: i32,
    max_length: i32,
    pruned: i64,
    quantized: u8,
    words: Vec<&'static str>,
    labels: Vec<&'static str>,
    rows: Vec<[f32; 3]>,
}

impl Model {
    fn new() -> Self {
        let words = vec!["</s>", "ab", "größe"];
        let row = |row: usize| {
            [
                row as f32 + 0.1,
                -(row as f32) / 3.0,
                1.0 / (row as f32 + 7.0),
            ]
        };
        Self {
            buckets: 11,
            min_length: 2,
            max_length: 3,
            pruned: -1,
            quantized: 0,
            rows: (0..words.len() + 11).map(row).collect(),
            words,
            labels: vec!["__label__x"],
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = fasttext::MAGIC.to_vec();
        let arguments = [
            12,
            3,
            5,
            5,
            1,
            5,
            1,
            2,
            2,
            self.buckets,
            self.min_length,
            self.max_length,
            100,
        ];
        let sizes = [
            self.words.len() + self.labels.len(),
            self.words.len(),
            self.labels.len(),
        ];
        out.extend(
            arguments
                .iter()
                .flat_map(|number: &i32| number.to_le_bytes()),
        );
        out.extend(0.0001_f64.to_le_bytes());
        out.extend(sizes.iter().flat_map(|size| (*size as i32).to_le_bytes()));
        out.extend(1000_i64.to_le_bytes());
        out.extend(self.pruned.to_le_bytes());
        for (kind, words) in [(0, &self.words), (1, &self.labels)] {
            for word in words {
                out.extend(word.as_bytes());
                out.push(0);
                out.extend(5_i64.to_le_bytes());
                out.push(kind);
            }
        }
        out.push(self.quantized);
        out.extend((self.rows.len() as i64).to_le_bytes());
        out.extend(3_i64.to_le_bytes());
        for row in &self.rows {
            out.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        }
        out
    }

    /// The vectors by characters instead of bytes, in Float64.
    fn naive(&self) -> Vec<Vec<f64>> {
        let vector = |(index, word): (usize, &&str)| {
            let mut rows = vec![self.rows[index]];
            let marked: Vec<char> = format!("<{word}>").chars().collect();
            for length in self.min_length..=self.max_length {
                for gram in marked.windows(length as usize) {
                    let edge = gram.len() == 1 && matches!(gram[0], '<' | '>');
                    if *word == "</s>" || edge || self.pruned == 0 {
                        continue;
                    }
                    let mut hash = 2_166_136_261_u32;
                    for byte in gram.iter().collect::<String>().bytes() {
                        hash ^= byte as i8 as u32;
                        hash = hash.wrapping_mul(16_777_619);
                    }
                    let bucket = hash as usize % self.buckets as usize;
                    rows.push(self.rows[self.words.len() + bucket]);
                }
            }
            let mean = |place: usize| {
                rows.iter().map(|row| f64::from(row[place])).sum::<f64>() / rows.len() as f64
            };
            (0..3).map(mean).collect()
        };
        self.words.iter().enumerate().map(vector).collect()
    }
}

/// Every format of the same words, with the rows it is to give.
fn every_format() -> Vec<(&'static str, Vec<u8>, Table)> {
    let table = words();
    let text = [header(&table), lines(&table, " ", " \n")].concat();
    let model = Model::new().bytes();
    let vectors = read(&model);
    vec![
        ("glove", lines(&table, " ", "\n"), table.clone()),
        (
            "glove, no last line feed",
            {
                let mut text = lines(&table, " ", "\n");
                text.pop();
                text
            },
            table.clone(),
        ),
        (
            "two spaces, CRLF",
            lines(&table, "  ", "\r\n"),
            table.clone(),
        ),
        ("word2vec", text.clone(), table.clone()),
        (
            "word2vec, mark, empty lines",
            [b"\xEF\xBB\xBF", &text[..], b"\n \n"].concat(),
            table.clone(),
        ),
        ("gzip", gzip(&text), table.clone()),
        (
            "two members",
            [gzip(&text[..30]), gzip(&text[30..])].concat(),
            table.clone(),
        ),
        ("binary", binary(&table, b""), table.clone()),
        (
            "binary with line feeds",
            binary(&table, b"\n"),
            table.clone(),
        ),
        ("binary in gzip", gzip(&binary(&table, b"\n")), table),
        ("model", model, vectors),
    ]
}

#[test]
fn every_format_gives_its_rows() {
    for (name, bytes, table) in every_format() {
        assert_eq!(read(&bytes), table, "{name}");
    }
}

#[test]
fn any_cut_gives_the_same_rows() {
    for (name, bytes, table) in every_format() {
        for at in 0..bytes.len() {
            for max_bytes in [1, 7, usize::MAX] {
                let source = Arc::new(Cut {
                    bytes: bytes.clone(),
                    at: at as u64,
                    max_bytes,
                });
                let found = read_source(source, None, OnError::Fail).unwrap().0;
                assert_eq!(found, table, "{name} cut at {at}, {max_bytes} at a time");
                if max_bytes == 1 && at > 0 {
                    break;
                }
            }
        }
    }
}

/// A file that ends early is an error, or lacks rows where nothing in it says how many there are.
#[test]
fn no_prefix_of_a_file_gives_other_rows() {
    for (name, bytes, table) in every_format() {
        for length in 0..bytes.len() {
            let Ok(found) = read_as(&bytes[..length], None) else {
                continue;
            };
            let rest = bytes[length..]
                .iter()
                .all(|byte| byte.is_ascii_whitespace());
            // The last number may have lost digits.
            let rows = found.len().saturating_sub(1);
            let known = name.starts_with("glove") || name.starts_with("two spaces");
            let last = found.len() == table.len() && name.starts_with("word2vec");
            assert!(rest || known || last, "{name}: {length} bytes");
            assert_eq!(found[..rows], table[..rows], "{name}: {length} bytes");
        }
    }
}

#[test]
fn words_with_spaces_are_told_by_the_numbers_behind_them() {
    let text = "the 0.5 1\n. . . 1 2\nat name@domain.com 3 4.5\nwindows 95 -1 1e3\n1 5 6\n";
    let table = read(text.as_bytes());
    let words: Vec<&str> = table.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(
        words,
        ["the", ". . .", "at name@domain.com", "windows 95", "1"]
    );
    assert_eq!(table[3].1, [-1.0, 1000.0]);
    let first = read(b"a b 0.5 1\nc 2 3\n");
    assert_eq!(first[0], ("a b".to_owned(), vec![0.5, 1.0]));
}

#[test]
fn wrong_lines_are_named() {
    for (text, expected) in [
        (
            "a 1 2\nb 1\n",
            "line 2: the word must be followed by 2 numbers, as in other lines, found 1",
        ),
        (
            "a 1 2\nb 1.0 2 3.5\nc 1 2\n",
            "line 2: the word must be followed by 2 numbers, as in other lines, found 3",
        ),
        (
            "a 1 2\nb 0.1 0.2 0.3 0.4\n",
            "line 2: the word must be followed by 2 numbers, as in other lines, found 4",
        ),
        (
            "a 1 2\n\nb 1 2\n",
            "line 2: the word must be followed by 2 numbers, as in other lines, found 0",
        ),
        (
            "a 1 2\nb 1 x\n",
            "line 2: number 2 of 'b' is no number: 'x'",
        ),
        (
            "a 1 2\nb 1,5 2\n",
            "line 2: number 1 of 'b' is no number: '1,5'",
        ),
        ("a 1 2\nb 1 nan\n", "line 2: number 2 of 'b' is NaN"),
        ("a 1 2\nb -inf 1\n", "line 2: number 1 of 'b' is -inf"),
        ("a 1 2\nb 1e39 1\n", "line 2: number 1 of 'b' is inf"),
        (
            "a 1 2\n 1 2\n",
            "line 2: the word before the numbers is missing",
        ),
        (
            "3 2\na 1 2\nb 1 2\n",
            "the first line promises 3 words, and the file has 2",
        ),
        (
            "1 2\na 1 2\nb 1 2\n",
            "line 3: the first line promises 1 words, and the file has more",
        ),
        (
            "1 0\na\n",
            "line 1: a vector has 1 to 65536 numbers, and the file says 0",
        ),
        (
            "1 65537\na 1\n",
            "line 1: a vector has 1 to 65536 numbers, and the file says 65537",
        ),
        (
            "1 1000000000000000000\na 1\n",
            "line 1: a vector has 1 to 65536 numbers, and the file says 1000000000000000000",
        ),
        ("", "the file is empty"),
        (
            "just words\n",
            "the file is in no known format of word vectors: GloVe text, word2vec text or binary, a fastText model",
        ),
        (
            "FiFu....",
            "finalfusion files are not read; their tools convert them to word2vec or text",
        ),
    ] {
        assert_eq!(message(text.as_bytes()), expected, "{text:?}");
        if !text.is_empty() {
            assert_eq!(message(&gzip(text.as_bytes())), expected, "{text:?}");
        }
    }
    assert_eq!(
        message(b"a 1 2\nb\xFF 1 2\n"),
        "line 2: the word 'b\u{FFFD}' is not UTF-8"
    );
    let mut long = b"a 1 2\n".to_vec();
    long.resize(9 << 20, b'x');
    assert_eq!(message(&long), "line 2: a line has more than 8388608 bytes");
    assert_eq!(
        message_as(b"a 1 2\n", Some(Format::Word2vec)),
        "line 1: the file must begin with a line of two numbers: how many words, and how many numbers each"
    );
    let cut = gzip(&lines(&words(), " ", "\n"));
    let text = message(&cut[..cut.len() - 9]);
    assert!(
        text.contains("the file ends inside the packed data"),
        "{text}"
    );
}

#[test]
fn a_format_that_is_given_is_not_guessed() {
    // A word that is a number, with one number.
    assert_eq!(
        read_as(b"41 100\n42 7\n", Some(Format::Glove))
            .unwrap()
            .len(),
        2
    );
    let table = words();
    let text = [header(&table), lines(&table, " ", "\n")].concat();
    for format in [Format::Word2vec, Format::FastText] {
        assert_eq!(read_as(&text, Some(format)).unwrap(), table);
    }
    let bytes = binary(&table, b"");
    assert_eq!(
        read_as(&bytes, Some(Format::Word2vecBinary)).unwrap(),
        table
    );
    let model = Model::new().bytes();
    assert_eq!(
        read_as(&model, Some(Format::FastText)).unwrap(),
        read(&model)
    );
    assert!(read_as(&bytes, Some(Format::Word2vec)).is_err());
    assert!(read_as(&text, Some(Format::Word2vecBinary)).is_err());
}

#[test]
fn wrong_records_are_named() {
    let table = words();
    let good = binary(&table, b"\n");
    // The header has 4 bytes, the first word 3, and then there are a space and 12 bytes.
    assert_eq!(
        message(&good[..10]),
        "byte 4: the file ends inside a vector"
    );
    assert_eq!(message(&good[..6]), "byte 4: the file ends inside a vector");
    let one = [b"2 3\n", &good[4..20]].concat();
    assert_eq!(
        message(&one),
        "the first line promises 2 words, and the file has 1"
    );
    let more = [&good[..], b"x"].concat();
    assert_eq!(
        message(&more),
        format!(
            "byte {}: the first line promises 5 words, and the file has more",
            good.len()
        )
    );
    let mut damaged = good.clone();
    damaged[4] = 0xFF;
    assert_eq!(
        message(&damaged),
        "byte 4: the word '\u{FFFD}he' is not UTF-8"
    );
    let mut damaged = good.clone();
    damaged[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(message(&damaged), "byte 4: number 1 of 'the' is NaN");
    let many = [b"1000000000000000000 3\n", &good[4..]].concat();
    assert_eq!(
        message(&many),
        "the first line promises 1000000000000000000 words, and the file has 5"
    );
    let long = [b"1 3\n\0", &vec![b'x'; 70_000][..], b" ............"].concat();
    assert_eq!(message(&long), "byte 4: a word has more than 65536 bytes");
}

#[test]
fn faults_of_a_row_may_be_left_out() {
    let skip = |bytes: &[u8]| {
        let (table, skipped) = read_source(Arc::new(bytes.to_vec()), None, OnError::Skip)
            .map_err(|e| e.to_string())?;
        let words: Vec<String> = table.into_iter().map(|(word, _)| word).collect();
        Ok::<_, String>((words.join(" "), skipped))
    };
    let text = b"9 2\na 1 2\nb 1\nc 1 x\nd inf 1\n\xFF 1 2\n\ne 1 2\nf 1.5 2 3.0\ng 1 2\n";
    assert_eq!(skip(text), Ok(("a e g".to_owned(), 6)));
    let mut bytes = binary(&words(), b"\n");
    bytes[4] = 0xFF;
    assert_eq!(skip(&bytes), Ok(("größe 7 日本 ,".to_owned(), 1)));
    let fewer = skip(b"3 2\na 1 2\n");
    assert_eq!(
        fewer,
        Err("the first line promises 3 words, and the file has 1".to_owned())
    );
}

#[test]
fn the_vector_of_a_model_is_the_mean_of_word_and_n_grams() {
    for (min_length, max_length) in [(2, 3), (1, 1), (1, 4), (3, 6), (0, 0)] {
        for pruned in [-1, 0] {
            let model = Model {
                min_length,
                max_length,
                pruned,
                ..Model::new()
            };
            let table = read(&model.bytes());
            let naive = if max_length == 0 {
                let row = |row: &[f32; 3]| row.iter().map(|&number| f64::from(number)).collect();
                model.rows[..3].iter().map(row).collect()
            } else {
                model.naive()
            };
            assert_eq!(table.len(), 3);
            for ((word, vector), naive) in table.iter().zip(naive) {
                for (found, naive) in vector.iter().zip(naive) {
                    let distance = (f64::from(*found) - naive).abs();
                    assert!(
                        distance < 1e-5,
                        "{word} {min_length} {max_length}: {found} {naive}"
                    );
                }
            }
        }
    }
}

#[test]
fn wrong_models_are_named() {
    let damaged = |at: usize, value: i32| {
        let mut bytes = Model::new().bytes();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        message(&bytes)
    };
    assert_eq!(
        damaged(4, 11),
        "byte 4: fastText models of version 12 are read, and this one has version 11"
    );
    assert_eq!(
        damaged(8, 0),
        "byte 8: a vector has 1 to 65536 numbers, and the file says 0"
    );
    assert!(damaged(8, 4).contains("has vectors of 4 numbers, and a matrix of 3"));
    assert!(damaged(64, -1).contains("says it has -1 entries"));
    assert!(damaged(64, i32::MAX).contains("the file ends inside"));
    assert!(damaged(68, 1000).contains("has 1000 words and 11 buckets of n-grams, but 4 entries"));
    let many = damaged(40, i32::MAX);
    assert!(many.contains("2147483647 buckets of n-grams"), "{many}");
    let model = Model {
        quantized: 1,
        ..Model::new()
    };
    assert!(message(&model.bytes()).contains("quantized fastText models are not read"));
    assert_eq!(
        message(&gzip(&Model::new().bytes())),
        "a fastText model must be unpacked to be read"
    );
    let bytes = Model::new().bytes();
    for length in 4..bytes.len() {
        let text = message(&bytes[..length]);
        assert!(
            text.contains("the file ends inside a vector"),
            "{length}: {text}"
        );
    }
}

/// The numbers of a line of a text file, by the obvious split.
fn naive_text(text: &str, skip: usize) -> Table {
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        let word = fields.next().unwrap().to_owned();
        (word, fields.map(|field| field.parse().unwrap()).collect())
    };
    text.lines().skip(skip).map(line).collect()
}

#[test]
fn the_published_samples_are_read() {
    use std::io::Read;
    for (name, count, dimension) in [
        ("glove-sample/glove.6B.100d.sample.txt.gz", 100, 100),
        ("glove-sample/glove.6B.300d.sample.txt.gz", 100, 300),
    ] {
        let Some(path) = corpus(name) else { return };
        let bytes = std::fs::read(path).unwrap();
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
        let table = read(&bytes);
        assert_eq!(
            (table.len(), table[0].1.len()),
            (count, dimension),
            "{name}"
        );
        assert_eq!(table, naive_text(&text, 0), "{name}");
        assert_eq!(read(text.as_bytes()), table, "{name}");
    }
    let Some(path) = corpus("word2vecjson/wordvecs1000.txt") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let table = read(text.as_bytes());
    assert_eq!((table.len(), table[0].1.len()), (1000, 300));
    assert_eq!(table, naive_text(&text, 0));

    let [Some(text), Some(bytes), Some(fifu), Some(model)] = [
        "finalfusion/similarity.txt",
        "finalfusion/similarity.bin",
        "finalfusion/similarity.fifu",
        "finalfusion/fasttext.bin",
    ]
    .map(|name| corpus(name).map(|path| std::fs::read(path).unwrap())) else {
        return;
    };
    let table = read(&text);
    assert_eq!((table.len(), table[0].1.len()), (41, 100));
    assert_eq!(table, naive_text(std::str::from_utf8(&text).unwrap(), 1));
    assert_eq!(read(&bytes), table);
    assert!(message(&fifu).contains("finalfusion files are not read"));
    let words = read(&model);
    assert_eq!((words.len(), words[0].1.len()), (157, 50));
    assert_eq!(words[0].0, "</s>");
    assert!(words.iter().any(|(word, _)| word == "für"));
}
