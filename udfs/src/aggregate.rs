//! The common interface of the aggregate functions of this crate.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, StructArray};
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion_common::utils::SingleRowListArrayBuilder;
use datafusion_common::{Result, ScalarValue, exec_err, internal_err, not_impl_err};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::type_coercion::binary::type_union_coercion;
use datafusion_expr::utils::format_state_name;
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, Signature,
};

use crate::columns::{Kind, Parameters};

/// An aggregate function. It is stateless and immutable, its result does not depend on how rows are grouped into
/// partial states, and its arguments are given by position or by name. [`udaf`] makes a function that a session
/// can register.
pub(crate) trait Aggregate: Debug + PartialEq + Eq + Hash + Send + Sync + 'static {
    /// The function's name and parameters.
    const PARAMETERS: &'static Parameters;

    /// Whether the result may be NULL.
    const NULLABLE: bool = false;

    /// Checks conditions on the types beyond the kinds of the parameters; runs while planning.
    fn check(_types: &[DataType]) -> Result<()> {
        Ok(())
    }

    /// The type of the result.
    fn result_type(types: &[DataType]) -> DataType;

    /// Names and types of the partial state.
    fn state(types: &[DataType]) -> Vec<(&'static str, DataType)>;

    /// An aggregation that has seen no row.
    fn start(types: &[DataType]) -> Result<Box<dyn Accumulator>>;

    /// An aggregation of many groups at once, if there is one that is faster than an aggregation for each group.
    fn start_groups(_types: &[DataType]) -> Option<Box<dyn GroupsAccumulator>> {
        None
    }

    /// The documentation from `#[user_doc]`.
    fn user_doc(&self) -> Option<&Documentation>;
}

/// A function as a DataFusion aggregate function.
pub(crate) fn udaf(function: impl Aggregate) -> AggregateUDF {
    AggregateUDF::new_from_impl(Adapter::new(function))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Adapter<F> {
    function: F,
    signature: Signature,
}

impl<F: Aggregate> Adapter<F> {
    fn new(function: F) -> Self {
        Self {
            function,
            signature: F::PARAMETERS.signature(),
        }
    }
}

impl<F: Aggregate> AggregateUDFImpl for Adapter<F> {
    fn name(&self) -> &str {
        F::PARAMETERS.function
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let mut types = F::PARAMETERS.coerce(types);
        // Pairs of columns that hold values of one kind, such as id_a and id_b, get one type.
        for b in 1..types.len() {
            let kind = |index: usize| F::PARAMETERS.all.get(index).map(|(_, kind)| *kind);
            let a = b - 1;
            if kind(a) == Some(Kind::Id)
                && kind(b) == Some(Kind::Id)
                && let Some(both) = type_union_coercion(&types[a], &types[b])
            {
                types[a] = both.clone();
                types[b] = both;
            }
        }
        Ok(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        F::PARAMETERS.check_types(&types.iter().collect::<Vec<_>>())?;
        F::check(types)?;
        Ok(F::result_type(types))
    }

    fn is_nullable(&self) -> bool {
        F::NULLABLE
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let types: Vec<_> = args
            .input_fields
            .iter()
            .map(|field| field.data_type().clone())
            .collect();
        let field = |(name, data_type)| {
            Arc::new(Field::new(
                format_state_name(args.name, name),
                data_type,
                true,
            ))
        };
        Ok(F::state(&types).into_iter().map(field).collect())
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if args.is_distinct {
            return not_impl_err!("{} does not take DISTINCT", self.name());
        }
        F::start(&types_of(&args))
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !args.is_distinct && F::start_groups(&types_of(&args)).is_some()
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        match F::start_groups(&types_of(&args)) {
            Some(groups) => Ok(groups),
            None => internal_err!("{} has no aggregation of many groups", self.name()),
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.user_doc()
    }
}

fn types_of(args: &AccumulatorArgs<'_>) -> Vec<DataType> {
    args.expr_fields
        .iter()
        .map(|field| field.data_type().clone())
        .collect()
}

/// The type of a list of rows of these columns.
pub(crate) fn list_of_rows(columns: &[(&str, DataType)]) -> DataType {
    DataType::new_list(DataType::Struct(fields(columns)), true)
}

fn fields(columns: &[(&str, DataType)]) -> Fields {
    let field = |(name, data_type): &(&str, DataType)| Field::new(*name, data_type.clone(), true);
    columns.iter().map(field).collect()
}

/// One list of rows.
pub(crate) fn rows(columns: Vec<(&str, ArrayRef)>) -> Result<ScalarValue> {
    let types: Vec<_> = columns
        .iter()
        .map(|(name, array)| (*name, array.data_type().clone()))
        .collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    list(Arc::new(StructArray::try_new(
        fields(&types),
        arrays,
        None,
    )?))
}

/// One list of the values of an array.
pub(crate) fn list(array: ArrayRef) -> Result<ScalarValue> {
    if array.len() > i32::MAX as usize {
        return exec_err!("a list of {} values, at most {} fit", array.len(), i32::MAX);
    }
    Ok(SingleRowListArrayBuilder::new(array).build_list_scalar())
}

/// The values of all lists of a column of partial states, one after the other.
pub(crate) fn flattened(states: &ArrayRef) -> Result<ArrayRef> {
    let Some(lists) = states.as_any().downcast_ref::<ListArray>() else {
        return internal_err!("a partial state of {} is not a list", states.data_type());
    };
    let offsets = lists.value_offsets();
    let (start, end) = match (offsets.first(), offsets.last()) {
        (Some(&start), Some(&end)) => (start as usize, end as usize),
        _ => (0, 0),
    };
    Ok(lists.values().slice(start, end - start))
}
