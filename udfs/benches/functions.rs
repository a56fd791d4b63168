//! Bytes of text per second of SQL functions, called as DataFusion calls them, on one core:
//! `cargo bench -p datafusion-neardup-udfs [FILTER]`.
#![expect(clippy::expect_used, reason = "the inputs are constant")]

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::Field;
use datafusion_common::ScalarValue;
use datafusion_common::config::ConfigOptions;
use datafusion_expr::type_coercion::functions::fields_with_udf;
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use neardup_udfs::scalar_functions;

fn main() {
    divan::main();
}

/// Rows of a column.
const ROWS: usize = 256;

const PROSE: &str = "The bridge over the river Elbe was built in 1987 by the northern railway. It is 1.2 km long, \
    and carries two tracks. Dr. Smith, who planned it, called it \u{201c}a plain crossing\u{201d}.";

const WIKITEXT: &str = "{{Infobox bridge|name=Elbe bridge|length={{convert|1.2|km}}}}\n\
    The '''bridge''' over the [[Elbe|river Elbe]] was built in 1987.<ref>{{cite web|title=A bridge}}</ref>\n\n\
    == History ==\n* It carries [[Rail tracks|two tracks]].\n* See [https://example.org the plan].\n";

const HTML: &str = "<nav><a href=\"/\">Home</a></nav><h1>Bridge</h1>\n<p>The bridge over the river <a \
    href=\"/elbe\">Elbe</a> was built in 1987 &amp; carries two tracks.</p><footer>Imprint</footer>";

/// Texts that differ in their number.
fn column(text: &str) -> StringArray {
    (0..ROWS).map(|row| Some(format!("{text} {row}"))).collect()
}

fn scalar(value: impl Into<ScalarValue>) -> ColumnarValue {
    ColumnarValue::Scalar(value.into())
}

/// Calls a function with a column of texts and constants.
fn call(bencher: Bencher, name: &str, text: &str, constants: Vec<ColumnarValue>) {
    let functions = scalar_functions();
    let mut functions = functions.into_iter();
    let function: Arc<ScalarUDF> = functions
        .find(|function| function.name() == name)
        .expect("a function of the crate");
    let texts = column(text);
    let bytes = texts.value_data().len();
    let mut args = vec![ColumnarValue::Array(Arc::new(texts) as ArrayRef)];
    args.extend(constants);
    let fields: Vec<_> = args
        .iter()
        .map(|arg| Arc::new(Field::new("arg", arg.data_type(), true)))
        .collect();
    let arg_fields = fields_with_udf(&fields, function.as_ref()).expect("types of arguments");
    let cast = |(arg, field): (ColumnarValue, &Arc<Field>)| {
        arg.cast_to(field.data_type(), None)
            .expect("types of arguments")
    };
    let args: Vec<_> = args.into_iter().zip(&arg_fields).map(cast).collect();
    let literals: Vec<_> = args
        .iter()
        .map(|arg| match arg {
            ColumnarValue::Scalar(scalar) => Some(scalar),
            ColumnarValue::Array(_) => None,
        })
        .collect();
    let return_field = function
        .return_field_from_args(ReturnFieldArgs {
            arg_fields: &arg_fields,
            scalar_arguments: &literals,
        })
        .expect("a valid call");
    let args = ScalarFunctionArgs {
        args: args.clone(),
        arg_fields,
        number_rows: ROWS,
        return_field,
        config_options: Arc::new(ConfigOptions::default()),
    };
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let args = black_box(&args).clone();
        function.invoke_with_args(args).expect("a valid call")
    });
}

#[divan::bench]
fn normalize_text(bencher: Bencher) {
    call(bencher, "normalize_text", PROSE, vec![]);
}

#[divan::bench]
fn shingle_hashes(bencher: Bencher) {
    call(bencher, "shingle_hashes", PROSE, vec![scalar("word:3")]);
}

/// minhash(text, 128, 'char:12')
#[divan::bench]
fn minhash(bencher: Bencher) {
    let constants = vec![scalar(128_i64), scalar("char:12")];
    call(bencher, "minhash", PROSE, constants);
}

#[divan::bench]
fn split_sentences(bencher: Bencher) {
    call(bencher, "split_sentences", PROSE, vec![]);
}

#[divan::bench]
fn html_to_text(bencher: Bencher) {
    call(bencher, "html_to_text", HTML, vec![]);
}

#[divan::bench]
fn wikitext_to_plain(bencher: Bencher) {
    call(bencher, "wikitext_to_plain", WIKITEXT, vec![]);
}
