//! Calls of functions in tests, as DataFusion makes them, on columns of every encoding.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::type_coercion::functions::fields_with_udf;
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs};

use crate::function::{Function, udf};

/// Plans a call: the field of the result, or an error.
pub(crate) fn plan(function: impl Function, args: &[ColumnarValue]) -> Result<FieldRef> {
    let udf = udf(function);
    let fields = coerced(&udf, args)?;
    let literals: Vec<_> = args.iter().map(literal).collect();
    udf.return_field_from_args(ReturnFieldArgs {
        arg_fields: &fields,
        scalar_arguments: &literals,
    })
}

fn literal(arg: &ColumnarValue) -> Option<&ScalarValue> {
    match arg {
        ColumnarValue::Scalar(scalar) => Some(scalar),
        ColumnarValue::Array(_) => None,
    }
}

fn coerced(udf: &datafusion_expr::ScalarUDF, args: &[ColumnarValue]) -> Result<Vec<FieldRef>> {
    let field = |arg: &ColumnarValue| Arc::new(Field::new("arg", arg.data_type(), true));
    fields_with_udf(&args.iter().map(field).collect::<Vec<_>>(), udf)
}

/// Coerces, plans and runs a call; the type of the result must be the one that was planned.
pub(crate) fn call<F: Function + Copy>(
    function: F,
    args: Vec<ColumnarValue>,
) -> Result<ColumnarValue> {
    let return_field = plan(function, &args)?;
    let udf = udf(function);
    let arg_fields = coerced(&udf, &args)?;
    let rows = args.iter().find_map(|arg| match arg {
        ColumnarValue::Array(array) => Some(array.len()),
        ColumnarValue::Scalar(_) => None,
    });
    let cast = |(arg, field): (ColumnarValue, &FieldRef)| arg.cast_to(field.data_type(), None);
    let args = args
        .into_iter()
        .zip(&arg_fields)
        .map(cast)
        .collect::<Result<_>>()?;
    let args = ScalarFunctionArgs {
        args,
        arg_fields,
        number_rows: rows.unwrap_or(1),
        return_field: Arc::clone(&return_field),
        config_options: Arc::new(ConfigOptions::default()),
    };
    udf.invoke_with_args(args)
}

/// The result of a call as an array.
pub(crate) fn call_array<F: Function + Copy>(function: F, args: Vec<ColumnarValue>) -> ArrayRef {
    match call(function, args) {
        Ok(ColumnarValue::Array(array)) => array,
        Ok(ColumnarValue::Scalar(scalar)) => panic!("a scalar: {scalar}"),
        Err(error) => panic!("{error}"),
    }
}

/// The result of a call of scalars.
pub(crate) fn call_scalar<F: Function + Copy>(
    function: F,
    args: Vec<ColumnarValue>,
) -> ScalarValue {
    match call(function, args) {
        Ok(ColumnarValue::Scalar(scalar)) => scalar,
        Ok(ColumnarValue::Array(array)) => panic!("an array: {array:?}"),
        Err(error) => panic!("{error}"),
    }
}

/// The planning error of a call.
pub(crate) fn plan_error(function: impl Function, args: &[ColumnarValue]) -> String {
    match plan(function, args) {
        Ok(field) => panic!("planned {field}"),
        Err(error) => error.strip_backtrace(),
    }
}

/// A constant.
pub(crate) fn scalar(value: impl Into<ScalarValue>) -> ColumnarValue {
    ColumnarValue::Scalar(value.into())
}

/// A column.
pub(crate) fn column(array: impl Array + 'static) -> ColumnarValue {
    ColumnarValue::Array(Arc::new(array))
}

/// The same strings as a column of each type that strings may have, and as slices with an offset.
pub(crate) fn every_encoding(strings: &[Option<&str>]) -> Vec<ArrayRef> {
    let plain: ArrayRef = Arc::new(StringArray::from(strings.to_vec()));
    let dictionary = |key, value| DataType::Dictionary(Box::new(key), Box::new(value));
    let types = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        dictionary(DataType::Int32, DataType::Utf8),
        dictionary(DataType::UInt8, DataType::LargeUtf8),
        dictionary(DataType::Int64, DataType::Utf8View),
    ];
    let other: ArrayRef = Arc::new(StringArray::from(vec![Some("other"), None]));
    let mut arrays = Vec::new();
    for data_type in types {
        let array = cast(&plain, &data_type).expect("a string type");
        let other = cast(&other, &data_type).expect("a string type");
        let around =
            concat(&[other.as_ref(), array.as_ref(), other.as_ref()]).expect("the same type");
        arrays.push(around.slice(other.len(), array.len()));
        arrays.push(array);
    }
    arrays
}
