//! The chain against the stock decoder.

use std::io::{Read, Write};
use std::sync::Arc;

use super::*;
use crate::shared_data::corpus;

pub(crate) fn compress(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Everything the chain decodes, the number of blocks and the bytes of garbage after it.
fn decode_all(file: &[u8]) -> Result<(Vec<u8>, u64, u64), Fault> {
    let mut chain = Chain::at_start(Arc::new(file.to_vec()));
    let (mut out, mut blocks) = (Vec::new(), 0);
    loop {
        match chain.next()? {
            Next::Block(_) => {
                chain.decode()?;
                blocks += 1;
                while let Some(window) = chain.next_window() {
                    out.extend_from_slice(window);
                }
            }
            Next::End { garbage } => return Ok((out, blocks, garbage)),
        }
    }
}

fn stock(file: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    bzip2::read::MultiBzDecoder::new(file)
        .read_to_end(&mut out)
        .unwrap();
    out
}

/// Words in a random order, with runs.
fn sample(length: usize, seed: u64) -> Vec<u8> {
    let words: [&[u8]; 6] = [
        b"the ",
        b"quick ",
        b"=======",
        b"\n",
        b"fox",
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ];
    let mut state = seed;
    let mut out = Vec::with_capacity(length + 40);
    while out.len() < length {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        out.extend_from_slice(words[(state >> 40) as usize % words.len()]);
        out.push((state >> 33) as u8);
    }
    out.truncate(length);
    out
}

#[test]
fn decodes_what_the_stock_encoder_writes() {
    for (length, level) in [
        (1, 1),
        (5, 9),
        (99_999, 1),
        (350_000, 1),
        (700_000, 3),
        (2_000_000, 9),
    ] {
        let data = sample(length, length as u64);
        let (out, blocks, garbage) = decode_all(&compress(&data, level)).unwrap();
        assert!(out == data, "{length} {level}");
        assert_eq!(garbage, 0);
        assert!(length < 700_000 || blocks > 1);
    }
}

#[test]
fn streams_follow_each_other_and_may_be_empty() {
    let data = sample(250_000, 4);
    let empty = compress(b"", 9);
    assert_eq!(empty.len(), 14);
    let file = [
        empty.clone(),
        compress(&data, 1),
        empty.clone(),
        compress(&data[..10], 9),
        empty,
    ]
    .concat();
    let (out, _, garbage) = decode_all(&file).unwrap();
    assert!(out == [&data[..], &data[..10]].concat());
    assert_eq!(garbage, 0);
}

#[test]
fn bytes_after_the_last_stream_are_counted_unless_they_begin_a_stream() {
    let stream = compress(b"text", 9);
    for (after, want) in [
        (&b"junk"[..], Some(4)),
        (b"BZ0", Some(3)),
        (b"\0\0", Some(2)),
        (b"BZ", None),
        (b"BZh9", None),
    ] {
        let file = [&stream[..], after].concat();
        match (decode_all(&file), want) {
            (Ok((out, 1, garbage)), Some(want)) => {
                assert_eq!((&out[..], garbage), (&b"text"[..], want))
            }
            (Err(Fault::Truncated { bit }), None) => assert!(bit >= stream.len() as u64 * 8),
            (other, _) => panic!("{after:?}: {other:?}"),
        }
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_a_fault() {
    let data = sample(3_000, 8);
    let file = compress(&data, 1);
    for bit in 0..file.len() * 8 {
        let mut flipped = file.clone();
        flipped[bit / 8] ^= 0x80 >> (bit % 8);
        // A flip in the level, the padding or a code that does not occur may change nothing; the
        // stock decoder says which.
        let mut out = Vec::new();
        let stock = bzip2::read::MultiBzDecoder::new(&flipped[..]).read_to_end(&mut out);
        match decode_all(&flipped) {
            Ok((got, ..)) => assert!(got == data && (stock.is_err() || out == data), "bit {bit}"),
            Err(fault) => assert!(stock.is_err() || out != data, "bit {bit}: {fault:?}"),
        }
    }
    for length in 0..file.len() {
        assert!(
            matches!(decode_all(&file[..length]), Err(Fault::Truncated { .. })),
            "{length}"
        );
    }
}

#[test]
fn a_wrong_stream_checksum_is_told_from_a_wrong_block() {
    let mut file = compress(b"text", 9);
    let last = file.len() - 2;
    file[last] ^= 0x10;
    assert!(matches!(
        decode_all(&file),
        Err(Fault::StreamChecksum { .. })
    ));
}

const INVALID: [&str; 8] = [
    "crc1", "crc2", "cve", "cve2", "load0", "overrun", "overrun2", "void",
];

#[test]
fn edge_files_decode_as_the_stock_decoder_has_them() {
    let Some(folder) = corpus("conformance/bzip2-lbzip2") else {
        return;
    };
    let mut folders = vec![folder.clone()];
    folders.extend(["fuzz-collect", "manual-compress", "manual-expand"].map(|f| folder.join(f)));
    let (mut valid, mut invalid_expansions) = (0, 0);
    for folder in folders {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "bz2") {
                continue;
            }
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let file = std::fs::read(&path).unwrap();
            let decoded = decode_all(&file);
            if INVALID.contains(&name.as_str()) {
                assert!(decoded.is_err(), "{name}");
                continue;
            }
            if folder.ends_with("manual-expand") && decoded.is_err() {
                invalid_expansions += 1;
                let mut out = Vec::new();
                let stock = bzip2::read::MultiBzDecoder::new(&file[..]).read_to_end(&mut out);
                assert!(file.is_empty() || stock.is_err(), "{name}: {decoded:?}");
                continue;
            }
            let (out, _, garbage) = decoded.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            valid += 1;
            match name.as_str() {
                "ch255" => assert_eq!(out.len(), 46_620_000),
                "idx899999" => assert_eq!(out.len(), 46_619_999),
                _ => assert!(
                    out == stock(&file[..file.len() - garbage as usize]),
                    "{name}"
                ),
            }
        }
    }
    println!("{valid} valid, {invalid_expansions} invalid expansions");
    assert_eq!(invalid_expansions, 7);
}

#[test]
fn samples_decode_to_their_references() {
    for name in ["sample1", "sample2", "sample3"] {
        let Some(path) = corpus(&format!("conformance/bzip2-libbz2/{name}.bz2")) else {
            return;
        };
        let (out, ..) = decode_all(&std::fs::read(&path).unwrap()).unwrap();
        assert!(
            out == std::fs::read(path.with_extension("ref")).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn the_sample_dump_has_six_blocks() {
    let Some(path) = corpus("seed-enwiki-part/wikidump.part.xml.bz2") else {
        return;
    };
    let file = std::fs::read(path).unwrap();
    let (out, blocks, garbage) = decode_all(&file).unwrap();
    assert_eq!((blocks, garbage), (6, 0));
    assert!(out == stock(&file));
}
