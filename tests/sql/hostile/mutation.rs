//! Generates inputs from seeds: mutated files, and repeated fragments.

use super::super::fuzz::Random;
use libtest_mimic::Failed;

/// Upper bound of the bytes of an input.
pub const MAX_BYTES: usize = 200_000;

/// The material from which the inputs of a target are generated.
pub struct Seeds {
    /// Complete files.
    pub files: Vec<Vec<u8>>,
    /// Fragments that are meaningful to the target.
    pieces: Vec<Vec<u8>>,
}

impl Seeds {
    /// The files of `fuzz/corpus/NAME/`, and the fragments of the target.
    pub fn of(name: &str) -> Result<Self, Failed> {
        let directory = crate::root().join("fuzz/corpus").join(name);
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(&directory)? {
            paths.push(entry?.path());
        }
        paths.sort();
        let files: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<Result<_, _>>()?;
        let own: &[&str] = match name {
            "xml" | "bzip2" | "gzip" => XML,
            "wikitext" => WIKITEXT,
            "html" => HTML,
            "sentences" | "shingles" => TEXT,
            "arguments" => SQL,
            "manifest" => JSON,
            _ => TABLE,
        };
        let mut pieces: Vec<Vec<u8>> = own.iter().map(|piece| piece.as_bytes().to_vec()).collect();
        pieces.extend(BYTES.iter().map(|piece| piece.to_vec()));
        if name == "bzip2" {
            pieces.extend([
                b"BZh9".to_vec(),
                b"1AY&SY".to_vec(),
                b"\x17\x72\x45\x38\x50\x90".to_vec(),
            ]);
        }
        Ok(Self { files, pieces })
    }
}

/// An input: fragments, each with a number of repetitions.
#[derive(Clone)]
pub struct Input(Vec<(Vec<u8>, usize)>);

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (piece, times) in &self.0 {
            let shown = String::from_utf8_lossy(&piece[..piece.len().min(300)]);
            writeln!(f, "{times} × {shown:?} ({} bytes)", piece.len())?;
        }
        Ok(())
    }
}

impl Input {
    /// A mutated seed, or repeated fragments.
    pub fn random(random: &mut Random, seeds: &Seeds) -> Self {
        match random.percent(40) {
            true => Self::repeated(random, seeds),
            false => Self(vec![(changed(random, seeds), 1)]),
        }
    }

    fn repeated(random: &mut Random, seeds: &Seeds) -> Self {
        let mut runs = Vec::new();
        if random.percent(60) {
            let seed = random.pick(&seeds.files);
            runs.push((seed[..random.below(seed.len() + 1)].to_vec(), 1));
        }
        for _ in 0..random.between(1, 2) {
            let mut piece = Vec::new();
            for _ in 0..random.between(1, 3) {
                piece.extend(random.pick(&seeds.pieces));
            }
            if random.percent(20) {
                piece.push(random.number() as u8);
            }
            let max_repeats = MAX_BYTES / 2 / piece.len().max(1);
            runs.push((
                piece,
                *random.pick(&[max_repeats, max_repeats / 2, 300, 17]),
            ));
        }
        if random.percent(40) {
            runs.push((random.pick(&seeds.pieces).clone(), 1));
        }
        if random.percent(30) {
            let seed = random.pick(&seeds.files);
            runs.push((seed[random.below(seed.len())..].to_vec(), 1));
        }
        Self(runs)
    }

    /// The bytes of all runs.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (piece, times) in &self.0 {
            for _ in 0..*times {
                bytes.extend(piece);
            }
        }
        bytes
    }

    /// Smaller inputs, for reduction.
    pub fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for run in 0..self.0.len() {
            let mut without = self.clone();
            without.0.remove(run);
            smaller.push(without);
            let (piece, times) = &self.0[run];
            let mut shorter = |piece: Vec<u8>, times: usize| {
                let mut input = self.clone();
                input.0[run] = (piece, times);
                smaller.push(input);
            };
            if *times > 1 {
                shorter(piece.clone(), times / 2);
                continue;
            }
            // Remove halves, quarters and so on.
            let mut length = piece.len() / 2;
            while length > 0 && piece.len() / length <= 64 {
                for from in (0..piece.len()).step_by(length) {
                    let to = (from + length).min(piece.len());
                    shorter([&piece[..from], &piece[to..]].concat(), 1);
                }
                length /= 2;
            }
        }
        smaller
    }
}

/// A seed, mutated at some positions.
fn changed(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let mut bytes = random.pick(&seeds.files).clone();
    for _ in 0..*random.pick(&[1, 1, 2, 3, 8, 40]) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(40)).min(bytes.len());
        match random.below(9) {
            0..3 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 if at < bytes.len() => bytes[at] = random.number() as u8,
            4 => drop(bytes.splice(at..at, random.pick(&seeds.pieces).iter().copied())),
            5 => drop(bytes.drain(at..end)),
            6 => bytes.truncate(at),
            7 => {
                let again: Vec<u8> = bytes[at..end].repeat(random.between(1, 5));
                bytes.splice(at..at, again);
            }
            _ => {
                // From another seed.
                let other = random.pick(&seeds.files);
                let from = random.below(other.len() + 1);
                let to = (from + random.below(200)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
        }
    }
    bytes.truncate(MAX_BYTES);
    bytes
}

const BYTES: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"a",
    b"1",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b"\xef\xbb\xbf",
    b"-1",
    b"18446744073709551616",
    b"1e999",
    b"NaN",
];

const XML: &[&str] = &[
    "<page>",
    "</page>",
    "<title>",
    "</title>",
    "<revision>",
    "</revision>",
    "<text>",
    "</text>",
    "<text",
    "<ns>0</ns>",
    "<id>",
    "</id>",
    "<id>1</id>",
    "&",
    "&amp;",
    "&#",
    "&#x10ffff;",
    "&#0;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?xml",
    "<!DOCTYPE x [<!ENTITY a \"aa\">]>",
    "&a;",
    "<",
    ">",
    "/>",
    "\"",
    "<redirect title=\"x\" />",
    "<timestamp>",
    "<siteinfo>",
    "<namespace key=\"0\"/>",
    "<mediawiki>",
    "<contributor>",
    "<username>x</username>",
    "<text deleted=\"deleted\" />",
];

const HTML: &[&str] = &[
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<br>",
    "<a href=x>",
    "</a>",
    "<b>",
    "</b>",
    "<font color=1>",
    "<nav>",
    "</nav>",
    "<main>",
    "</main>",
    "<div role=navigation>",
    "<h2>",
    "</h2>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<pre>\n",
    "</pre>",
    "<script>",
    "</script>",
    "<style>",
    "<title>",
    "</title>",
    "<template>",
    "</template>",
    "<svg/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE",
    "<",
    "</",
    ">",
    "/>",
    "\"",
    "'",
    "=",
    "&amp;",
    "&nGt;",
    "&#x",
    "&#1114112;",
    "&",
    ";",
    "word ",
    "a river that flows through the city ",
];

const WIKITEXT: &[&str] = &[
    "{{",
    "}}",
    "{",
    "}",
    "[[",
    "]]",
    "[",
    "]",
    "|",
    "||",
    "=",
    "==",
    "\n==",
    "==\n",
    "<ref>",
    "</ref>",
    "<ref name=\"a\">",
    "<ref",
    "/>",
    "<",
    ">",
    "<!--",
    "-->",
    "<nowiki>",
    "</nowiki>",
    "<pre>",
    "</pre>",
    "<math>",
    "{|",
    "|}",
    "\n{|",
    "\n|}",
    "\n|-",
    "\n|",
    "\n!",
    "<table>",
    "</table>",
    "''",
    "'''",
    "'''''",
    "'",
    "\n*",
    "\n#",
    "\n:",
    "\n;",
    ":",
    "http://",
    "[http://a",
    "[[File:a|",
    "[[Category:",
    "{{convert|",
    "{{lang|de|",
    "{{quote|",
    "text=",
    "1=",
    "&amp;",
    "&#",
    "&lt;",
    ";",
    "__TOC__",
    "-{",
    "}-",
    "<br>",
    "<div",
    "=\"",
    "='",
    "<span class=\"",
    "#REDIRECT",
    "{{IPA|",
    "(",
    ")",
    "(;",
    ",",
    "é",
    "\u{3000}",
    "{{formatnum:",
    "[[a|b",
    "{{{1|",
    "}}}",
];

const TEXT: &[&str] = &[
    ".",
    "!",
    "?",
    "。",
    "…",
    "...",
    "\"",
    "“",
    "”",
    "(",
    ")",
    "Dr.",
    "e.g.",
    "A.",
    "1.",
    "3.14",
    "No.",
    "www.",
    "a.b",
    "\n",
    "\n\n",
    "\u{301}",
    "é",
    "한",
    "中",
    "👩\u{200d}",
    "\u{200d}",
    "🇩",
    "\u{200f}",
    "\u{ad}",
    "'",
    "’",
    "-",
    "_",
    "ﷺ",
    "ﬁ",
    "İ",
    "ᄀ",
    "ᅡ",
    "\u{fdfa}",
    "क्",
    "\u{fe0f}",
    ",",
    "»",
    "¿",
];

const SQL: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    ",",
    "=>",
    "docs",
    "(SELECT * FROM docs)",
    "SELECT ",
    " FROM ",
    "jaccard_join(",
    "minhash_join(",
    "near_duplicates(",
    "deduplicate(",
    "threshold => ",
    "0.8",
    "-1",
    "1e308",
    "NULL",
    "'",
    "''",
    "\"",
    "[",
    "]",
    "parts => 65536",
    "parts => 0",
    "bands => 4096",
    "rows => 4096",
    "shingle => 'word:0'",
    "shingle => 'char:99999999999'",
    "shingle => ''",
    "seed => -1",
    "across => page",
    "across => nothing",
    "keep_by => 'page desc desc'",
    "keep_by => ''",
    "carry => []",
    "carry => [id, id]",
    "id => text",
    "text => id",
    "$1",
    "$x",
    "*",
    ";",
    "--",
    "/*",
    "interval",
    "now()",
    "true",
    "9223372036854775808",
    "bits => 65",
    "window => 0",
    "window => 1000000",
    "max_distance => 4096",
    "::",
    "UNION ALL ",
];

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "true",
    "1e400",
    "-1",
    "0.5",
    "\"format\":2",
    "\"steps\":[",
    "\"path\":\"../../x\"",
    "\"path\":\"/etc/passwd\"",
    "\"path\":\"\"",
    "\"rows\":18446744073709551615",
    "\"name\":\"\"",
    "\"name\":\"pairs\"",
    "\"files\":[]",
    "[[",
    "{\"a\":",
];

const TABLE: &[&str] = &[
    ",",
    "\"",
    "\"\"",
    "\n",
    "\r",
    "\t",
    "{",
    "}",
    "[",
    "]",
    "{\"id\":",
    "\"text\":",
    "null",
    "1",
    "007",
    "true",
    "0.5",
    "\\",
    "2 3\n",
    "the ",
    "1 2 3\n",
    "99999999 99999999\n",
    "0 0\n",
    "-1 -1\n",
    "{\"a\":{",
    "[[",
    "\"a\":",
    "word 1 2\n",
];
