//! Bytes that cannot be read are an error that names the file and the position, or are counted.

use std::path::Path;
use std::time::Duration;

use datafusion::physical_plan::collect;
use futures::StreamExt;

use super::support::*;

const EVERYTHING: [(&str, &str); 2] = [("namespaces", "all"), ("redirects", "true")];
const SALVAGE: [(&str, &str); 3] = [EVERYTHING[0], EVERYTHING[1], ("on_error", "skip")];

async fn failure(file: &Path) -> String {
    message(rows(&pages(2, &[file], &EVERYTHING).0).await)
}

#[tokio::test]
async fn dumps_of_two_wikis_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let a = write(dir.path(), "a.xml", &generated("aawiki", 2, 10));
    let b = write(dir.path(), "b.xml", &generated("bbwiki", 2, 10));
    let text = message(rows(&pages(2, &[&a, &b], &[]).0).await);
    for part in [
        "a.xml is a dump of aawiki",
        "b.xml one of bbwiki",
        "page ids",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let none = write(
        dir.path(),
        "c.xml",
        b"<page><title>A</title><id>1</id></page>",
    );
    assert_eq!(
        message(rows(&pages(2, &[&a, &none], &[]).0).await),
        "no error"
    );
}

#[tokio::test]
async fn files_that_are_not_there_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let text = failure(&dir.path().join("a.xml")).await;
    assert!(text.ends_with("/a.xml: no such file"), "{text}");
    let text = failure(&dir.path().join("*.xml")).await;
    assert!(text.ends_with("/*.xml: no file matches"), "{text}");
    let text = failure(dir.path()).await;
    assert!(text.contains(": is a directory; name files"), "{text}");
    let text = failure(&dir.path().join("[.xml")).await;
    assert!(text.contains("[.xml: "), "{text}");
    #[cfg(unix)]
    {
        let text = failure(Path::new("/dev/null")).await;
        assert!(text.contains("/dev/null: is not a regular file"), "{text}");
    }
    let text = failure(Path::new("nowhere://bucket/a.xml")).await;
    assert!(text.contains("nowhere://bucket"), "{text}");
}

#[tokio::test]
async fn a_path_is_taken_as_it_is_before_it_is_a_pattern() {
    let dir = tempfile::tempdir().unwrap();
    let xml = generated("testwiki", 3, 10);
    for name in ["a [1] b.xml", "é%20#?.xml", "plain.xml"] {
        let file = write(dir.path(), name, &xml);
        assert_eq!(rows(&pages(2, &[&file], &[]).0).await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn files_that_are_no_dumps_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for (bytes, part) in [
        (&b""[..], "the file is empty"),
        (b"\xFF\xFE<\0", "encoded in UTF-16"),
        (b"PK\x03\x04", "a zip archive"),
        (b"hello", "neither XML nor bz2 nor gzip"),
    ] {
        let file = write(dir.path(), "a.xml", bytes);
        let text = failure(&file).await;
        assert!(text.contains("/a.xml: ") && text.contains(part), "{text}");
    }
    let file = write(dir.path(), "b.xml", b"<mediawiki></mediawiki>");
    assert!(rows(&pages(7, &[&file], &[]).0).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_flipped_bit_is_an_error_or_counted() {
    let dir = tempfile::tempdir().unwrap();
    let xml = generated("testwiki", 400, 3_000);
    let mut bytes = bzip2(&xml);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    let file = write(dir.path(), "broken.xml.bz2", &bytes);
    let text = failure(&file).await;
    assert!(
        text.contains("/broken.xml.bz2: corrupt bz2 block at bit "),
        "{text}"
    );
    let mut known = None;
    for partitions in [1, 2, 7, 64] {
        let (session, table) = pages(partitions, &[&file], &SALVAGE);
        let rows = rows(&session).await.unwrap();
        assert!((300..400).contains(&rows.len()), "{}", rows.len());
        let losses = table.take_losses();
        assert_eq!(losses.len(), 1);
        assert!(losses[0].0.ends_with("/broken.xml.bz2"));
        assert_eq!(losses[0].1.blocks, 1, "{}", losses[0].1);
        assert_eq!(table.take_losses(), []);
        let found = (rows, losses);
        assert_eq!(
            *known.get_or_insert_with(|| found.clone()),
            found,
            "{partitions}"
        );
    }
    let (session, _) = pages(2, &[&file], &SALVAGE);
    let sql = "EXPLAIN ANALYZE SELECT count(*) FROM pages";
    let plan = query(&session, sql).await.unwrap();
    assert!(plan.contains("skipped_blocks=1"), "{plan}");
}

#[tokio::test]
async fn the_rest_of_real_broken_dumps_is_salvaged() {
    for (name, part) in [
        (
            "derived/elwiki-corrupt-1bit.xml.bz2",
            "corrupt bz2 block at bit",
        ),
        ("derived/elwiki-truncated.xml.bz2", "is cut off at byte"),
    ] {
        let Some(file) = corpus(name) else { return };
        let text = failure(&file).await;
        assert!(text.contains(name) && text.contains(part), "{text}");
        let mut known = None;
        for partitions in [1, 2, 7] {
            let (session, table) = pages(partitions, &[&file], &SALVAGE);
            let rows = rows(&session).await.unwrap();
            let losses = table.take_losses();
            println!("{name}: {} pages, {}", rows.len(), losses[0].1);
            let found = (rows, losses);
            assert_eq!(
                *known.get_or_insert_with(|| found.clone()),
                found,
                "{partitions}"
            );
        }
    }
}

#[tokio::test]
async fn large_pages_are_an_error_or_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "a.xml", &generated("testwiki", 5, 9_000));
    let small = ("max_page_bytes", "8KiB");
    let text = message(rows(&pages(1, &[&file], &[small]).0).await);
    assert!(
        text.contains("/a.xml: ") && text.contains("max_page_bytes"),
        "{text}"
    );
    let (session, table) = pages(1, &[&file], &[small, ("on_error", "skip")]);
    assert!(rows(&session).await.unwrap().is_empty());
    assert_eq!(table.take_losses()[0].1.pages_too_large, 5);
}

#[tokio::test]
async fn a_file_that_changes_after_planning_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "a.xml", &generated("testwiki", 5, 100));
    let (session, _) = pages(1, &[&file], &[]);
    let table = session.table("pages").await.unwrap();
    let plan = table.create_physical_plan().await.unwrap();
    write(dir.path(), "a.xml", &generated("testwiki", 6, 100));
    let text = message(collect(plan, session.task_ctx()).await);
    assert!(text.contains("/a.xml: the file had "), "{text}");
}

#[tokio::test]
async fn a_stream_that_is_dropped_ends_its_thread() {
    let dir = tempfile::tempdir().unwrap();
    // The namespace selects no page, so that the thread can notice only at a read, not at a send.
    let file = write(dir.path(), "a.xml", &generated("testwiki", 20_000, 4_000));
    let (session, _) = pages(1, &[&file], &[("namespaces", "4")]);
    let table = session.table("pages").await.unwrap();
    let plan = table.create_physical_plan().await.unwrap();
    let mut stream = plan.execute(0, session.task_ctx()).unwrap();
    assert!(futures::poll!(stream.next()).is_pending());
    drop(stream);
    let read = || {
        let metrics = plan.metrics().unwrap_or_default();
        let bytes = metrics.sum_by_name("bytes_scanned");
        bytes.map_or(0, |bytes| bytes.as_usize())
    };
    let mut before = usize::MAX;
    for _ in 0..200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = read();
        if now == before {
            break;
        }
        before = now;
    }
    assert!(before < 40_000_000, "{before}");
}
