//! Sessions: DataFusion with the functions, operators and table functions of this crate.

use crate::files::{
    CopyPlainTexts, DropDoubtfulStatistics, FileTables, PruneByKnownValues, TsvFactory,
    with_buckets, written_formats,
};
use crate::functions::{
    BoundOffsets, ExpandDeferredCalls, FromItems, FunctionPlanner, OffsetsAboveLimits,
    with_functions,
};
use crate::operators::JoinSmallSide;
use crate::operators::claimed_keys::TrueKeys;
use crate::operators::comparisons::{BothZeros, CommonTypes, SafeConditions};
use crate::operators::distinct_members::DistinctMembers;
use crate::operators::filters::{
    AboveEqualNames, AboveTotals, DuplicatesOutsideSorts, FiltersInPlace,
};
use crate::operators::float_extremes::extremes;
use crate::operators::fresh_names::FreshNames;
use crate::operators::join_conditions::ColumnsFirst;
use crate::operators::lost_conditions::LostConditions;
use crate::operators::moved_conditions::MovedConditions;
use crate::operators::not_in::UnknownMembers;
use crate::operators::null_equality::{JoinsOfOneKind, KeysOfOneKind};
use crate::operators::ordered_lists::{ListsOfWindows, ordered_lists};
use crate::operators::own_names::OwnNames;
use crate::operators::plain_keys::PlainKeys;
use crate::operators::planner::NeardupQueryPlanner;
use crate::operators::scan_names::ScanNames;
use crate::operators::shared_rows::ReadOnce;
use crate::operators::shifted_values::shifted_values;
use crate::operators::sort_keys::DistinctSortKeys;
use crate::operators::tables::OperatorsAsTables;
use crate::operators::unknown_values::{UnknownValues, UnsortedGroupingSets};
use crate::operators::whole_files::WholeFiles;
use crate::operators::written_order::{RequireOrder, WrittenOrder};
use crate::options::NeardupOptions;
use crate::resources::Resources;
use crate::statements::PreparedStatements;
use datafusion::catalog::{DynamicFileCatalog, MemoryCatalogProviderList, UrlTableFactory};
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::common::{Result, TableReference};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::optimizer::{Analyzer, Optimizer, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup_datasets::WikiDumpFactory;
use std::sync::Arc;

/// A scalar function that only sessions with this crate have.
const MARKER_FUNCTION: &str = "prefix_tokens";

/// Adds this crate to a session of a host.
pub trait NeardupExt {
    /// Adds scalar functions, aggregates, table functions, their operators, `SET neardup.…` options and `STORED AS
    /// WIKIDUMP` and `TSV`. Existing planners and rules are kept: the host's query planner is called by ours, its
    /// relation planners run after ours, and its rules run as before. A session that was extended already is left as it
    /// is.
    ///
    /// Table functions find tables in the catalogs that the builder has now, so catalogs come first. A query
    /// planner may come later, also one that knows nothing of ours; the memory of plans is then not
    /// bounded by the size of their rows.
    ///
    /// ```
    /// use datafusion::execution::SessionStateBuilder;
    /// use datafusion::prelude::SessionContext;
    /// use neardup::NeardupExt;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> datafusion::common::Result<()> {
    /// let state = SessionStateBuilder::new().with_default_features().with_neardup().build();
    /// let session = SessionContext::new_with_state(state);
    /// session.sql("CREATE TABLE docs AS VALUES (1, 'one two three four'), (2, 'One two three four!')").await?.collect().await?;
    /// let pairs = session.sql("SELECT * FROM jaccard_join(docs, id => column1, text => column2)").await?;
    /// assert_eq!(pairs.count().await?, 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn with_neardup(self) -> Self;
}

impl NeardupExt for SessionStateBuilder {
    fn with_neardup(mut self) -> Self {
        let functions = self.scalar_functions().iter().flatten();
        if functions
            .map(|function| function.name())
            .any(|name| name == MARKER_FUNCTION)
        {
            return self;
        }
        let mut builder = extended(self);
        let optimizer = builder.optimizer().get_or_insert_with(Optimizer::new);
        optimizer.rules.push(Arc::new(OperatorsAsTables));
        let host = builder.query_planner().take();
        with_table_functions(builder).with_query_planner(Arc::new(NeardupQueryPlanner { host }))
    }
}

/// Adds this crate to an existing session: what [`NeardupExt::with_neardup`] adds, and files in quotes as tables
/// (`FROM 'docs.parquet'`).
///
/// # Errors
/// None at present; the signature allows for sessions that refuse a function.
pub fn install(context: &SessionContext) -> Result<()> {
    let state = context.state();
    if state.scalar_functions().contains_key(MARKER_FUNCTION) {
        return Ok(());
    }
    let (state, files) = with_files(state);
    let state = SessionStateBuilder::new_from_existing(state).with_neardup();
    *context.state_ref().write() = state.build();
    files.belong_to(context.state_weak_ref());
    Ok(())
}

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
/// None at present; the signature allows for sessions that refuse a function or the runtime.
pub fn session(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Result<SessionContext> {
    Ok(complete(bare(config, &runtime)?))
}

impl Resources {
    /// A session with these limits; rows that do not fit into memory are spilled to disk.
    ///
    /// # Errors
    /// If the address space is too small, if temporary files cannot be made in the given directory, and as
    /// [`session`].
    pub fn session(&self) -> Result<SessionContext> {
        let (config, runtime) = self.limits()?;
        session(config, runtime)
    }
}

/// The names of the tables in the default schema of a session, sorted.
pub fn table_names(context: &SessionContext) -> Vec<String> {
    let state = context.state();
    let schema = state.schema_for_ref(TableReference::bare("any"));
    let mut names = schema
        .map(|schema| schema.table_names())
        .unwrap_or_default();
    names.sort_unstable();
    names
}

/// A state with everything but table functions and files as tables.
pub(crate) fn bare(config: SessionConfig, runtime: &RuntimeEnv) -> Result<SessionState> {
    let mut config = config.with_information_schema(true);
    // The rules that move the fields of structs towards scans leave plans behind them that do not fit together, so
    // that queries such as `WHERE p['x'] NOT IN (SELECT …)` end with an error about a missing column.
    let optimizer = &mut config.options_mut().optimizer;
    optimizer.enable_leaf_expression_pushdown = false;
    let builder = SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_runtime_env(with_buckets(runtime)?)
        .with_query_planner(Arc::new(NeardupQueryPlanner::default()));
    let mut builder = extended(builder);
    let analyzer = builder.analyzer().get_or_insert_with(Analyzer::new);
    analyzer.rules.insert(0, Arc::new(BoundOffsets));
    analyzer.rules.push(Arc::new(CopyPlainTexts));
    let physical = builder.physical_optimizers();
    let physical = physical.get_or_insert_with(PhysicalOptimizer::new);
    insert_before(physical, "EnsureRequirements", Arc::new(RequireOrder));
    physical.rules.push(Arc::new(WrittenOrder));
    physical.rules.push(Arc::new(WholeFiles));
    let formats = builder.file_formats().get_or_insert_default();
    formats.extend(written_formats());
    Ok(builder.build())
}

/// A session with table functions and files as tables, over a state without.
pub(crate) fn complete(state: SessionState) -> SessionContext {
    let (state, files) = with_files(state);
    let state = with_table_functions(SessionStateBuilder::new_from_existing(state)).build();
    let context = SessionContext::new_with_state(state);
    files.belong_to(context.state_weak_ref());
    context
}

/// A state in which quoted names that are no tables are files, once these know their session.
fn with_files(state: SessionState) -> (SessionState, Arc<FileTables>) {
    let files = Arc::new(FileTables::default());
    let catalogs = DynamicFileCatalog::new(
        Arc::clone(state.catalog_list()),
        Arc::clone(&files) as Arc<dyn UrlTableFactory>,
    );
    let state = SessionStateBuilder::new_from_existing(state)
        .with_catalog_list(Arc::new(catalogs))
        .build();
    (state, files)
}

/// Adds what every session has, but for the planners.
fn extended(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let config = builder.config().get_or_insert_default();
    // A file for each batch that a repartition writes to disk. With more batches in a file, of two that are open
    // the reader waits for the older one while what it wants is in the newer one, and the query never ends
    // (<https://github.com/apache/datafusion/issues/24883>).
    if let Ok(one) = ConfigNonZeroUsize::try_new(1) {
        config.options_mut().execution.max_spill_file_size_bytes = one;
    }
    // The engine (DataFusion 55) skips files and row groups by the bounds of min and max of columns even if the query also
    // has the min or max of an expression, whose rows are then missing.
    let optimizer = &mut config.options_mut().optimizer;
    optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    // Groups by the least and greatest values are not those of the query where values are NaN, and may end the process.
    optimizer.enable_topk_aggregation = false;
    if config
        .options()
        .extensions
        .get::<NeardupOptions>()
        .is_none()
    {
        let options = NeardupOptions::default();
        config.options_mut().extensions.insert(options);
    }
    config.set_extension(Arc::new(PreparedStatements::default()));
    let analyzer = builder.analyzer().get_or_insert_with(Analyzer::new);
    analyzer.rules.insert(0, Arc::new(ReadOnce));
    analyzer.rules.insert(0, Arc::new(ScanNames));
    analyzer.rules.insert(0, Arc::new(ExpandDeferredCalls));
    let names = analyzer.rules.iter().map(|rule| rule.name());
    let before = names.take_while(|name| *name != "type_coercion").count();
    analyzer.rules.insert(before, Arc::new(CommonTypes));
    analyzer.rules.insert(before, Arc::new(MovedConditions));
    analyzer.rules.insert(before, Arc::new(DistinctSortKeys));
    analyzer.rules.push(Arc::new(UnknownMembers));
    analyzer.rules.push(Arc::new(OwnNames));
    analyzer.rules.push(Arc::new(ColumnsFirst));
    analyzer.rules.push(Arc::new(SafeConditions));
    analyzer.rules.push(Arc::new(UnsortedGroupingSets));
    analyzer.rules.push(Arc::new(ListsOfWindows));
    let small_side = JoinSmallSide::of(builder.runtime_env().as_ref());
    let runtime = Arc::clone(builder.runtime_env().get_or_insert_default());
    let physical = builder.physical_optimizers();
    let physical = physical.get_or_insert_with(PhysicalOptimizer::new);
    // Statistics are dropped before any rule reads them, also where a planner that is not ours makes scans; pruning
    // predicates are changed after all filters were pushed down.
    let drop_doubtful = DropDoubtfulStatistics {
        runtime: Arc::clone(&runtime),
    };
    physical.rules.insert(0, Arc::new(drop_doubtful));
    physical.rules.insert(1, Arc::new(small_side));
    physical
        .rules
        .push(Arc::new(PruneByKnownValues { runtime }));
    // Rows are distributed, and sorts added and left out, by the rule that the first two come before; filters are moved by
    // that of the other.
    let unknown_values = UnknownValues { everywhere: false };
    insert_before(physical, "EnsureRequirements", Arc::new(unknown_values));
    let members = DistinctMembers {
        of_joins_by_sorting: false,
    };
    insert_before(physical, "EnsureRequirements", Arc::new(members));
    insert_before(physical, "EnsureRequirements", Arc::new(OffsetsAboveLimits));
    insert_before(physical, "FilterPushdown", Arc::new(AboveEqualNames));
    let logical = builder.optimizer().get_or_insert_with(Optimizer::new);
    logical.rules.insert(0, Arc::new(FreshNames));
    let names = logical.rules.iter().map(|rule| rule.name());
    let before = names.take_while(|name| *name != "push_down_filter").count();
    logical.rules.insert(before, Arc::new(AboveTotals));
    logical.rules.push(Arc::new(PlainKeys));
    logical.rules.push(Arc::new(BothZeros));
    logical.rules.push(Arc::new(LostConditions));
    for rule in &mut logical.rules {
        if rule.name() == DuplicatesOutsideSorts.name() {
            *rule = Arc::new(DuplicatesOutsideSorts);
        } else if rule.name() == FiltersInPlace.name() {
            *rule = Arc::new(FiltersInPlace);
        } else if rule.name() == KeysOfOneKind.name() {
            *rule = Arc::new(KeysOfOneKind);
        } else if rule.name() == JoinsOfOneKind.name() {
            *rule = Arc::new(JoinsOfOneKind);
        } else if TrueKeys::RULES.contains(&rule.name()) {
            *rule = Arc::new(TrueKeys::new(Arc::clone(rule)));
        }
    }
    let aggregates = builder.aggregate_functions().get_or_insert_default();
    aggregates.extend(extremes());
    aggregates.extend(ordered_lists());
    let windows = builder.window_functions().get_or_insert_default();
    windows.extend(shifted_values());
    with_functions(builder)
        .with_table_factory("WIKIDUMP".to_owned(), Arc::new(WikiDumpFactory))
        .with_table_factory("TSV".to_owned(), Arc::new(TsvFactory))
}

/// Inserts a rule before the first one of a name.
fn insert_before(
    optimizer: &mut PhysicalOptimizer,
    name: &str,
    rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
) {
    let names = optimizer.rules.iter().map(|rule| rule.name());
    let before = names.take_while(|other| *other != name).count();
    optimizer.rules.insert(before, rule);
}

/// Adds the planner of our table functions, over the catalogs that the builder has.
fn with_table_functions(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let catalogs = builder.catalog_list();
    let catalogs = catalogs.get_or_insert_with(|| Arc::new(MemoryCatalogProviderList::new()));
    let planner = FunctionPlanner::new(Arc::clone(catalogs), 0);
    let planners = builder.relation_planners().get_or_insert_default();
    planners.insert(0, Arc::new(planner));
    planners.insert(0, Arc::new(FromItems));
    builder
}
