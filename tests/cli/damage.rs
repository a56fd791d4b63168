//! Files of a job that were lost, changed or written by somebody else.

use crate::scratch::{Scratch, root, steps};
use serde_json::Value;

const JOB: [&str; 7] = [
    "dedup", "rows.csv", "-o", "out", "--keep", "longest", "--json",
];

/// A finished job with all steps.
fn finished() -> Scratch {
    let scratch = Scratch::new();
    scratch.generate("300", "rows.parquet");
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'rows.parquet') TO 'rows.csv'",
    ]);
    scratch.succeed(&JOB);
    scratch
}

fn file_of(manifest: &Value, step: usize) -> String {
    let path = manifest["steps"][step]["files"][0]["path"].as_str();
    format!("out/{}", path.expect("a path"))
}

/// The same command repairs a damaged step; it does not require `--overwrite`.
#[test]
fn a_damaged_step_is_done_again_alone() {
    let scratch = finished();
    let published = scratch.published("out");
    let names = steps(&scratch.manifest("out"));
    assert!(names.len() >= 8, "{names:?}");
    for (number, name) in names.iter().enumerate() {
        let before = scratch.manifest("out");
        let file = file_of(&before, number);
        let bytes = scratch.read(&file);
        let said = match number % 3 {
            0 => {
                std::fs::remove_file(scratch.path(&file)).expect("a removed file");
                "is missing"
            }
            1 => {
                let mut bytes = bytes.clone();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                scratch.write(&file, bytes);
                "is damaged"
            }
            _ => {
                scratch.write(&file, &bytes[..bytes.len() - 1]);
                "is of another size"
            }
        };
        let mut job = JOB.to_vec();
        job.pop();
        let answer = scratch.succeed(&job);
        let short = name.split_once('-').expect("a name").1;
        let line = format!("{short}: is done again: ");
        assert!(answer.err.contains(&line), "{name}: {}", answer.err);
        assert!(answer.err.contains(said), "{name}: {}", answer.err);
        assert_eq!(
            answer.err.matches("done again").count(),
            1,
            "{}",
            answer.err
        );
        assert!(scratch.published("out") == published, "{name}: other bytes");
        let after = scratch.manifest("out");
        assert_eq!(after["finished"], true);
        assert_eq!(steps(&after), names);
        for other in 0..names.len() {
            let is_same = before["steps"][other] == after["steps"][other];
            assert_eq!(is_same, other != number, "{name}: {}", names[other]);
        }
    }
    // A directory in its place is nobody's to remove.
    let file = file_of(&scratch.manifest("out"), 1);
    let bytes = scratch.read(&file);
    std::fs::remove_file(scratch.path(&file)).expect("a removed file");
    std::fs::create_dir(scratch.path(&file)).expect("a directory");
    scratch.fail(&JOB, &[&file, "must be a file, but it is a directory"]);
    std::fs::remove_dir(scratch.path(&file)).expect("a removed directory");
    scratch.write(&file, bytes);
    // Several at once, as where somebody removed what seemed to be rubbish.
    std::fs::remove_dir_all(scratch.path("out/steps")).expect("removed steps");
    std::fs::remove_file(scratch.path("out/kept.parquet")).expect("a removed file");
    scratch.succeed(&JOB);
    assert!(scratch.published("out") == published);
    scratch.assert_whole("out");
}

/// A table that somebody else wrote there is not that of the job.
#[test]
fn a_table_of_another_size_is_not_read() {
    let scratch = finished();
    scratch.write("out/kept.parquet", scratch.read("rows.parquet"));
    let sql = ["sql", "--dir", "out", "-c", "SELECT count(*) FROM kept"];
    scratch.fail(&sql, &["kept.parquet", "but the job wrote", "again"]);
    scratch.succeed(&JOB);
    scratch.succeed(&sql);
}

/// Flipped bits in the data of a table may decode to other rows.
#[test]
fn a_table_with_flipped_bits_is_not_read() {
    let scratch = finished();
    for table in ["pairs", "clusters", "kept"] {
        let file = format!("out/{table}.parquet");
        let whole = scratch.read(&file);
        // In the rows, and in the footer.
        for at in [5, whole.len() - 100] {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            scratch.write(&file, bytes);
            let sql = format!("SELECT count(*) FROM {table}");
            let wrong = ["checksum", "run the command of the job again"];
            let damaged = format!("{table}.parquet is damaged");
            scratch.fail(
                &["sql", "--dir", "out", "-c", &sql],
                &[&damaged, wrong[0], wrong[1]],
            );
            let call = format!("SELECT * FROM near_duplicates({table}, text => id)");
            scratch.fail(&["sql", "--dir", "out", "-c", &call], &[&damaged]);
            if table == "clusters" {
                scratch.fail(&["show", "out"], &[&damaged]);
            }
            // The other tables are read.
            let other = match table {
                "pairs" => "SELECT count(*) FROM kept",
                _ => "SELECT count(*) FROM pairs",
            };
            scratch.succeed(&["sql", "--dir", "out", "-c", other]);
        }
        scratch.write(&file, whole);
        let sql = format!("SELECT * FROM {table}; SELECT * FROM {table}");
        scratch.succeed(&["sql", "--dir", "out", "-c", &sql]);
    }
}

/// A table with a damaged footer causes no panic, in statements on it and on other tables.
#[test]
fn damaged_footers_of_tables_are_no_panic() {
    let scratch = finished();
    let whole = scratch.read("out/removed.parquet");
    let length = whole.len();
    let footer = u32::from_le_bytes(
        whole[length - 8..length - 4]
            .try_into()
            .expect("four bytes"),
    );
    let footer = length - 8 - footer as usize;
    let mut places = whole[footer..].windows(12);
    let schema = places.position(|bytes| bytes == b"ARROW:schema");
    let schema = footer + schema.expect("a schema");
    for number in 0..12 {
        let mut bytes = whole.clone();
        bytes[schema + 20 + 23 * number] ^= 4;
        scratch.write("out/removed.parquet", bytes);
        scratch.succeed(&["sql", "--dir", "out", "-c", "SELECT count(*) FROM kept"]);
        let removed = ["sql", "--dir", "out", "-c", "SELECT count(*) FROM removed"];
        let said = scratch.fail(&removed, &["removed.parquet is damaged: its checksum"]);
        assert!(!said.err.contains("panicked"), "{}", said.err);
    }
}

/// `show` reads texts from a step.
#[test]
fn damaged_sentences_are_not_shown() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet", "-o", "out"]);
    scratch.succeed(&["show", "out"]);
    let manifest = scratch.manifest("out");
    let steps = manifest["steps"].as_array().expect("steps");
    let step = steps
        .iter()
        .find(|step| {
            step["name"]
                .as_str()
                .is_some_and(|name| name.ends_with("-sentences"))
        })
        .expect("sentences");
    let file = format!("out/{}", step["files"][0]["path"].as_str().expect("a path"));
    let mut bytes = scratch.read(&file);
    bytes[7] ^= 1;
    scratch.write(&file, bytes);
    scratch.fail(&["show", "out"], &[&file, "is damaged"]);
}

/// Jobs that earlier versions wrote: what they hold is read, but no job goes on with them.
#[test]
fn directories_of_earlier_formats() {
    for (format, files) in [
        (
            1,
            &[
                "manifest.json",
                "pairs.parquet",
                "clusters.parquet",
                "kept.parquet",
            ][..],
        ),
        (
            2,
            &[
                "manifest.json",
                "pairs.parquet",
                "clusters.parquet",
                "kept.parquet",
                "removed.parquet",
            ],
        ),
    ] {
        let scratch = Scratch::new();
        let data = root().join("tests/data");
        let fixture = |name: &str| {
            std::fs::read(data.join(format!("format{format}/{name}"))).expect("the fixture")
        };
        for name in files {
            scratch.write(&format!("old/{name}"), fixture(name));
        }
        let rows = scratch.job_rows("old", "SELECT id FROM kept ORDER BY id");
        let ids: Vec<_> = rows.iter().map(|row| row["id"].as_i64()).collect();
        assert_eq!(ids, [Some(1), Some(2), Some(4)]);
        scratch.write("rows.csv", "id,text\n1,one two three four\n");
        let job = ["dedup", "rows.csv", "-o", "old"];
        let is_of = format!("its format is {format}");
        let said = ["old holds another job", &is_of, "format 3", "--overwrite"];
        scratch.fail(&job, &said);
        for name in files {
            let found = scratch.read(&format!("old/{name}"));
            assert!(found == fixture(name), "{name} was touched");
        }
        scratch.succeed(&["dedup", "rows.csv", "-o", "old", "--overwrite"]);
        assert_eq!(scratch.manifest("old")["format"], 3);
    }
}

#[test]
fn manifests_that_are_not_believed() {
    let scratch = finished();
    let whole = String::from_utf8(scratch.read("out/manifest.json")).expect("text");
    let published = scratch.published("out");
    scratch.write("foreign.parquet", "foreign");
    let newer = whole.replacen("\"format\": 3", "\"format\": 4", 1);
    let flipped = whole.replacen("\"threshold\": 0.8", "\"threshold\": 0.9", 1);
    let enemy = whole.replacen("kept.parquet", "../foreign.parquet", 1);
    let number = whole.replacen("\"rows\": 300", "\"rows\": 18446744073709551615", 1);
    let huge = whole.replacen("\"rows\": 300", "\"rows\": 1e999", 1);
    let negative = whole.replacen("\"rows\": 300", "\"rows\": -1", 1);
    for (text, said) in [
        (newer.as_str(), "its format is 4"),
        (&flipped, "damaged"),
        (&enemy, "damaged"),
        (&number, "damaged"),
        (&huge, "number"),
        (&negative, "invalid"),
        (&whole[..whole.len() / 2], "EOF"),
        ("", "EOF"),
        ("[]", "manifest.json"),
        (&"[".repeat(200_000), "manifest.json"),
    ] {
        assert!(text != whole);
        scratch.write("out/manifest.json", text);
        for more in [&[][..], &["--overwrite"]] {
            let said = ["manifest.json", said, "give another one with -o"];
            scratch.fail(&[&JOB[..], more].concat(), &said);
        }
        for other in [
            &["show", "out"][..],
            &["sql", "--dir", "out", "-c", "SELECT 1"],
        ] {
            scratch.fail(other, &["manifest.json", said]);
        }
        assert!(scratch.read("out/manifest.json") == text.as_bytes());
        assert!(scratch.published("out") == published);
        assert_eq!(scratch.read("foreign.parquet"), b"foreign");
    }
    let sparse = std::fs::File::create(scratch.path("out/manifest.json")).expect("a file");
    sparse.set_len(1 << 40).expect("a sparse file");
    scratch.fail(&JOB, &["manifest.json", "but a manifest has at most"]);
    scratch.fail(
        &["show", "out"],
        &["manifest.json", "but a manifest has at most"],
    );
    std::fs::remove_file(scratch.path("out/manifest.json")).expect("a removed file");
    std::fs::create_dir(scratch.path("out/manifest.json")).expect("a directory");
    scratch.fail(&JOB, &["manifest.json", "must be a file"]);
    std::fs::remove_dir(scratch.path("out/manifest.json")).expect("a removed directory");
    scratch.write("out/manifest.json", &whole);
    scratch.succeed(&JOB);
}

/// A file of 300 rows in two row groups, with checksums of its pages, as PyArrow writes it.
const WITH_CHECKSUMS: &[u8] = include_bytes!("../data/page_checksums.parquet");

#[test]
fn a_damaged_page_is_an_error_that_names_its_file() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("rows")).expect("a directory");
    for name in ["a", "b", "c", "d", "e"] {
        scratch.write(&format!("rows/{name}.parquet"), WITH_CHECKSUMS);
    }
    let query = [
        "sql",
        "-c",
        "SELECT count(DISTINCT text) AS texts FROM 'rows'",
    ];
    assert!(scratch.succeed(&query).out.contains("300"));
    let mut damaged = WITH_CHECKSUMS.to_vec();
    // The first places are statistics in the header of a page, which its checksum does not cover.
    let mut places = damaged.windows(11).enumerate();
    let place = places.by_ref().filter(|(_, text)| text == b"mill of row");
    let place = place.map(|(place, _)| place).nth(9).expect("a text");
    damaged[place] ^= 4;
    scratch.write("rows/d.parquet", &damaged);
    let said = ["rows/d.parquet: ", "CRC"];
    scratch.fail(&query, &said);
    for more in [&[][..], &["--edit", "lines"], &["--id", "row"]] {
        let job = [
            "dedup",
            "rows",
            "-o",
            "out",
            "--overwrite",
            "--row-ids",
            "path",
        ];
        let job = match more {
            ["--id", _] => [&job[..], more].concat(),
            _ => [&job[..5], more, &["--id", "row"]].concat(),
        };
        scratch.fail(&job, &said);
    }
}

/// Whatever byte of the metadata of a file is wrong, it is read, or there is an error that names the file.
#[test]
fn damaged_metadata_of_parquet_is_no_panic() {
    let scratch = Scratch::new();
    let length = WITH_CHECKSUMS.len();
    let footer = &WITH_CHECKSUMS[length - 8..length - 4];
    let footer = u32::from_le_bytes(footer.try_into().expect("four bytes")) as usize;
    let last = length - 8 - footer..length;
    let mut errors = 0;
    let places = last.step_by(37).chain(length - 8..length).enumerate();
    let bits = places.map(|(number, at)| (at, number % 8));
    // The reader panics at the last two.
    for (at, bit) in bits.chain([(16_181, 0), (16_433, 0)]) {
        let mut damaged = WITH_CHECKSUMS.to_vec();
        damaged[at] ^= 1 << bit;
        scratch.write("rows.parquet", &damaged);
        let run = scratch.run(&[
            "sql",
            "-c",
            "SELECT count(DISTINCT text) FROM 'rows.parquet'",
        ]);
        match run.code {
            Some(0) => {}
            Some(1) => {
                errors += 1;
                assert!(run.err.contains("rows.parquet"), "byte {at}: {}", run.err);
                assert!(!run.err.contains("panicked"), "byte {at}: {}", run.err);
            }
            other => panic!("byte {at}: {other:?}: {}", run.err),
        }
    }
    assert!(errors > 8, "{errors}");
}
