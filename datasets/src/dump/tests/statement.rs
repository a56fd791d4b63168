//! `CREATE EXTERNAL TABLE … STORED AS WIKIDUMP`.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use super::super::WikiDumpFactory;
use super::support::*;

fn session() -> SessionContext {
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_table_factory(WikiDumpFactory::NAME.to_owned(), Arc::new(WikiDumpFactory))
        .build();
    SessionContext::new_with_state(state)
}

#[tokio::test]
async fn a_statement_makes_a_table() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "a.xml", &sample_xml());
    let path = file.display();
    let session = session();
    for (table, options, rows) in [
        ("defaults", "", "<"),
        (
            "everything",
            "OPTIONS (namespaces 'all', redirects 'true', revisions 'all', on_error 'skip')",
            "61",
        ),
        (
            "quoted",
            "OPTIONS ('format.namespaces' 'all', 'redirects' true)",
            "61",
        ),
    ] {
        let sql =
            format!("CREATE EXTERNAL TABLE {table} STORED AS WIKIDUMP LOCATION '{path}' {options}");
        query(&session, &sql).await.unwrap();
        let count = value(&session, &format!("SELECT count(*) FROM {table}"))
            .await
            .unwrap();
        match rows {
            "<" => assert!(count.parse::<u32>().unwrap() < 61),
            _ => assert_eq!(count, rows),
        }
    }
}

#[tokio::test]
async fn wrong_statements_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "a.xml", &sample_xml());
    let path = file.display();
    for (before, after, part) in [
        (
            "",
            "OPTIONS (namespace 0)",
            "a dump has no option namespace; it has namespaces,",
        ),
        (
            "",
            "OPTIONS (on_error 'stop')",
            "option on_error must be 'fail' or 'skip', found 'stop'",
        ),
        ("(title TEXT)", "", "a dump has columns of its own"),
    ] {
        let sql = format!(
            "CREATE EXTERNAL TABLE pages {before} STORED AS WIKIDUMP LOCATION '{path}' {after}"
        );
        let text = message(query(&session(), &sql).await);
        assert!(text.contains(part), "{text}");
    }
    let sql = format!("CREATE EXTERNAL TABLE p STORED AS WIKIDUMP LOCATION '{path}.gone'");
    let text = message(query(&session(), &sql).await);
    assert!(text.ends_with(".gone: no such file"), "{text}");
}
