//! `COPY … TO` with its options: the engine's message of one has no place for them, and writes with others.

use datafusion::catalog::Session;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{GetExt, Result, internal_err, plan_datafusion_err};
use datafusion::datasource::file_format::{
    FileFormat, FileFormatFactory, file_type_to_format, format_as_file_type,
};
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// The format that files are written in, and the options of the statement.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Written {
    extension: String,
    options: HashMap<String, String>,
}

impl GetExt for Written {
    fn get_ext(&self) -> String {
        self.extension.clone()
    }
}

impl FileFormatFactory for Written {
    fn create(&self, _: &dyn Session, _: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        internal_err!("what COPY writes was not read back")
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(datafusion::datasource::file_format::csv::CsvFormat::default())
    }
}

/// The plan as it travels.
pub(super) fn packed(plan: LogicalPlan) -> Result<LogicalPlan> {
    changed(plan, |copy| {
        let written = Written {
            extension: copy.file_type.get_ext(),
            options: copy.options.clone(),
        };
        copy.file_type = format_as_file_type(Arc::new(written));
        Ok(())
    })
}

/// The plan as it was.
pub(super) fn unpacked(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    changed(plan, |copy| {
        let format = file_type_to_format(&copy.file_type)?;
        if let Some(written) = format.downcast_ref::<Written>() {
            let extension = &written.extension;
            let format = state.get_file_format_factory(extension).ok_or_else(|| {
                plan_datafusion_err!("the scheduler writes no files of the format {extension}")
            })?;
            copy.options = written.options.clone();
            copy.file_type = format_as_file_type(format);
        }
        Ok(())
    })
}

fn changed(
    plan: LogicalPlan,
    mut change: impl FnMut(&mut CopyTo) -> Result<()>,
) -> Result<LogicalPlan> {
    let plan = plan.transform_down(|node| match node {
        LogicalPlan::Copy(mut copy) => {
            change(&mut copy)?;
            Ok(Transformed::yes(LogicalPlan::Copy(copy)))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(plan.data)
}
