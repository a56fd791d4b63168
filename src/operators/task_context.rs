//! Other options, or another runtime, for the operators below one of a plan.

use datafusion::config::ConfigOptions;
use datafusion::execution::TaskContext;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionConfig;
use std::sync::Arc;

/// The context of a task, with changed options.
pub(super) fn with_options(
    context: &TaskContext,
    change: impl FnOnce(&mut ConfigOptions),
) -> Arc<TaskContext> {
    let mut config = context.session_config().clone();
    change(config.options_mut());
    with(context, config, context.runtime_env())
}

/// The context of a task, with another runtime.
pub(super) fn with_runtime(context: &TaskContext, runtime: Arc<RuntimeEnv>) -> Arc<TaskContext> {
    with(context, context.session_config().clone(), runtime)
}

fn with(
    context: &TaskContext,
    config: SessionConfig,
    runtime: Arc<RuntimeEnv>,
) -> Arc<TaskContext> {
    Arc::new(TaskContext::new(
        context.task_id(),
        context.session_id(),
        config,
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        runtime,
    ))
}
