//! Encodes the options of `COPY … TO`: the engine's message for that statement has no field for them, so that
//! files would be written with the default options.

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
pub(super) struct CopyFormat {
    extension: String,
    options: HashMap<String, String>,
}

impl GetExt for CopyFormat {
    fn get_ext(&self) -> String {
        self.extension.clone()
    }
}

impl FileFormatFactory for CopyFormat {
    fn create(&self, _: &dyn Session, _: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        internal_err!("the format of a COPY statement was not decoded")
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(datafusion::datasource::file_format::csv::CsvFormat::default())
    }
}

/// Puts the options of each `COPY` into its file type, where the codec encodes them.
pub(super) fn encode_copies(plan: LogicalPlan) -> Result<LogicalPlan> {
    map_copies(plan, |copy| {
        let written = CopyFormat {
            extension: copy.file_type.get_ext(),
            options: copy.options.clone(),
        };
        copy.file_type = format_as_file_type(Arc::new(written));
        Ok(())
    })
}

/// Reverses [`encode_copies`].
pub(super) fn decode_copies(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    map_copies(plan, |copy| {
        let format = file_type_to_format(&copy.file_type)?;
        if let Some(written) = format.downcast_ref::<CopyFormat>() {
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

fn map_copies(
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
