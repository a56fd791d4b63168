//! Reads and indexes the items, and searches the corpus for them.

use super::run::Run;
use crate::jobs::figures::{Figure, Reason};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::{bytes_of_row, check_one_row, numbers};
use crate::jobs::row_ids::RowIds;
use crate::jobs::table::{self, plain_type};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{JoinType, Result, exec_datafusion_err, exec_err};
use datafusion::execution::FunctionRegistry;
use datafusion::functions_aggregate::expr_fn::max;
use datafusion::functions_nested::expr_fn::cardinality;
use datafusion::logical_expr::{Expr, ScalarUDF, cast, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use neardup_kernels::ItemIndex;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Run<'_> {
    /// Reads the items: one row for each text column of a row, with the number of its text.
    pub(super) async fn items(&self, job: &mut Job) -> Result<()> {
        job.step(
            "items",
            Output::Step,
            async |job: &Job| {
                let context = job.context();
                let made = self.options.item_id.as_deref().unwrap_or("id");
                let id = self.ids[1].as_deref().unwrap_or(made);
                let row_ids = self.ids[1].is_none().then_some(RowIds::Path);
                let rows = table::rows(context, &self.items, row_ids, id).await?;
                let rows = DataFrame::new(context.state(), rows);
                context.register_table("items_table", rows.into_view())?;
                let id_type = plain_type(context, "items_table", id).await?;
                let mut all: Option<DataFrame> = None;
                for column in &self.item_texts {
                    let benchmark = match &self.benchmark {
                        Some(name) => cast(ident(name), DataType::Utf8),
                        None => cast(lit(datafusion::common::ScalarValue::Null), DataType::Utf8),
                    };
                    let rows = context.table("items_table").await?;
                    let of_column =
                        rows.filter(ident(&column.name).is_not_null())?
                            .select(vec![
                                cast(ident(id), id_type.clone()).alias("item_id"),
                                benchmark.alias("benchmark"),
                                lit(column.name.as_str()).alias("field"),
                                column.text().alias("item_text"),
                            ])?;
                    all = Some(match all {
                        Some(all) => all.union(of_column)?,
                        None => of_column,
                    });
                }
                let Some(all) = all else {
                    return exec_err!("there are no text columns");
                };
                context.register_table("items_read", all.into_view())?;
                job.plan(statement!("numbered_items"), &BTreeMap::new())
                    .await
            },
            async |_: &SessionContext, _, record: &mut StepRecord| {
                if record.rows == 0 {
                    return exec_err!("there are no items: the texts of all rows are NULL");
                }
                record.set(Figure::Items, record.rows);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Indexes the items.
    pub(super) async fn index(&self, job: &mut Job) -> Result<()> {
        let values = self.options.values();
        job.step(
            "index",
            Output::Step,
            async |job: &Job| job.plan(statement!("item_index"), &values).await,
            async |_: &SessionContext, written, record: &mut StepRecord| {
                check_one_row(record)?;
                let bytes = bytes_of_row(written, "items").await?;
                let index = ItemIndex::from_bytes(&bytes)
                    .map_err(|error| exec_datafusion_err!("step index: {error}"))?;
                let left_out = index.left_out();
                let short = Reason::ItemsUnder(self.options.min_words);
                record.leave_out(short, left_out.short as u64);
                record.leave_out(Reason::FrequentItems, left_out.frequent as u64);
                record.set(Figure::IgnoredNgrams, left_out.grams);
                Ok(())
            },
        )
        .await?;
        // An aggregate has one row, so that the planner gives it to every partition of what it is joined to.
        let index = job.context().table("index").await?;
        let indexed = index
            .aggregate(vec![], vec![max(ident("items")).alias("items")])?
            .select(vec![ident("items"), lit(0_i64).alias("all_rows")])?;
        job.context()
            .register_table("indexed", indexed.into_view())?;
        Ok(())
    }

    /// Searches the corpus: its rows, with the items that were found in each.
    pub(super) async fn searched(&self, job: &mut Job) -> Result<()> {
        job.step(
            "searched",
            Output::Step,
            async |job: &Job| {
                let context = job.context();
                let made = self.ids[0].is_none().then_some(self.options.row_ids);
                let rows = table::rows(context, &self.corpus, made, self.id()).await?;
                let rows = DataFrame::new(context.state(), rows);
                context.register_table("corpus", rows.into_view())?;
                let text_type = plain_type(context, "corpus", self.text()).await?;
                let hits = function(context, "contained_items")?.call(vec![
                    cast(ident(self.text()), text_type),
                    ident(self.items_column()),
                    lit(self.options.min_coverage),
                ]);
                let rows = context.table("corpus").await?;
                let mut columns = columns_of(&rows);
                columns.push(hits.alias(&self.hits));
                let searched = self.with_index(context, rows).await?.select(columns)?;
                Ok(searched.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                self.register_found(context).await?;
                let counts = numbers(
                    context,
                    "SELECT count(*), count(*) FILTER (WHERE text IS NULL), \
                     count(*) FILTER (WHERE cardinality(hits) > 0) FROM found_rows",
                )
                .await?;
                let [rows, without_text, found] = counts[..] else {
                    return exec_err!("step searched: expected three counts");
                };
                if rows as u64 != record.rows {
                    return exec_err!(
                        "step searched: {} rows were written, {rows} are read",
                        record.rows
                    );
                }
                record.set(Figure::Rows, rows);
                record.set(Figure::ContaminatedRows, found);
                record.leave_out(Reason::WithoutText, without_text as u64);
                Ok(())
            },
        )
        .await?;
        self.register_found(job.context()).await
    }

    /// The name of the column of the index, which no column of the corpus has.
    pub(super) fn items_column(&self) -> String {
        format!("{}_index", self.hits)
    }

    /// Rows of the corpus, each with the index of the items.
    pub(super) async fn with_index(
        &self,
        context: &SessionContext,
        rows: DataFrame,
    ) -> Result<DataFrame> {
        let [all, key] = ["all", "key"].map(|end| format!("{}_{end}", self.hits));
        let indexed = context.table("indexed").await?.select(vec![
            ident("items").alias(self.items_column()),
            ident("all_rows").alias(&all),
        ])?;
        let mut columns = columns_of(&rows);
        columns.push(lit(0_i64).alias(&key));
        indexed.join(
            rows.select(columns)?,
            JoinType::Inner,
            &[&all],
            &[&key],
            None,
        )
    }

    /// Registers `found_rows` (id, text, hits, all_rows), and `contaminated`, those of them with hits.
    async fn register_found(&self, context: &SessionContext) -> Result<()> {
        let rows = context.table("searched").await?.select(vec![
            ident(self.id()).alias("id"),
            ident(self.text()).alias("text"),
            ident(&self.hits).alias("hits"),
            lit(0_i64).alias("all_rows"),
        ])?;
        let contaminated = rows.clone().filter(has_hits("hits"))?;
        for (name, rows) in [("found_rows", rows), ("contaminated", contaminated)] {
            context.deregister_table(name)?;
            context.register_table(name, rows.into_view())?;
        }
        Ok(())
    }
}

/// A function of the session, by its name.
pub(super) fn function(context: &SessionContext, name: &str) -> Result<Arc<ScalarUDF>> {
    context.udf(name)
}

/// The columns of a table.
pub(super) fn columns_of(table: &DataFrame) -> Vec<Expr> {
    let fields = table.schema().fields().iter();
    fields.map(|field| ident(field.name())).collect()
}

/// Whether items were found in a row; NULL if it has no text.
pub(super) fn has_hits(column: &str) -> Expr {
    cardinality(ident(column)).gt(lit(0_u64))
}
