//! The logical node.

use super::{LeftOutTarget, Spec};
use crate::operators::one_input::{one_input_node, only};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, DFSchemaRef, Result, plan_err};
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, LogicalPlanBuilder, UserDefinedLogicalNodeCore, col,
};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Pairs of similar rows; [`Spec::candidates`] says which rows are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarPairs {
    input: LogicalPlan,
    spec: Spec,
    schema: DFSchemaRef,
}

impl SimilarPairs {
    /// The node over the columns of `input` that the parameters need, found by name.
    ///
    /// # Errors
    /// If a column is missing or its name is ambiguous.
    pub fn plan(input: LogicalPlan, spec: Spec) -> Result<LogicalPlan> {
        for name in spec.columns() {
            if input.schema().fields_with_unqualified_name(name).len() != 1 {
                return plan_err!("similar_pairs: the input must have one column '{name}'");
            }
        }
        let columns: Vec<Expr> = spec.columns().into_iter().map(col).collect();
        let input = LogicalPlanBuilder::from(input).project(columns)?.build()?;
        let node = Self::try_new(input, spec)?;
        Ok(LogicalPlan::Extension(Extension {
            node: Arc::new(node),
        }))
    }

    /// The node over the columns of [`Spec::columns`].
    pub(crate) fn try_new(input: LogicalPlan, spec: Spec) -> Result<Self> {
        let id = input
            .schema()
            .field_with_unqualified_name("id")?
            .data_type()
            .clone();
        let fields = vec![
            Field::new("id_a", id.clone(), false),
            Field::new("id_b", id, false),
            Field::new("similarity", DataType::Float64, true),
        ];
        let schema = DFSchema::from_unqualified_fields(fields.into(), HashMap::new())?;
        Ok(Self {
            input,
            spec,
            schema: Arc::new(schema),
        })
    }

    /// The same node, which also reports what it leaves out.
    pub(crate) fn reporting(&self, report: LeftOutTarget) -> Result<Self> {
        let spec = Spec {
            report: Some(report),
            ..self.spec.clone()
        };
        Self::try_new(self.input.clone(), spec)
    }

    /// The parameters.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

impl Eq for SimilarPairs {}

impl Hash for SimilarPairs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.input.hash(state);
        self.spec.to_string().hash(state);
    }
}

impl PartialOrd for SimilarPairs {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.spec.partial_cmp(&other.spec)
    }
}

impl UserDefinedLogicalNodeCore for SimilarPairs {
    fn name(&self) -> &str {
        "SimilarPairs"
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn fmt_for_explain(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "SimilarPairs: {}", self.spec)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        Self::try_new(only(inputs)?, self.spec.clone())
    }

    // The input is the projection made in `plan`, of which every column is read.
    one_input_node!();
}

/// The same plan, whose joins write the counts of what they leave out into a directory.
pub(crate) fn reporting(plan: LogicalPlan, directory: &str) -> Result<LogicalPlan> {
    let mut joins = 0;
    let plan = plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::Extension(extension) = &node else {
            return Ok(Transformed::no(node));
        };
        let Some(pairs) = extension.node.as_any().downcast_ref::<SimilarPairs>() else {
            return Ok(Transformed::no(node));
        };
        let report = LeftOutTarget::new(directory, joins);
        joins += 1;
        let node = Arc::new(pairs.reporting(report)?);
        Ok(Transformed::yes(LogicalPlan::Extension(Extension { node })))
    })?;
    Ok(plan.data)
}
