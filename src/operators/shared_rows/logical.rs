//! The logical node, and the rule that removes it where the rows are read only once.

use crate::operators::one_input::{one_input_node, only};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DFSchemaRef, Result};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::optimizer::AnalyzerRule;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// Rows that are computed once, however often the node occurs in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SharedRows {
    /// Copies of one node have the same key.
    key: Uuid,
    purpose: Purpose,
    input: LogicalPlan,
}

/// Why rows are computed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// Each execution may give other rows.
    NotDeterministic,
    /// Each execution gives the same rows, and takes long.
    Expensive,
    /// The same, and so does what is done with each row: the rows are divided among the partitions by their first column,
    /// where those of a file may be in one partition.
    Divided,
}

impl PartialOrd for SharedRows {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.key.partial_cmp(&other.key)
    }
}

impl SharedRows {
    /// Wraps a plan in a node with a new key.
    pub(crate) fn plan(input: LogicalPlan, purpose: Purpose) -> LogicalPlan {
        let key = Uuid::new_v4();
        LogicalPlan::Extension(Extension {
            node: Arc::new(Self {
                key,
                purpose,
                input,
            }),
        })
    }

    /// The node at the root of a plan, if there is one.
    pub(crate) fn of(plan: &LogicalPlan) -> Option<&Self> {
        match plan {
            LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// The key that copies of the node share.
    pub(crate) fn key(&self) -> Uuid {
        self.key
    }

    /// Why the rows are computed once.
    pub(crate) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// The plan that computes the rows.
    pub(crate) fn input(&self) -> &LogicalPlan {
        &self.input
    }
}

impl UserDefinedLogicalNodeCore for SharedRows {
    fn name(&self) -> &str {
        "SharedRows"
    }

    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }

    fn fmt_for_explain(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "SharedRows: computed once")
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        Ok(Self {
            key: self.key,
            purpose: self.purpose,
            input: only(inputs)?,
        })
    }

    // All columns are read, because copies with different columns could not share their rows.
    one_input_node!();
}

/// Removes the node where the plan has no other copy of it: its rows are computed once anyway, and without the node
/// filters and projections can be pushed down.
#[derive(Debug)]
pub(crate) struct ReadOnce;

impl AnalyzerRule for ReadOnce {
    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let mut copies: BTreeMap<Uuid, usize> = BTreeMap::new();
        plan.apply_with_subqueries(|node| {
            if let Some(shared) = SharedRows::of(node) {
                *copies.entry(shared.key).or_default() += 1;
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        if copies.values().all(|count| *count > 1) {
            return Ok(plan);
        }
        let plan = plan.transform_up_with_subqueries(|node| {
            let single = SharedRows::of(&node).filter(|shared| copies.get(&shared.key) == Some(&1));
            Ok(match single {
                Some(shared) => Transformed::yes(shared.input.clone()),
                None => Transformed::no(node),
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "read_once"
    }
}
