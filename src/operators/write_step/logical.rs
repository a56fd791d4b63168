//! The logical node.

use super::Target;
use crate::operators::one_input::{one_input_node, only};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{DFSchema, DFSchemaRef, Result};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use std::sync::{Arc, LazyLock};

/// The schema of the result: one row per file, and a row with an empty file name for a partition without rows in
/// which input was lost.
pub(super) static WRITTEN: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        Field::new("file", DataType::Utf8, false),
        Field::new("rows", DataType::UInt64, false),
        Field::new("bytes", DataType::UInt64, false),
        Field::new("checksum", DataType::UInt64, false),
        // JSON: the input that scans of dumps left out.
        Field::new("losses", DataType::Utf8, false),
    ]))
});

/// Writes its input as Parquet files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WriteStep {
    input: LogicalPlan,
    target: Target,
    schema: DFSchemaRef,
}

impl PartialOrd for WriteStep {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.target.partial_cmp(&other.target)
    }
}

impl WriteStep {
    /// The node that writes `input` to `target`.
    ///
    /// # Errors
    /// If the schema of the result cannot be made.
    pub fn plan(input: LogicalPlan, target: Target) -> Result<LogicalPlan> {
        let node = Self::try_new(input, target)?;
        Ok(LogicalPlan::Extension(Extension {
            node: Arc::new(node),
        }))
    }

    pub(crate) fn try_new(input: LogicalPlan, target: Target) -> Result<Self> {
        let schema = Arc::new(DFSchema::try_from(Arc::clone(&WRITTEN))?);
        Ok(Self {
            input,
            target,
            schema,
        })
    }

    /// Where and how the files are written.
    pub fn target(&self) -> &Target {
        &self.target
    }
}

impl UserDefinedLogicalNodeCore for WriteStep {
    fn name(&self) -> &str {
        "WriteStep"
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn fmt_for_explain(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "WriteStep: {}", self.target.directory)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        Ok(Self {
            input: only(inputs)?,
            ..self.clone()
        })
    }

    one_input_node!();
}
