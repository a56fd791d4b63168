//! neardup inside an application that has a DataFusion session of its own.
//!
//! ```sh
//! cargo run -p datafusion-neardup --example embed
//! ```

use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use neardup::NeardupExt;
use std::sync::Arc;

/// The pairs of similar orders in a table of the application.
async fn similar_orders() -> Result<String> {
    // The application's session: its tables, functions and planners stay as they are.
    let builder = SessionStateBuilder::new().with_default_features();
    let session = SessionContext::new_with_state(builder.with_neardup().build());

    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![17, 18, 19]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![
        "Two boxes of green tea, delivered on Monday morning",
        "two boxes of green tea, delivered on monday morning!",
        "A kettle",
    ]));
    let orders = RecordBatch::try_from_iter([("number", numbers), ("order", texts)])?;
    session.register_batch("orders", orders)?;

    session.sql("SET neardup.threshold = 0.9").await?;
    let pairs = session
        .sql("SELECT * FROM jaccard_join(orders, id => number, text => 'order')")
        .await?;
    Ok(pretty_format_batches(&pairs.collect().await?)?.to_string())
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> Result<()> {
    println!("{}", similar_orders().await?);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_two_orders_of_tea_are_found() {
        let found = super::similar_orders().await.expect("pairs");
        assert!(found.contains("| 17   | 18   | 1.0        |"), "{found}");
    }
}
