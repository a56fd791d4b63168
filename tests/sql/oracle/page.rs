//! Runs the statements of a page of `docs/`.

use super::corpus::session;
use datafusion::arrow::util::pretty::pretty_format_batches;
use libtest_mimic::{Failed, Trial};

/// The trials of this module: pages whose statements read only the files of the project.
pub fn trials() -> Vec<Trial> {
    vec![Trial::test("oracle::the page of shared text", || {
        crate::run(run("shared_text.md", &[]))
    })]
}

/// A statement of the page.
pub struct Statement {
    /// Its text.
    pub sql: String,
    /// How many times the page runs it.
    pub repeat: usize,
    /// The answer that the page shows below it.
    pub answer: Option<String>,
}

/// The blocks ```` ```sql ```` of the page, with the blocks ```` ```text ```` that follow them.
pub fn statements(page: &str) -> Vec<Statement> {
    let page = crate::root().join("docs").join(page);
    let page = std::fs::read_to_string(page).expect("the page");
    let mut statements: Vec<Statement> = Vec::new();
    // Text and code blocks alternate.
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').expect("a block of lines");
        if kind == "text" {
            if let Some(before) = statements.last_mut() {
                before.answer = Some(text.trim().to_owned());
            }
            continue;
        }
        let repeat = kind.strip_prefix("sql repeat=").unwrap_or("1");
        statements.push(Statement {
            sql: text.trim().trim_end_matches(';').to_owned(),
            repeat: repeat.parse().expect("a number of rounds"),
            answer: None,
        });
    }
    statements
}

/// Runs every statement of the page, in order, and compares its answer with the one that the page shows. `replace` maps
/// file names of the page to paths.
pub async fn run(page: &'static str, replace: &[(&str, &str)]) -> Result<(), Failed> {
    let context = session(2)?;
    let mut answers = 0;
    for statement in statements(page) {
        let mut sql = crate::calls::query(&statement.sql);
        for (name, path) in replace {
            sql = sql.replace(name, path);
        }
        let mut batches = Vec::new();
        for _ in 0..statement.repeat {
            batches = context.sql(&sql).await?.collect().await?;
        }
        if let Some(expected) = &statement.answer {
            let found = pretty_format_batches(&batches)?.to_string();
            if found != *expected {
                return Err(format!("{sql}\nthe page says\n{expected}\nfound\n{found}").into());
            }
            answers += 1;
        }
    }
    match answers {
        0 => Err("the page has no answers".into()),
        _ => Ok(()),
    }
}
