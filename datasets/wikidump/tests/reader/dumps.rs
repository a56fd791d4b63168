//! Dumps made in the test, and ways to read them.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use neardup_wikidump::{
    DumpError, DumpInfo, DumpReader, Losses, OnError, Page, ReadAt, ReadOptions, Revisions,
};

pub(crate) struct Random(pub u64);

impl Random {
    /// SplitMix64.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

pub(crate) const HEADER: &str = "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" version=\"0.11\" xml:lang=\"en\">\n  \
    <siteinfo>\n    <sitename>Test</sitename>\n    <dbname>testwiki</dbname>\n    <namespaces>\n      \
    <namespace key=\"0\" />\n      <namespace key=\"1\">Talk</namespace>\n    </namespaces>\n  </siteinfo>\n";
pub(crate) const FOOTER: &str = "</mediawiki>\n";

/// `count` pages with one to four revisions each; every tenth is a redirect, every seventh is of
/// the talk namespace.
pub(crate) fn pages(count: usize, words: usize, seed: u64) -> Vec<String> {
    let mut random = Random(seed);
    let mut revision = 1000;
    (1..=count)
        .map(|id| {
            let talk = id % 7 == 0;
            let title = format!("{}Page &quot;{id}&quot; é", if talk { "Talk:" } else { "" });
            let mut page = format!("  <page>\n    <title>{title}</title>\n    <ns>{}</ns>\n    <id>{id}</id>\n", i32::from(talk));
            if id % 10 == 0 {
                page += &format!("    <redirect title=\"Page {}\" />\n", id - 1);
            }
            for _ in 0..1 + random.below(4) {
                revision += 1 + random.below(5);
                page += &format!(
                    "    <revision>\n      <id>{revision}</id>\n      <timestamp>20{:02}-0{}-1{}T0{}:00:00Z</timestamp>\n      \
                     <contributor>\n        <username>U &amp; {}</username>\n        <id>5</id>\n      </contributor>\n      \
                     <comment>x &lt;page&gt;</comment>\n      <model>wikitext</model>\n      <format>text/x-wiki</format>\n      \
                     <text bytes=\"1\" xml:space=\"preserve\">",
                    10 + random.below(10), 1 + random.below(9), random.below(10), random.below(10), random.below(50),
                );
                if id % 10 == 0 {
                    page += &format!("#REDIRECT [[Page {}]]", id - 1);
                } else {
                    for _ in 0..random.below(words) {
                        page += &format!("w{} ", random.below(5000));
                        if random.below(9) == 0 {
                            page += "&lt;ref&gt;é — &amp;nbsp;&lt;/ref&gt;\n";
                        }
                    }
                }
                page += "</text>\n      <sha1>abc</sha1>\n    </revision>\n";
            }
            page + "  </page>\n"
        })
        .collect()
}

pub(crate) fn xml(pages: &[String]) -> Vec<u8> {
    [HEADER, &pages.concat(), FOOTER].concat().into_bytes()
}

pub(crate) fn bz2(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn gz(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// The same dump in every form that is read.
pub(crate) fn forms(pages: &[String]) -> Vec<(&'static str, Vec<u8>)> {
    forms_with(pages, FOOTER)
}

/// The same dump in every form, with another end.
pub(crate) fn forms_with(pages: &[String], footer: &str) -> Vec<(&'static str, Vec<u8>)> {
    let xml = [HEADER, &pages.concat(), footer].concat().into_bytes();
    let mut multistream = bz2(HEADER.as_bytes(), 9);
    for some in pages.chunks(17) {
        multistream.extend(bz2(some.concat().as_bytes(), 9));
    }
    multistream.extend(bz2(b"", 9));
    multistream.extend(bz2(footer.as_bytes(), 9));
    let cut: Vec<u8> = xml.chunks(70_001).flat_map(|part| bz2(part, 1)).collect();
    let members: Vec<u8> = xml.chunks(90_007).flat_map(gz).collect();
    vec![
        ("single stream", bz2(&xml, 1)),
        ("multistream", multistream),
        ("cut anywhere", cut),
        (
            "trailing bytes",
            [bz2(&xml, 1), b"garbage".to_vec()].concat(),
        ),
        ("gzip", gz(&xml)),
        ("gzip members", [members, vec![0; 40]].concat()),
        ("plain", xml),
    ]
}

pub(crate) fn everything() -> ReadOptions {
    ReadOptions {
        revisions: Revisions::All,
        namespaces: None,
        redirects: true,
        ..ReadOptions::default()
    }
}

pub(crate) fn salvaging() -> ReadOptions {
    ReadOptions {
        on_error: OnError::Skip,
        ..everything()
    }
}

/// Rows, losses and errors of some ranges.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub rows: Vec<Page>,
    pub losses: Losses,
    pub errors: Vec<DumpError>,
}

/// All ranges, in order.
pub(crate) fn read_ranges(
    file: &Arc<dyn ReadAt>,
    ranges: &[Range<u64>],
    options: &ReadOptions,
) -> Read {
    let mut read = Read::default();
    let info = match DumpInfo::read(file, options.on_error) {
        Ok(info) => info,
        Err(error) => {
            read.errors.push(error);
            return read;
        }
    };
    let site = Arc::new(info.site);
    for range in ranges {
        let reader = DumpReader::open(
            Arc::clone(file),
            range.clone(),
            Arc::clone(&site),
            options.clone(),
        );
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(error) => {
                read.errors.push(error);
                continue;
            }
        };
        for row in reader.by_ref() {
            match row {
                Ok(row) => read.rows.push(row),
                Err(error) => read.errors.push(error),
            }
        }
        assert!(reader.next().is_none());
        read.losses.merge(reader.losses());
    }
    read
}

pub(crate) fn read_whole(file: &[u8], options: &ReadOptions) -> Read {
    let file: Arc<dyn ReadAt> = Arc::new(file.to_vec());
    let length = file.len();
    read_ranges(&file, &even(length, 1), options)
}

/// `count` even ranges.
pub(crate) fn even(length: u64, count: u64) -> Vec<Range<u64>> {
    (0..count)
        .map(|i| length * i / count..length * (i + 1) / count)
        .collect()
}

/// Ranges that a planner would hardly make: empty ones, one byte, past the end, cuts in magic numbers.
pub(crate) fn unusual(length: u64, seed: u64) -> Vec<Range<u64>> {
    let mut random = Random(seed);
    let mut cuts: Vec<u64> = (0..12)
        .map(|_| random.below(length as usize + 1) as u64)
        .collect();
    cuts.extend([
        0,
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        14,
        length,
        length,
        length + 5,
        length + 900,
    ]);
    cuts.extend([cuts[0] + 1, cuts[1] + 1]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}
