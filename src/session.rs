//! Sessions: DataFusion with the functions, operators and table functions of this crate.

use crate::files::{CopyPlainTexts, DoubtDoubles, FileTables, ScanDoubles, with_buckets};
use crate::functions::{BoundOffsets, ExpandDeferredCalls, FunctionPlanner};
use crate::operators::planner::NeardupQueryPlanner;
use crate::operators::shared_rows::ReadOnce;
use crate::operators::whole_files::WholeFiles;
use crate::options::NeardupOptions;
use datafusion::catalog::{DynamicFileCatalog, UrlTableFactory};
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::optimizer::{Analyzer, AnalyzerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup_datasets::WikiDumpFactory;
use std::sync::{Arc, LazyLock};

/// A session with everything of this crate, on the given configuration and runtime.
///
/// The runtime keeps its memory, its disk space and its object stores; buckets that are not registered are
/// opened as addresses name them (`s3://BUCKET/KEY`, with the settings of the environment).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::common::Result<()> {
/// let session = neardup::session(Default::default(), Default::default())?;
/// let sql = "SELECT id_a, id_b, similarity FROM jaccard_join((
///     SELECT column1 AS id, column2 AS text
///     FROM (VALUES (1, 'one two three four'), (2, 'One two three four!'), (3, 'five'))))";
/// let pairs = session.sql(sql).await?.collect().await?;
/// assert_eq!(pairs.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the session refuses a function or the runtime; it does not.
pub fn session(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Result<SessionContext> {
    complete(bare(config, &runtime)?)
}

/// A state with everything but table functions and files as tables.
pub(crate) fn bare(config: SessionConfig, runtime: &RuntimeEnv) -> Result<SessionState> {
    let mut config = config.with_information_schema(true);
    // A file for each batch that a repartition writes to disk. With more batches in a file, of two that are open
    // the reader waits for the older one while what it wants is in the newer one, and the query never ends
    // (<https://github.com/apache/datafusion/issues/24883>).
    config.options_mut().execution.max_spill_file_size_bytes = ConfigNonZeroUsize::try_new(1)?;
    if config
        .options()
        .extensions
        .get::<NeardupOptions>()
        .is_none()
    {
        config = config.with_option_extension(NeardupOptions::default());
    }
    Ok(with_operators(SessionStateBuilder::new())
        .with_config(config)
        .with_runtime_env(with_buckets(runtime)?)
        .build())
}

/// A session with table functions and files as tables, over a state without.
pub(crate) fn complete(state: SessionState) -> Result<SessionContext> {
    let files = Arc::new(FileTables::default());
    let catalogs = DynamicFileCatalog::new(
        Arc::clone(state.catalog_list()),
        Arc::clone(&files) as Arc<dyn UrlTableFactory>,
    );
    let state = SessionStateBuilder::new_from_existing(state)
        .with_catalog_list(Arc::new(catalogs))
        .build();
    let context = SessionContext::new_with_state(state);
    files.belong_to(context.state_weak_ref());
    FunctionPlanner::install(&context, 0)?;
    Ok(context)
}

/// A state with our functions and operators, without table functions; its catalogue is shared and
/// must be replaced.
pub(crate) fn bare_state(config: SessionConfig) -> SessionState {
    static BASE: LazyLock<SessionState> =
        LazyLock::new(|| with_operators(SessionStateBuilder::new()).build());
    SessionStateBuilder::new_from_existing(BASE.clone())
        .with_config(config)
        .build()
}

/// DataFusion's functions and ours, and our operators.
fn with_operators(builder: SessionStateBuilder) -> SessionStateBuilder {
    let expand: Arc<dyn AnalyzerRule + Send + Sync> = Arc::new(ExpandDeferredCalls);
    let read_once: Arc<dyn AnalyzerRule + Send + Sync> = Arc::new(ReadOnce);
    let copy: Arc<dyn AnalyzerRule + Send + Sync> = Arc::new(CopyPlainTexts);
    let offsets: Arc<dyn AnalyzerRule + Send + Sync> = Arc::new(BoundOffsets);
    let rules = [offsets, expand, read_once].into_iter();
    let rules = rules.chain(Analyzer::new().rules);
    let rules = rules.chain(std::iter::once(copy));
    let doubt: Arc<dyn PhysicalOptimizerRule + Send + Sync> = Arc::new(DoubtDoubles);
    let scan: Arc<dyn PhysicalOptimizerRule + Send + Sync> = Arc::new(ScanDoubles);
    // Statistics are doubted before any rule believes them; filters are looked at once all are pushed down.
    let physical = std::iter::once(doubt).chain(PhysicalOptimizer::new().rules);
    let whole: Arc<dyn PhysicalOptimizerRule + Send + Sync> = Arc::new(WholeFiles);
    let physical = physical.chain([scan, whole]);
    let builder = builder
        .with_default_features()
        .with_analyzer_rules(rules.collect())
        .with_physical_optimizer_rules(physical.collect())
        .with_query_planner(Arc::new(NeardupQueryPlanner))
        .with_table_factory("WIKIDUMP".to_owned(), Arc::new(WikiDumpFactory));
    with_functions(builder)
}

/// Adds our functions.
pub(crate) fn with_functions(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let scalar = builder.scalar_functions().get_or_insert_default();
    scalar.extend(neardup_udfs::scalar_functions());
    let aggregate = builder.aggregate_functions().get_or_insert_default();
    aggregate.extend(neardup_udfs::aggregate_functions());
    builder
}
