//! No more is read, and no more is decoded, than a query needs.

use super::support::*;

#[tokio::test]
async fn columns_that_are_not_asked_for_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "a.xml", &generated("testwiki", 50, 2_000));
    let (session, _) = pages(2, &[&file], &[("language", "de")]);
    let plan = query(
        &session,
        "EXPLAIN SELECT title FROM pages WHERE page_id > 5",
    )
    .await
    .unwrap();
    assert!(plan.contains("projection=[page_id, title]"), "{plan}");
    assert!(
        plan.contains("file_type=wikidump, namespaces=[0]"),
        "{plan}"
    );
    let plan = query(&session, "EXPLAIN SELECT upper(title) FROM pages")
        .await
        .unwrap();
    assert!(plan.contains("projection=[title]"), "{plan}");
    for (sql, want) in [
        ("SELECT count(*) FROM pages", "50"),
        ("SELECT count(wikitext) FROM pages", "50"),
        ("SELECT sum(page_id) FROM pages", "1275"),
        ("SELECT kind FROM pages WHERE page_id = 7", "article"),
        ("SELECT max(wiki) FROM pages", "testwiki"),
        ("SELECT min(language) FROM pages", "de"),
        ("SELECT max(model) FROM pages", "wikitext"),
        ("SELECT count(redirect) FROM pages", "0"),
        ("SELECT max(timestamp) FROM pages", "2020-01-01T00:00:00Z"),
        (
            "SELECT title AS a FROM (SELECT page_id AS b, title FROM pages) WHERE b = 3",
            "Page 3",
        ),
        (
            "SELECT min(octet_length(wikitext)) > 1999 FROM pages",
            "true",
        ),
    ] {
        assert_eq!(value(&session, sql).await.unwrap(), want, "{sql}");
    }
}

#[tokio::test]
async fn a_limit_stops_the_reader() {
    let dir = tempfile::tempdir().unwrap();
    // 48 MB of XML.
    let xml = generated("testwiki", 12_000, 4_000);
    let plain = write(dir.path(), "a.xml", &xml);
    let bz2 = write(dir.path(), "a.xml.bz2", &bzip2(&xml[..12 << 20]));
    for (file, options) in [(&plain, vec![]), (&bz2, vec![("on_error", "skip")])] {
        let (session, _) = pages(4, &[file], &options);
        for sql in [
            "SELECT * FROM pages LIMIT 1",
            "SELECT title FROM pages WHERE page_id > 5 LIMIT 1",
        ] {
            let start = std::time::Instant::now();
            let (batches, scanned) = run(&session, sql).await.unwrap();
            let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
            assert_eq!(rows, 1);
            let took = start.elapsed();
            println!("{file:?} {sql}: {scanned} bytes, {took:?}");
            assert!(scanned < 16 << 20, "{sql}: {scanned} bytes");
        }
    }
}
