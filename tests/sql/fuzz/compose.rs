//! Equivalent ways to write a relation and a call.

use super::calls::Call;
use super::random::Random;
use super::rows::Row;

/// How a relation argument is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Table,
    Qualified,
    Subquery,
    Filter,
    Limit,
    Offset,
    Cte,
    View,
    Union,
    Join,
    Distinct,
    File,
}

const RELATIONS: &[Relation] = &[
    Relation::Table,
    Relation::Table,
    Relation::Qualified,
    Relation::Subquery,
    Relation::Filter,
    Relation::Limit,
    Relation::Offset,
    Relation::Cte,
    Relation::View,
    Relation::Union,
    Relation::Join,
    Relation::Distinct,
    Relation::File,
];

impl Relation {
    pub fn random(random: &mut Random) -> Self {
        *random.pick(RELATIONS)
    }

    /// The rows of the relation over `rows`, which are ordered by `place`.
    pub fn rows(self, rows: &[Row]) -> Vec<Row> {
        let rows = rows.iter();
        match self {
            Self::Filter => rows.filter(|row| row.place % 3 != 0).cloned().collect(),
            Self::Limit => rows.take(7).cloned().collect(),
            Self::Offset => rows.skip(5).cloned().collect(),
            _ => rows.cloned().collect(),
        }
    }

    /// Preparing statements, a CTE, and the argument. `files` is a directory.
    fn written(self, table: &str, files: &str) -> (Vec<String>, Option<String>, String) {
        let all = format!("SELECT * FROM {table}");
        let argument = match self {
            Self::Table => table.to_owned(),
            Self::Qualified => format!("datafusion.public.\"{table}\""),
            Self::Subquery => format!("({all})"),
            Self::Filter => format!("({all} WHERE place % 3 <> 0)"),
            Self::Limit => format!("({all} ORDER BY place LIMIT 7)"),
            Self::Offset => format!("({all} ORDER BY place OFFSET 5)"),
            Self::Union => {
                format!("({all} WHERE place % 2 = 0 UNION ALL {all} WHERE place % 2 <> 0)")
            }
            Self::Join => {
                format!("(SELECT l.* FROM {table} AS l JOIN {table} AS r ON l.place = r.place)")
            }
            Self::Distinct => {
                format!("(SELECT DISTINCT id, text, page, place, vector, signature FROM {table})")
            }
            Self::Cte => {
                let name = format!("cte_of_{table}");
                return (vec![], Some(format!("{name} AS ({all})")), name);
            }
            Self::View => {
                let name = format!("view_of_{table}");
                return (vec![format!("CREATE VIEW {name} AS {all}")], None, name);
            }
            Self::File => {
                let path = format!("{files}/{table}.parquet");
                return (
                    vec![format!("COPY ({all} ORDER BY place) TO '{path}'")],
                    None,
                    format!("'{path}'"),
                );
            }
        };
        (vec![], None, argument)
    }
}

/// How a call is embedded in its query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallSite {
    From,
    Cte,
    View,
    Ordered,
    Prepared,
    Created,
    Option,
}

const CALL_SITES: &[CallSite] = &[
    CallSite::From,
    CallSite::From,
    CallSite::Cte,
    CallSite::View,
    CallSite::Ordered,
    CallSite::Prepared,
    CallSite::Created,
    CallSite::Option,
];

impl CallSite {
    pub fn random(random: &mut Random) -> Self {
        *random.pick(CALL_SITES)
    }
}

/// The statements of a call; the last one gives its rows.
pub fn statements(
    call: &Call,
    relations: [Relation; 2],
    call_site: CallSite,
    parts: Option<usize>,
    files: &str,
) -> Vec<String> {
    let (mut statements, first_cte, first) = relations[0].written("docs", files);
    let (more, second_cte, second) = relations[1].written("others", files);
    let mut ctes: Vec<String> = first_cte.into_iter().collect();
    if call.two() {
        statements.extend(more);
        ctes.extend(second_cte);
    }
    let parts = parts.filter(|_| call.has_parts());
    let argument = match (parts, call_site) {
        (Some(parts), CallSite::Option) => {
            statements.push(format!("SET neardup.parts = {parts}"));
            String::new()
        }
        (Some(_), CallSite::Prepared) => ", parts => $1".to_owned(),
        (Some(parts), _) => format!(", parts => {parts}"),
        (None, _) => String::new(),
    };
    let (columns, call) = call.sql(&first, &second, &argument);
    let with = |ctes: &[String]| match ctes {
        [] => String::new(),
        ctes => format!("WITH {} ", ctes.join(", ")),
    };
    let query = format!("{}SELECT {columns} FROM {call}", with(&ctes));
    match call_site {
        CallSite::From | CallSite::Option => statements.push(query),
        CallSite::Cte => {
            ctes.push(format!("found AS (SELECT * FROM {call})"));
            statements.push(format!("{}SELECT {columns} FROM found", with(&ctes)));
        }
        CallSite::View => statements.extend([
            format!("CREATE VIEW found AS {query}"),
            "SELECT * FROM found".to_owned(),
        ]),
        CallSite::Ordered => statements.push(format!(
            "SELECT * FROM ({query}) ORDER BY 1 DESC, 2 LIMIT 1000000000"
        )),
        CallSite::Created => statements.extend([
            format!("CREATE TABLE found AS {query}"),
            "SELECT * FROM found".to_owned(),
        ]),
        CallSite::Prepared => match parts {
            Some(parts) => statements.extend([
                format!("PREPARE asked AS {query}"),
                format!("EXECUTE asked({parts})"),
            ]),
            None => statements.extend([
                format!("PREPARE asked AS {query}"),
                "EXECUTE asked".to_owned(),
            ]),
        },
    }
    if call_site == CallSite::Ordered && columns == "place" {
        // One column.
        if let Some(last) = statements.last_mut() {
            *last = last.replace("ORDER BY 1 DESC, 2", "ORDER BY 1 DESC");
        }
    }
    statements
}
