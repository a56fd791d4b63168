//! Keeps the engine (DataFusion 55) from relying on keys that rows do not have.
//!
//! `SELECT DISTINCT k` makes `k` a key of its rows. It no longer is one after a join with other rows, but an aggregate of
//! the joined rows by `k` and `d` is said to have the key `k` again; an `UNNEST` keeps all keys; and a column that is
//! `UNIQUE` is a key although it may be NULL in many rows. An aggregate above by `k` and `d` was then one by `k` alone, a
//! DISTINCT or a join was left out, and rows were lost or returned several times.
//!
//! [`with_true_keys`] finds the keys of a plan again. `functions::from_items` calls it for the items of `FROM`, by whose
//! keys the SQL planner adds columns to a GROUP BY; [`TrueKeys`] calls it before the rules that rely on keys.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{
    DFSchema, DFSchemaRef, Dependency, FunctionalDependence, FunctionalDependencies, Result,
};
use datafusion::logical_expr::{Aggregate, Distinct, Expr, Join, LogicalPlan, Projection};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A rule of the engine that relies on keys.
#[derive(Debug)]
pub(crate) struct TrueKeys {
    rule: Arc<dyn OptimizerRule + Send + Sync>,
}

impl TrueKeys {
    /// The names of the rules that rely on keys.
    pub(crate) const RULES: [&'static str; 3] = [
        "eliminate_join",
        "optimize_projections",
        "replace_distinct_aggregate",
    ];

    pub(crate) fn new(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Self {
        Self { rule }
    }
}

impl OptimizerRule for TrueKeys {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let relies_on_keys = match self.rule.apply_order() {
            // The rule is called for each node.
            Some(_) => relies_on_keys(&plan),
            None => exists(&plan, relies_on_keys)?,
        };
        let plan = match relies_on_keys {
            true => with_true_keys(plan)?,
            false => plan,
        };
        self.rule.rewrite(plan, config)
    }
}

fn keys_of(plan: &LogicalPlan) -> &FunctionalDependencies {
    plan.schema().functional_dependencies()
}

/// Whether a rule may change a node for the keys of its input.
fn relies_on_keys(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) => has_single_key(input),
        LogicalPlan::Aggregate(groups) => {
            groups.group_expr.len() > 1 && !keys_of(&groups.input).is_empty()
        }
        LogicalPlan::Join(Join { left, right, .. }) => {
            has_single_key(left) || has_single_key(right)
        }
        _ => false,
    }
}

fn has_single_key(plan: &LogicalPlan) -> bool {
    let keys = keys_of(plan);
    keys.iter().any(|key| key.mode == Dependency::Single)
}

fn exists(plan: &LogicalPlan, found: impl Fn(&LogicalPlan) -> bool) -> Result<bool> {
    let mut exists = false;
    plan.apply_with_subqueries(|node| {
        exists |= found(node);
        Ok(match exists {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(exists)
}

/// The plan, in which all nodes that say that their rows have a key are right.
pub(crate) fn with_true_keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|mut node| {
        if let LogicalPlan::RecursiveQuery(query) = &mut node {
            // Its schema is that of the rows it begins with, which have keys that all rows do not have.
            let first = Arc::unwrap_or_clone(Arc::clone(&query.static_term));
            query.static_term = Arc::new(without_keys(first)?);
            return Ok(Transformed::yes(node));
        }
        let Some(keys) = true_keys(&node)? else {
            return Ok(Transformed::no(node));
        };
        let Some(schema) = own_schema(&mut node) else {
            return Ok(Transformed::no(node));
        };
        set_keys(schema, keys)?;
        Ok(Transformed::yes(node))
    })?;
    Ok(plan.data)
}

fn without_keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up(|mut node| {
        let has_keys = !keys_of(&node).is_empty();
        let Some(schema) = own_schema(&mut node).filter(|_| has_keys) else {
            return Ok(Transformed::no(node));
        };
        set_keys(schema, FunctionalDependencies::empty())?;
        Ok(Transformed::yes(node))
    })?;
    Ok(plan.data)
}

/// The schema of a node that has one of its own; others have that of their input, or no keys.
fn own_schema(node: &mut LogicalPlan) -> Option<&mut DFSchemaRef> {
    Some(match node {
        LogicalPlan::TableScan(node) => &mut node.projected_schema,
        LogicalPlan::Projection(node) => &mut node.schema,
        LogicalPlan::Window(node) => &mut node.schema,
        LogicalPlan::Aggregate(node) => &mut node.schema,
        LogicalPlan::Join(node) => &mut node.schema,
        LogicalPlan::Union(node) => &mut node.schema,
        LogicalPlan::SubqueryAlias(node) => &mut node.schema,
        LogicalPlan::Unnest(node) => &mut node.schema,
        LogicalPlan::Distinct(Distinct::On(node)) => &mut node.schema,
        _ => return None,
    })
}

fn set_keys(schema: &mut DFSchemaRef, keys: FunctionalDependencies) -> Result<()> {
    let changed = schema.as_ref().clone();
    *schema = Arc::new(changed.with_functional_dependencies(keys)?);
    Ok(())
}

/// The keys of the rows of a node whose inputs have true keys; `None` if its keys are not its own, or true.
fn true_keys(node: &LogicalPlan) -> Result<Option<FunctionalDependencies>> {
    if keys_of(node).is_empty() {
        return Ok(None);
    }
    Ok(Some(match node {
        LogicalPlan::TableScan(scan) => of_table(&scan.projected_schema),
        LogicalPlan::Aggregate(groups) => of_groups(groups),
        LogicalPlan::Unnest(_) | LogicalPlan::Union(_) | LogicalPlan::Distinct(Distinct::On(_)) => {
            FunctionalDependencies::empty()
        }
        LogicalPlan::Projection(rows) => {
            let rows = Projection::try_new(rows.expr.clone(), Arc::clone(&rows.input))?;
            rows.schema.functional_dependencies().clone()
        }
        LogicalPlan::Join(_) | LogicalPlan::Window(_) | LogicalPlan::SubqueryAlias(_) => {
            keys_of(&node.clone().recompute_schema()?).clone()
        }
        _ => return Ok(None),
    }))
}

/// The keys of a table. That its rows are unique is not checked when they are inserted, and columns that are UNIQUE may be
/// NULL, so its keys are taken for what other columns depend on, and only if they cannot be NULL.
fn of_table(schema: &DFSchema) -> FunctionalDependencies {
    let keys = schema.functional_dependencies().iter();
    let keys = keys.filter(|key| {
        let mut columns = key.source_indices.iter();
        !key.nullable || columns.all(|&column| !schema.field(column).is_nullable())
    });
    let keys = keys.cloned().map(|key| key.with_mode(Dependency::Multi));
    FunctionalDependencies::new(keys.collect())
}

/// The keys of groups: all that they are grouped by, and each key of the input on which all of this depends.
fn of_groups(groups: &Aggregate) -> FunctionalDependencies {
    let mut exprs: Vec<&Expr> = vec![];
    for expr in &groups.group_expr {
        // What is repeated is one column.
        if !exprs.contains(&expr) {
            exprs.push(expr);
        }
    }
    let input = groups.input.schema();
    let own = &groups.schema;
    let mut grouped = exprs.iter();
    let is_set = grouped.any(|expr| matches!(expr, Expr::GroupingSet(_)));
    let fields = exprs.len() + groups.aggr_expr.len();
    if exprs.is_empty() || is_set || own.fields().len() != fields {
        return FunctionalDependencies::empty();
    }
    let all: Vec<usize> = (0..own.fields().len()).collect();
    let may_be_null = |columns: &[usize]| {
        columns
            .iter()
            .any(|&column| own.field(column).is_nullable())
    };
    // The column of the input that an expression is.
    let columns: Vec<Option<usize>> = (exprs.iter())
        .map(|expr| {
            expr.try_as_col()
                .and_then(|column| input.maybe_index_of_column(column))
        })
        .collect();
    let mut keys = vec![];
    for key in input.functional_dependencies().iter() {
        let places = key.source_indices.iter().map(|source| {
            columns
                .iter()
                .position(|column| column.as_ref() == Some(source))
        });
        let Some(places) = places.collect::<Option<Vec<usize>>>() else {
            continue;
        };
        let known = dependent(input, &key.source_indices);
        let dependent: Vec<usize> = (0..exprs.len())
            .filter(|&place| columns[place].is_some_and(|column| known.contains(&column)))
            .collect();
        let nullable = key.nullable || may_be_null(&places);
        keys.push(match dependent.len() == exprs.len() {
            true => FunctionalDependence::new(places, all.clone(), nullable)
                .with_mode(Dependency::Single),
            false => FunctionalDependence::new(places, dependent, nullable),
        });
    }
    let grouped: Vec<usize> = (0..exprs.len()).collect();
    if !keys.iter().any(|key| key.source_indices == grouped) {
        let nullable = may_be_null(&grouped);
        let key = FunctionalDependence::new(grouped, all, nullable);
        keys.push(key.with_mode(Dependency::Single));
    }
    FunctionalDependencies::new(keys)
}

/// The columns that depend on some columns, directly or by way of others.
fn dependent(schema: &DFSchema, columns: &[usize]) -> BTreeSet<usize> {
    let mut known: BTreeSet<usize> = columns.iter().copied().collect();
    loop {
        let before = known.len();
        for key in schema.functional_dependencies().iter() {
            if key
                .source_indices
                .iter()
                .all(|source| known.contains(source))
            {
                known.extend(&key.target_indices);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}
