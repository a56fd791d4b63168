//! `CREATE EXTERNAL TABLE … STORED AS WIKIDUMP`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::CreateExternalTable;

use super::options::DumpOptions;
use super::table::DumpTable;

/// Makes a [`DumpTable`] from a statement, for example
///
/// ```sql
/// CREATE EXTERNAL TABLE pages STORED AS WIKIDUMP LOCATION 'dumps/*.xml.bz2'
/// OPTIONS (namespaces 'all', redirects 'true', revisions 'all', on_error 'skip')
/// ```
///
/// Register it under [`WikiDumpFactory::NAME`].
#[derive(Debug, Clone, Copy, Default)]
pub struct WikiDumpFactory;

impl WikiDumpFactory {
    /// The name of the format in `STORED AS`.
    pub const NAME: &str = "WIKIDUMP";
}

#[async_trait]
impl TableProviderFactory for WikiDumpFactory {
    async fn create(
        &self,
        session: &dyn Session,
        statement: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let name = &statement.name;
        if !statement.schema.fields().is_empty() {
            return plan_err!("table {name}: a dump has columns of its own, so none may be given");
        }
        if !statement.table_partition_cols.is_empty() || !statement.order_exprs.is_empty() {
            return plan_err!("table {name}: a dump has neither partition columns nor an order");
        }
        let mut texts: Vec<_> = statement
            .options
            .iter()
            .map(|(key, value)| (key.strip_prefix("format.").unwrap_or(key), value.as_str()))
            .collect();
        texts.sort_unstable();
        let options = DumpOptions::from_texts(texts)?;
        let table = DumpTable::try_new(statement.locations.clone(), options)?;
        // Finds the files now, so that a wrong path is an error of this statement.
        table.locate(session).await?;
        Ok(Arc::new(table))
    }
}
