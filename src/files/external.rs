//! Adds the format of `CREATE EXTERNAL TABLE … STORED AS TSV`, which the engine does not have.

use super::{Kind, resolve};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{Result, internal_err, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::CreateExternalTable;
use std::sync::Arc;

/// Makes tables as for quoted names of TSV files.
#[derive(Debug)]
pub(crate) struct TsvFactory;

#[async_trait]
impl TableProviderFactory for TsvFactory {
    async fn create(
        &self,
        session: &dyn Session,
        statement: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            return internal_err!("tables are made with a session state");
        };
        let name = &statement.name;
        if !statement.schema.fields().is_empty() {
            return plan_err!(
                "table {name}: the columns of TSV files are named by their first line and typed by their values, so none may be given; SELECT … CAST(column AS type) … FROM '….tsv' gives others"
            );
        }
        if !statement.table_partition_cols.is_empty()
            || !statement.order_exprs.is_empty()
            || statement.unbounded
        {
            return plan_err!(
                "table {name}: TSV files have neither partition columns nor an order, and they are bounded"
            );
        }
        if let Some(option) = statement.options.keys().min() {
            return plan_err!(
                "table {name}: STORED AS TSV has no options, but '{option}' is given; files of other separators are read with STORED AS CSV OPTIONS ('format.delimiter' '…')"
            );
        }
        let input = resolve(&statement.locations, state).await?;
        if input.kind != Kind::Tsv {
            return plan_err!(
                "table {name}: {} is not a .tsv file, plain or compressed (.tsv.gz, .tsv.zst, .tsv.bz2)",
                input.files[0]
            );
        }
        input.table(state).await
    }
}
