//! Configuration that all processes of a cluster share: options, functions, operators and codecs.

use super::codec::{LogicalCodec, PhysicalCodec};
use super::copy_to::decode_copies;
use super::stages::PrepareStages;
use super::token::{TaskOptions, Token};
use crate::files::{ReadAllOfDoubtful, with_buckets};
use crate::functions::OffsetsAboveLimits;
use crate::operators::distinct_members::DistinctMembers;
use crate::operators::planner::planned;
use crate::operators::whole_files::WholeFiles;
use crate::options::NeardupOptions;
use crate::resources::PoolOfTask;
use async_trait::async_trait;
use ballista_core::extension::SessionConfigExt;
use ballista_core::registry::BallistaFunctionRegistry;
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::PhysicalExtensionCodec;
use std::path::Path;
use std::sync::Arc;

/// Largest gRPC message. Plans carry lists of files and byte ranges, which for a large corpus exceed the
/// engine's default of 16 MiB.
pub(super) const MESSAGE_BYTES: usize = 256 << 20;

pub(super) fn logical_codec() -> Arc<dyn LogicalExtensionCodec> {
    Arc::new(LogicalCodec::default())
}

pub(super) fn physical_codec() -> Arc<dyn PhysicalExtensionCodec> {
    Arc::new(PhysicalCodec::default())
}

/// The options of every session of the cluster. A client's settings are sent to the other processes, but only
/// those of options that are registered here arrive.
pub(super) fn config() -> SessionConfig {
    SessionConfig::new_with_ballista()
        .with_option_extension(NeardupOptions::default())
        .with_ballista_logical_extension_codec(logical_codec())
        .with_ballista_physical_extension_codec(physical_codec())
        .with_ballista_grpc_client_max_message_size(MESSAGE_BYTES)
        // One task for each partition: work spreads over executors, and losing a task costs little.
        .set_str("ballista.scheduler.max_partitions_per_task", "1")
        // The sides of a join are partitioned by all of its keys, or not at all.
        .set_usize(
            "datafusion.optimizer.subset_repartition_threshold",
            usize::MAX,
        )
        // The broadcast side of a join must stay the build side. The engine chooses it by size; if a later rule
        // swaps the sides, every task probes all rows and pairs are reported twice.
        .set_bool("datafusion.optimizer.join_reordering", false)
        // This rule changes the scan below each sort of files whenever the query is replanned. The stages above it
        // are then other ones, which begin again, and of two such sorts under a join or a union the query returned
        // no rows.
        .set_bool("datafusion.optimizer.enable_sort_pushdown", false)
}

/// The options of a session that fetches rows from executors: that of a client or of an executor.
pub(super) fn client_config(token: Option<&Token>) -> SessionConfig {
    match token {
        Some(token) => {
            config().with_ballista_override_create_grpc_client_endpoint(token.endpoint())
        }
        None => config(),
    }
}

/// The default options of an executor's tasks.
pub(super) fn task_config(token: Option<&Token>) -> SessionConfig {
    // The key of a task arrives only if its options are registered here.
    client_config(token)
        .with_option_extension(TaskOptions::default())
        .with_extension(Arc::new(PoolOfTask))
}

/// The session in which a scheduler plans the queries of a client that has this configuration.
pub(super) fn scheduler_state(config: SessionConfig) -> Result<SessionState> {
    let state = crate::session::bare(config, &RuntimeEnv::default())?;
    Ok(SessionStateBuilder::new_from_existing(state)
        .with_query_planner(Arc::new(StagePlanner))
        .build())
}

/// Plans queries that are cut into stages, each of whose tasks runs a slice of the partitions.
#[derive(Debug)]
struct StagePlanner;

#[async_trait]
impl QueryPlanner for StagePlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            return internal_err!("the scheduler plans with a session state");
        };
        // These rules come first, because the scheduler's own rules hide joins until their sizes are known. The
        // rules of a session in one process are not among the scheduler's.
        let members = DistinctMembers {
            of_joins_by_sorting: true,
        };
        let ours: [Arc<dyn PhysicalOptimizerRule + Send + Sync>; 5] = [
            Arc::new(ReadAllOfDoubtful {
                runtime: Arc::clone(state.runtime_env()),
            }),
            Arc::new(WholeFiles),
            Arc::new(members),
            Arc::new(OffsetsAboveLimits),
            Arc::new(PrepareStages),
        ];
        let rules = state.physical_optimizers().iter().cloned();
        let state = SessionStateBuilder::new_from_existing(state.clone())
            .with_physical_optimizer_rules(ours.into_iter().chain(rules).collect())
            .build();
        planned(&decode_copies(plan.clone(), &state)?, &state).await
    }
}

/// The functions of an executor.
pub(super) fn functions() -> Result<BallistaFunctionRegistry> {
    Ok((&crate::session::bare(config(), &RuntimeEnv::default())?).into())
}

/// The runtime of an executor's tasks, which spill into `work_dir`.
pub(super) fn runtime(work_dir: &Path, temp_limit: Option<u64>) -> Result<Arc<RuntimeEnv>> {
    let disk = crate::resources::disk(work_dir.to_owned(), temp_limit);
    let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
    with_buckets(&runtime.build()?)
}
