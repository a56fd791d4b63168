//! A client's session on a cluster.

use super::config;
use super::dictionaries::PlainDictionaries;
use super::query::ClusterPlanner;
use super::scalar_subqueries::OneRowSubqueries;
use super::scratch::Scratch;
use super::subquery_columns::SubqueryColumns;
use super::token::Token;
use ballista_core::extension::SessionStateExt;
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::optimizer::AnalyzerRule;
use datafusion::prelude::SessionContext;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The port of a scheduler whose address has none.
const DEFAULT_PORT: &str = "50050";

/// Where and how queries of a session run.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The scheduler: `df://HOST:PORT`.
    pub scheduler: String,
    /// Number of tasks of a stage, at least 2, and of parts that joins are cut into.
    pub partitions: usize,
    /// A query is resubmitted, at most three times, if none of its tasks ends within this time.
    pub step_timeout: Duration,
    /// A directory that all processes see, for tables in memory above 64 MiB and for rows that are read several times.
    pub scratch: Option<PathBuf>,
    /// The token of the cluster; `None` if it has none.
    pub token: Option<Token>,
}

impl ClientOptions {
    /// The defaults for a scheduler: 16 tasks in a stage, a step timeout of ten minutes.
    pub fn new(scheduler: impl Into<String>) -> Self {
        Self {
            scheduler: scheduler.into(),
            partitions: 16,
            step_timeout: Duration::from_mins(10),
            scratch: None,
            token: None,
        }
    }
}

/// A session whose queries run on a cluster.
///
/// Every executor must see the files under the same path. The scheduler is contacted by the first query. A query
/// is cancelled when the stream of its rows is dropped.
///
/// # Errors
/// If the address of the scheduler is not `df://HOST:PORT`.
pub fn session(options: &ClientOptions, runtime: Arc<RuntimeEnv>) -> Result<SessionContext> {
    let scheduler = address(&options.scheduler)?;
    // Unions need a shuffle, and one partition has none.
    let partitions = options.partitions.max(2);
    let config = config::client_config(options.token.as_ref())
        .with_target_partitions(partitions)
        .set_str("neardup.parts", &partitions.to_string())
        // Only in pull mode is the job id of a query known while it runs.
        .set_str("ballista.client.pull", "true");
    let planner = ClusterPlanner {
        scheduler: scheduler.clone(),
        codec: config::logical_codec(),
        step_timeout: options.step_timeout,
        scratch: Scratch::new(options.scratch.as_deref())?,
        kept: Mutex::default(),
        token: options.token.clone(),
        reached: Arc::default(),
    };
    let state = crate::session::bare(config, &runtime)?.upgrade_for_ballista(scheduler)?;
    let first: Arc<dyn AnalyzerRule + Send + Sync> = Arc::new(PlainDictionaries);
    let last: [Arc<dyn AnalyzerRule + Send + Sync>; 2] =
        [Arc::new(SubqueryColumns), Arc::new(OneRowSubqueries)];
    let rules = state.analyzer().rules.iter().cloned();
    let rules = std::iter::once(first).chain(rules).chain(last).collect();
    let state = SessionStateBuilder::new_from_existing(state)
        .with_analyzer_rules(rules)
        .with_query_planner(Arc::new(planner));
    Ok(crate::session::complete(
        crate::functions::with_functions(state).build(),
    ))
}

/// The address of the scheduler in the form that the engine's client expects.
fn address(url: &str) -> Result<String> {
    let wrong = || plan_datafusion_err!("--cluster {url}: must be df://HOST:PORT");
    let authority = url.strip_prefix("df://").ok_or_else(wrong)?;
    let authority = authority.trim_end_matches('/');
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, port),
        _ => (authority, DEFAULT_PORT),
    };
    if host.is_empty() || port.parse::<u16>().is_err() || host.contains('/') {
        return Err(wrong());
    }
    Ok(format!("http://{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_of_schedulers() {
        assert_eq!(address("df://node1:50051").unwrap(), "http://node1:50051");
        assert_eq!(address("df://node1/").unwrap(), "http://node1:50050");
        assert_eq!(address("df://[::1]").unwrap(), "http://[::1]:50050");
        for wrong in [
            "node1:50050",
            "http://node1",
            "df://",
            "df://:1",
            "df://a:b",
            "df://a/b",
        ] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
