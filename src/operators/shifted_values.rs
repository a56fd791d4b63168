//! `lead` and `lag` with `IGNORE NULLS`, or with an offset of NULL.
//!
//! The engine (DataFusion 55) finds the n-th value after a row as the rows come, and does not count NULLs between values: with
//! n of 2 or more, values were lost. (A `lag` of rows in the reverse order is computed in this way, too.) Here both are
//! computed when all rows of a partition are there, which the engine does correctly.
//!
//! The engine takes an offset of NULL for 0. The row at an unknown distance is unknown, so the value is NULL.

use datafusion::arrow::array::{ArrayRef, new_null_array};
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::functions_window::lead_lag::{lag_udwf, lead_udwf};
use datafusion::logical_expr::function::{
    ExpressionArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs,
};
use datafusion::logical_expr::{
    Documentation, LimitEffect, PartitionEvaluator, ReversedUDWF, Signature, WindowUDF,
    WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;
use std::sync::Arc;

/// `lead` and `lag`, in place of those of the engine.
pub(crate) fn shifted_values() -> [Arc<WindowUDF>; 2] {
    [lead_udwf(), lag_udwf()].map(Shifted::of)
}

/// The function of the engine.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Shifted(Arc<WindowUDF>);

impl Shifted {
    fn of(function: Arc<WindowUDF>) -> Arc<WindowUDF> {
        Arc::new(WindowUDF::from(Self(function)))
    }
}

impl WindowUDFImpl for Shifted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn expressions(&self, args: ExpressionArgs) -> Vec<Arc<dyn PhysicalExpr>> {
        self.0.expressions(args)
    }

    fn partition_evaluator(
        &self,
        args: PartitionEvaluatorArgs,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        let offset = args.input_exprs().get(1);
        let offset = offset.and_then(|offset| offset.downcast_ref::<Literal>());
        if offset.is_some_and(|offset| offset.value().is_null()) {
            let field = args.input_fields().first();
            let data_type = field.map_or(DataType::Null, |field| field.data_type().clone());
            return Ok(Box::new(Unknown(data_type)));
        }
        let ignores_nulls = args.ignore_nulls();
        let evaluator = self.0.partition_evaluator_factory(args)?;
        Ok(match ignores_nulls {
            true => Box::new(OfWholePartitions(evaluator)),
            false => evaluator,
        })
    }

    fn field(&self, args: WindowUDFFieldArgs) -> Result<FieldRef> {
        self.0.field(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(types)
    }

    fn reverse_expr(&self) -> ReversedUDWF {
        match self.0.reverse_expr() {
            ReversedUDWF::Reversed(function) => ReversedUDWF::Reversed(Self::of(function)),
            other => other,
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn limit_effect(&self, args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        self.0.inner().limit_effect(args)
    }
}

/// NULL for each row.
#[derive(Debug)]
struct Unknown(DataType);

impl PartitionEvaluator for Unknown {
    fn evaluate_all(&mut self, _: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        Ok(new_null_array(&self.0, rows))
    }
}

/// Computes the values of a partition at once.
#[derive(Debug)]
struct OfWholePartitions(Box<dyn PartitionEvaluator>);

impl PartitionEvaluator for OfWholePartitions {
    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        self.0.evaluate_all(values, rows)
    }
}
