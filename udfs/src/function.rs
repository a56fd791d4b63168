//! The common interface of the scalar functions of this crate.

use std::fmt::Debug;
use std::hash::Hash;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, internal_err};
use datafusion_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};

use crate::columns::{Arguments, Constants, Parameters};

/// A scalar function. It is stateless and immutable, its result is NULL if an argument is NULL, and its arguments
/// are given by position or by name. [`udf`] makes a function that a session can register.
pub(crate) trait Function: Debug + PartialEq + Eq + Hash + Send + Sync + 'static {
    /// The function's name and parameters.
    const PARAMETERS: &'static Parameters;

    /// Checks the constants and gives the type of the result; runs while planning. `types` are
    /// those of the arguments that were given.
    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType>;

    /// Computes one batch; the arguments have passed [`result_type`](Self::result_type).
    fn compute(args: &Arguments) -> Result<ArrayRef>;

    /// The documentation from `#[user_doc]`.
    fn user_doc(&self) -> Option<&Documentation>;
}

/// A function as a DataFusion scalar function.
pub(crate) fn udf(function: impl Function) -> ScalarUDF {
    ScalarUDF::new_from_impl(Adapter::new(function))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Adapter<F> {
    function: F,
    signature: Signature,
}

impl<F: Function> Adapter<F> {
    fn new(function: F) -> Self {
        Self {
            function,
            signature: F::PARAMETERS.signature(),
        }
    }
}

impl<F: Function> ScalarUDFImpl for Adapter<F> {
    fn name(&self) -> &str {
        F::PARAMETERS.function
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(F::PARAMETERS.coerce(types))
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!(
            "{}: the type of the result depends on the constants",
            self.name()
        )
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let constants = F::PARAMETERS.check(&args)?;
        let types: Vec<_> = args
            .arg_fields
            .iter()
            .map(|field| field.data_type())
            .collect();
        Ok(Field::new(self.name(), F::result_type(&constants, &types)?, true).into())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let args = Arguments::new(F::PARAMETERS, args);
        let result = F::compute(&args)?;
        args.finish(result)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.user_doc()
    }
}
