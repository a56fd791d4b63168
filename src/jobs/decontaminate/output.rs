//! Writes what was found, and the rows that are kept.

use super::options::{Action, CONTAMINATED};
use super::run::Run;
use super::search::{columns_of, function, has_hits};
use crate::jobs::figures::{Figure, Reason};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::{counts_by_text, numbers};
use crate::jobs::table::plain_type;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{Expr, SortExpr, cast, ident, lit, when};
use datafusion::prelude::{DataFrame, SessionContext};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The number of items found of each of the 100 benchmarks with the largest numbers, and of all others together.
const BY_BENCHMARK: &str = "SELECT CASE WHEN place <= 100 THEN name ELSE 'other benchmarks' END AS name, \
    CAST(sum(items) AS BIGINT) AS items FROM \
    (SELECT name, items, row_number() OVER (ORDER BY items DESC, name) AS place FROM \
    (SELECT coalesce(benchmark, 'no benchmark') AS name, count(*) AS items FROM found_items GROUP BY 1)) \
    GROUP BY 1 ORDER BY min(place)";

/// The items that were found: a row for each text of each row, since ids may be repeated.
const FOUND_ITEMS: &str = "SELECT benchmark FROM items WHERE number IN (\
    SELECT hit['item'] FROM (SELECT UNNEST(hits) AS hit FROM contaminated))";

impl Run<'_> {
    /// Lists the items that were found.
    pub(super) async fn contamination(&self, job: &mut Job) -> Result<()> {
        job.step(
            "contamination",
            Output::File("contamination.parquet"),
            async |job: &Job| {
                let plan = job.plan(statement!("contamination"), &BTreeMap::new()).await?;
                let found = DataFrame::new(job.context().state(), plan);
                let order = [
                    "corpus_id", "start_char", "end_char", "item_id", "field", "benchmark", "item_text", "passage",
                ];
                let order = order.map(|column| ident(column).sort(true, false));
                Ok(found.sort(order.to_vec())?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let found = context.sql(FOUND_ITEMS).await?;
                context.register_table("found_items", found.into_view())?;
                let counts = numbers(
                    context,
                    "SELECT (SELECT CAST(coalesce(sum(cardinality(hits)), 0) AS BIGINT) FROM contaminated), \
                     (SELECT count(*) FROM found_items)",
                )
                .await?;
                // A text of several items is one hit.
                if (record.rows as i64) < counts[0] {
                    return exec_err!(
                        "step contamination: {} items were found, {} are listed",
                        counts[0],
                        record.rows
                    );
                }
                record.set(Figure::ItemsFound, counts[1]);
                if self.benchmark.is_some() {
                    let found = counts_by_text(context, BY_BENCHMARK).await?.into_iter();
                    let found = found.map(|(name, items)| (name, Value::from(items)));
                    record.set(Figure::ItemsOfBenchmarks, found.collect::<Map<_, _>>());
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Lists the passages that are cut out.
    pub(super) async fn cuts(&self, job: &mut Job) -> Result<()> {
        let values = self.options.values();
        job.step(
            "cuts",
            Output::File("cuts.parquet"),
            async |job: &Job| {
                let plan = job.plan(statement!("item_cuts"), &values).await?;
                let cuts = DataFrame::new(job.context().state(), plan);
                let order = ["id", "start_char", "passage"];
                let order = order.map(|column| ident(column).sort(true, false));
                Ok(cuts.sort(order.to_vec())?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let found = numbers(context, "SELECT count(*) FROM contaminated").await?;
                match record.rows as i64 >= found[0] {
                    true => Ok(()),
                    false => exec_err!(
                        "step cuts: items occur in {} rows, but {} passages are cut",
                        found[0],
                        record.rows
                    ),
                }
            },
        )
        .await?;
        Ok(())
    }

    /// Writes the rows that are kept.
    pub(super) async fn kept(&self, job: &mut Job) -> Result<()> {
        let [read, found] =
            [Figure::Rows, Figure::ContaminatedRows].map(|figure| job.figure(figure) as u64);
        job.step(
            "kept",
            Output::File("kept.parquet"),
            async |job: &Job| {
                let context = job.context();
                let searched = context.table("searched").await?;
                let mut columns = columns_of(&searched);
                // The last one is that of what was found.
                columns.pop();
                let kept = match self.options.action {
                    Action::Drop => {
                        let clean = has_hits(&self.hits).is_not_true();
                        searched.filter(clean)?.select(columns)?
                    }
                    Action::Mark => {
                        let found = has_hits(&self.hits).is_true();
                        columns.push(found.alias(CONTAMINATED));
                        searched.select(columns)?
                    }
                    Action::Cut => self.cut(context, searched, columns).await?,
                };
                let order = self.order(context, &kept).await?;
                Ok(kept.sort(order)?.into_unoptimized_plan())
            },
            async |_: &SessionContext, _, record: &mut StepRecord| {
                let expected = match self.options.action {
                    Action::Drop => read - found..=read - found,
                    Action::Mark => read..=read,
                    Action::Cut => read - found..=read,
                };
                if !expected.contains(&record.rows) {
                    return exec_err!(
                        "step kept: {read} rows were read and {found} hold items, but {} are kept",
                        record.rows
                    );
                }
                if self.options.action == Action::Cut {
                    record.leave_out(Reason::NothingElse, read - record.rows);
                }
                record.set(Figure::Kept, record.rows);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// The rows with the items cut out of their texts, without rows whose texts are then empty.
    async fn cut(
        &self,
        context: &SessionContext,
        searched: DataFrame,
        columns: Vec<Expr>,
    ) -> Result<DataFrame> {
        let field = searched.schema().field_with_unqualified_name(self.text())?;
        if field.data_type().is_null() {
            return searched.select(columns);
        }
        // The dictionary of a column may have no room for the texts that are left.
        let text_type = plain_type(context, "searched", self.text()).await?;
        let plain = cast(ident(self.text()), text_type.clone());
        let spans = function(context, "item_spans")?.call(vec![
            plain.clone(),
            ident(self.items_column()),
            lit(self.options.min_coverage),
        ]);
        let cut = function(context, "cut_spans")?.call(vec![plain.clone(), spans]);
        let cut = when(has_hits(&self.hits), cut).otherwise(cast(plain, DataType::Utf8View))?;
        let with_cut: Vec<Expr> = columns
            .iter()
            .map(|column| match column {
                Expr::Column(column) if column.name == self.text() => {
                    cast(cut.clone(), text_type.clone()).alias(self.text())
                }
                other => other.clone(),
            })
            .chain([ident(&self.hits)])
            .collect();
        let rows = self.with_index(context, searched).await?.select(with_cut)?;
        let is_left = ident(self.text()).not_eq(lit(""));
        rows.filter(has_hits(&self.hits).is_not_true().or(is_left))?
            .select(columns)
    }

    /// The order of the kept rows: by their ids, and by the other columns if ids repeat.
    async fn order(&self, context: &SessionContext, kept: &DataFrame) -> Result<Vec<SortExpr>> {
        let mut order = vec![ident(self.id()).sort(true, false)];
        let repeated = numbers(
            context,
            "SELECT count(*) FILTER (WHERE rows > 1) FROM \
             (SELECT id, count(*) AS rows FROM found_rows GROUP BY id)",
        )
        .await?;
        if repeated[0] > 0 {
            let fields = kept.schema().fields().iter();
            let others =
                fields.filter(|field| field.name() != self.id() && !field.data_type().is_nested());
            order.extend(others.map(|field| ident(field.name()).sort(true, false)));
        }
        Ok(order)
    }
}
