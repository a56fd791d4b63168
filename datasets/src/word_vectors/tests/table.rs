//! Files, objects, partitions, and plans as bytes.

use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::path::Path;
use datafusion::object_store::{ObjectStoreExt, PutPayload};
use std::sync::Arc;

use super::super::{Format, WordVectorOptions, WordVectorSource, WordVectorTable};
use super::support::*;
use crate::files::Wire;

const ROWS: &str = "SELECT word, vector FROM vectors ORDER BY word, vector";

/// Rows of two numbers.
fn text(first: usize, count: usize) -> String {
    (first..first + count)
        .map(|row| format!("w{row:06} {row} -0.5\n"))
        .collect()
}

#[tokio::test]
async fn files_are_shared_among_partitions() {
    let dir = tempfile::tempdir().unwrap();
    for (file, count) in [3_000, 1, 20_000, 7].into_iter().enumerate() {
        let path = dir.path().join(format!("{file}.txt"));
        std::fs::write(path, text(file * 100_000, count)).unwrap();
    }
    let glob = format!("{}/*.txt", dir.path().display());
    let expected = query(&vectors(1, &[&glob]), ROWS).await.unwrap();
    assert_eq!(expected.lines().count(), 23_008 + 4);
    for partitions in [2, 3, 7, 64] {
        let found = query(&vectors(partitions, &[&glob]), ROWS).await.unwrap();
        assert_eq!(found, expected, "{partitions} partitions");
    }
}

#[tokio::test]
async fn only_what_is_asked_for_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    std::fs::write(&path, text(0, 20_000)).unwrap();
    let session = vectors(2, &[&path.display().to_string()]);
    for (sql, row) in [
        ("SELECT count(*) FROM vectors", "| 20000    |"),
        ("SELECT max(word) FROM vectors", "| w019999           |"),
        (
            "SELECT count(vector), max(vector) FROM vectors",
            "| 20000                 | [19999.0, -0.5]     |",
        ),
        (
            "SELECT vector, word FROM vectors LIMIT 1",
            "| [0.0, -0.5] | w000000 |",
        ),
    ] {
        let found = query(&session, sql).await.unwrap();
        assert!(found.contains(row), "{found}");
    }
}

#[tokio::test]
async fn objects_are_read_by_name_and_by_pattern() {
    let store = Arc::new(InMemory::new());
    for (name, text) in [("v/a.txt", text(0, 9_000)), ("v/b.txt", text(9_000, 10))] {
        let payload = PutPayload::from(text.into_bytes());
        store.put(&Path::from(name), payload).await.unwrap();
    }
    for (location, rows) in [
        ("mem://bucket/v/a.txt", 9_000),
        ("mem://bucket/v/*.txt", 9_010),
    ] {
        let session = vectors(3, &[location]);
        let url = ObjectStoreUrl::parse("mem://bucket").unwrap();
        session.register_object_store(url.as_ref(), Arc::clone(&store) as _);
        let found = query(&session, ROWS).await.unwrap();
        assert_eq!(found.lines().count(), rows + 4, "{location}");
    }
}

#[tokio::test]
async fn faults_name_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (a, b, c) = (
        write("a.txt", "x 1 2\ny 1 z\n"),
        write("b.txt", "x 1 2 3\n"),
        write("c.txt", "words\n"),
    );
    let directory = dir.path().display().to_string();
    for (locations, part) in [
        (
            vec![a.as_str()],
            "a.txt: line 2: number 2 of 'y' is no number: 'z'",
        ),
        (
            vec![a.as_str(), b.as_str()],
            "a.txt has vectors of 2 numbers and",
        ),
        (
            vec![a.as_str(), b.as_str()],
            "b.txt of 3: the files of one call must have the same",
        ),
        (vec![c.as_str()], "c.txt: the file is in no known format"),
        (vec!["/nowhere/x.txt"], "/nowhere/x.txt: no such file"),
        (vec![directory.as_str()], "name files, for example '"),
    ] {
        let text = message(query(&vectors(2, &locations), ROWS).await);
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn tables_and_scans_travel() {
    let options = WordVectorOptions {
        format: Some(Format::Word2vecBinary),
        ..WordVectorOptions::default()
    };
    let locations = ["a", "/data/b", "s3://bucket/c"].map(str::to_owned);
    let table = WordVectorTable::try_new(locations.to_vec(), options).unwrap();
    let back = WordVectorTable::from_bytes(&table.to_bytes().unwrap()).unwrap();
    // A relative path is opened in the directory of the process that named it.
    let here = std::env::current_dir().unwrap();
    let opened = [
        here.join("a").display().to_string(),
        locations[1].clone(),
        locations[2].clone(),
    ];
    assert_eq!((back.locations(), back.options()), (&opened[..], &options));
    let source = WordVectorSource::new(options);
    let back = WordVectorSource::from_bytes(&source.to_bytes().unwrap()).unwrap();
    assert_eq!(back.options(), &options);
    assert!(WordVectorTable::from_bytes(b"{}").is_err());
    assert!(WordVectorTable::try_new(vec![], options).is_err());
}
