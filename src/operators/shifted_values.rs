//! `lead` and `lag` with `IGNORE NULLS`.
//!
//! The engine (DataFusion 55) finds the n-th value after a row as the rows come, and does not count NULLs between values: with
//! n of 2 or more, values were lost. (A `lag` of rows in the reverse order is computed in this way, too.) Here both are
//! computed when all rows of a partition are there, which the engine does correctly.

use datafusion::arrow::array::ArrayRef;
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

/// Computes the values of a partition at once.
#[derive(Debug)]
struct OfWholePartitions(Box<dyn PartitionEvaluator>);

impl PartitionEvaluator for OfWholePartitions {
    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        self.0.evaluate_all(values, rows)
    }
}
