//! Other options for the operators below one of a plan.

use datafusion::config::ConfigOptions;
use datafusion::execution::TaskContext;
use std::sync::Arc;

/// The context of a task, with changed options.
pub(super) fn with_options(
    context: &TaskContext,
    change: impl FnOnce(&mut ConfigOptions),
) -> Arc<TaskContext> {
    let mut config = context.session_config().clone();
    change(config.options_mut());
    Arc::new(TaskContext::new(
        context.task_id(),
        context.session_id(),
        config,
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        context.runtime_env(),
    ))
}
