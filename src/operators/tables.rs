//! Replaces our logical nodes by tables, for sessions with the query planner of another extension.
//!
//! A query planner that was not made for our nodes cannot plan them, but every planner plans tables. The last rule
//! of the optimizer therefore puts a table in the place of each node; a scan of it plans the input of the node with
//! the planner of the session and runs the operator over it. Our own planner takes the nodes back.

use super::nodes::operator;
use super::shared_rows::{SharedRows, Store};
use super::similar_pairs::SimilarPairs;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result, internal_datafusion_err, internal_err};
use datafusion::datasource::{TableType, provider_as_source, source_as_provider};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, LogicalPlanBuilder, UserDefinedLogicalNode,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column as PhysicalColumn;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use uuid::Uuid;

/// Puts tables in place of our nodes.
#[derive(Debug)]
pub(crate) struct OperatorsAsTables;

impl OptimizerRule for OperatorsAsTables {
    fn name(&self) -> &str {
        "operators_as_tables"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        None
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        // PREPARE optimizes a plan without the session and before the analyzer has seen it, and EXECUTE with it, once
        // more: each execution needs tables of its own, over an input that was analyzed.
        if config.function_registry().is_none() {
            return Ok(Transformed::no(plan));
        }
        // Values are not bound within tables; the plan is optimized again when its values are known.
        let mut is_prepared = false;
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expr| {
                is_prepared |= expr.exists(|expr| Ok(matches!(expr, Expr::Placeholder(_))))?;
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        if is_prepared {
            return Ok(Transformed::no(plan));
        }
        let mut tables = Tables::default();
        plan.transform_up_with_subqueries(|node| as_table(node, &mut tables))
    }
}

/// The rows that copies of a node share, as long as a physical plan needs them.
type Slot = Arc<Mutex<Weak<Store>>>;

/// The tables of a plan.
#[derive(Default)]
struct Tables {
    stores: HashMap<Uuid, Slot>,
    /// For each operator the numbers of its nodes. Scans of tables of one name are equal to the engine, which computes
    /// one of two equal subqueries.
    numbers: HashMap<String, HashMap<LogicalPlan, usize>>,
}

impl Tables {
    /// A name that only nodes with the same operator, parameters and input have.
    fn name(&mut self, node: &LogicalPlan, operator: &str) -> String {
        let numbers = self.numbers.entry(operator.to_owned()).or_default();
        let next = numbers.len() + 1;
        match numbers.entry(node.clone()).or_insert(next) {
            1 => operator.to_owned(),
            number => format!("{operator}_{number}"),
        }
    }
}

fn as_table(node: LogicalPlan, tables: &mut Tables) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Extension(Extension { node: extension }) = &node else {
        return Ok(Transformed::no(node));
    };
    let any = extension.as_any();
    let shared = any.downcast_ref::<SharedRows>();
    if shared.is_none() && !any.is::<SimilarPairs>() {
        return Ok(Transformed::no(node));
    }
    let table = OperatorTable {
        node: Arc::clone(extension),
        schema: numbered(extension.schema().as_arrow()),
        slot: shared.map_or_else(Slot::default, |shared| {
            Arc::clone(tables.stores.entry(shared.key()).or_default())
        }),
    };
    let name = tables.name(&node, extension.name());
    let columns: Vec<Expr> = (extension.schema().iter())
        .zip(table.schema.fields())
        .map(|((qualifier, field), numbered)| {
            Expr::Column(Column::new(Some(name.as_str()), numbered.name()))
                .alias_qualified(qualifier.cloned(), field.name())
        })
        .collect();
    let plan = LogicalPlanBuilder::scan(name.as_str(), provider_as_source(Arc::new(table)), None)?;
    Ok(Transformed::yes(plan.project(columns)?.build()?))
}

/// The columns under names that differ: those of a join may be equal but for their relations.
fn numbered(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().enumerate();
    let fields: Vec<Field> = fields
        .map(|(index, field)| field.as_ref().clone().with_name(format!("column_{index}")))
        .collect();
    Arc::new(Schema::new(fields))
}

/// The plan with our nodes again, for our planner.
pub(super) fn as_nodes(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::TableScan(scan) = &node else {
            return Ok(Transformed::no(node));
        };
        let source = source_as_provider(&scan.source).ok();
        let table = source.as_deref().map(|table| table as &dyn Any);
        let Some(table) = table.and_then(|table| table.downcast_ref::<OperatorTable>()) else {
            return Ok(Transformed::no(node));
        };
        let extension = &table.node;
        let all = (0..table.schema.fields().len()).collect();
        let columns = scan.projection.clone().unwrap_or(all);
        let inputs = extension.inputs().into_iter().cloned();
        let inputs = inputs.map(as_nodes).collect::<Result<Vec<_>>>()?;
        let extension = extension.with_exprs_and_inputs(extension.expressions(), inputs)?;
        let columns = columns.into_iter().zip(scan.projected_schema.iter());
        let columns = columns.map(|(index, (qualifier, field))| {
            let column = Expr::Column(extension.schema().qualified_field(index).into());
            column.alias_qualified(qualifier.cloned(), field.name())
        });
        let columns: Vec<Expr> = columns.collect();
        let plan = LogicalPlan::Extension(Extension { node: extension });
        let plan = LogicalPlanBuilder::from(plan).project(columns)?.build()?;
        Ok(Transformed::yes(plan))
    })?;
    Ok(plan.data)
}

/// The rows of a node.
#[derive(Debug)]
struct OperatorTable {
    node: Arc<dyn UserDefinedLogicalNode>,
    schema: SchemaRef,
    slot: Slot,
}

impl OperatorTable {
    /// The store of a physical plan: that of the copies of the node that were planned before.
    fn store(&self) -> Arc<Store> {
        let mut slot = self.slot.lock();
        slot.upgrade().unwrap_or_else(|| {
            let store = Arc::<Store>::default();
            *slot = Arc::downgrade(&store);
            store
        })
    }
}

#[async_trait]
impl TableProvider for OperatorTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            return internal_err!("{} is planned with a session state", self.node.name());
        };
        let &[input] = self.node.inputs().as_slice() else {
            return internal_err!("{} has one input", self.node.name());
        };
        // The input was optimized with the query that it is part of.
        let planner = state.query_planner();
        let input = planner.create_physical_plan(input, session).await?;
        let partitions = session.config().target_partitions();
        let plan = operator(self.node.as_ref(), input, partitions, |_| self.store())?
            .ok_or_else(|| internal_datafusion_err!("{} is not ours", self.node.name()))?;
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let columns = projection.unwrap_or(&all).iter().map(|&index| {
            let from = PhysicalColumn::new(plan.schema().field(index).name(), index);
            let name = self.schema.field(index).name().clone();
            (Arc::new(from) as Arc<dyn PhysicalExpr>, name)
        });
        let columns: Vec<_> = columns.collect();
        Ok(Arc::new(ProjectionExec::try_new(columns, plan)?))
    }
}
