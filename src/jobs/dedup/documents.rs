//! The first steps: make `documents` (side, id, text, group_value), the table of the rows that are compared.

use super::options::{Keep, Method};
use super::run::Run;
use crate::files::{Input, Kind};
use crate::functions::{KeepOrder, joined_texts, last_column, names_of_groups};
use crate::jobs::dumps;
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::table::{TableColumns, check_row_ids, plain_type, rows, wrong_type};
use crate::parameters::{parameter_error, set};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::functions::unicode::expr_fn::character_length;
use datafusion::functions_aggregate::expr_fn::{max, min};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{ExprFunctionExt, cast, ident, lit, when};
use datafusion::prelude::{DataFrame, SessionContext};

/// The columns of a table that the job uses.
pub(in crate::jobs) struct Columns {
    /// The column of ids; `None` if they are made.
    id: Option<String>,
    texts: Vec<String>,
    /// The column of vectors, if vectors are compared.
    vector: Option<String>,
}

impl Run<'_> {
    /// Finds the columns that the options name, and checks their types.
    pub(in crate::jobs) async fn columns(
        &self,
        context: &SessionContext,
        input: &Input,
    ) -> Result<Columns> {
        let table = TableColumns::of(context, input).await?;
        let by_vector = self.options.method == Method::Projection;
        let texts = self.options.texts();
        if !by_vector || !self.options.text.is_empty() || self.options.keep == Keep::Longest {
            for (at, text) in texts.iter().enumerate() {
                table.find_text("text", text)?;
                if texts[..at].contains(text) {
                    return Err(
                        parameter_error![set("text", text), ": the column is named twice"].into(),
                    );
                }
            }
        }
        let vector = self.options.vector.as_deref().unwrap_or("vector");
        if by_vector {
            let field = table.find("vector", vector)?;
            let is_list = match field.data_type() {
                DataType::List(item)
                | DataType::LargeList(item)
                | DataType::FixedSizeList(item, _) => !item.data_type().is_string(),
                _ => false,
            };
            if !is_list {
                let needed = "hold lists of numbers or of (term, weight)";
                return Err(wrong_type("vector", field, needed));
            }
        }
        let id = table.find_id("id", self.options.id.as_deref())?;
        if let Keep::By(keys) = &self.options.keep {
            KeepOrder::of(keys, |name| {
                let field = table.find("keep_by", name)?;
                Ok((ident(name), field.data_type().clone()))
            })?;
        }
        for column in &self.options.within {
            let field = table.find("within", column)?;
            if field.data_type().is_nested() || field.data_type().is_binary() {
                let needed = "hold texts, numbers, dates or truth values";
                return Err(wrong_type("within", field, needed));
            }
        }
        check_row_ids(id, self.options.row_ids)?;
        if self.options.edit.is_some() {
            for text in &texts {
                table.check_apart(id, text)?;
            }
        }
        Ok(Columns {
            id: id.map(str::to_owned),
            texts,
            vector: by_vector.then(|| vector.to_owned()),
        })
    }

    /// The documents of a table: Parquet with ids in a file that stays is read in place; any other input is first copied
    /// by a step.
    pub(in crate::jobs) async fn table(&self, job: &mut Job, input: &Input) -> Result<()> {
        let columns = self.columns(job.context(), input).await?;
        let made = self.options.id.as_deref().unwrap_or("id");
        let id = columns.id.as_deref().unwrap_or(made);
        if input.kind == Kind::Parquet && columns.id.is_some() && !input.is_temporary() {
            let table = input.table(&job.context().state()).await?;
            job.context().register_table("input", table)?;
        } else {
            job.step(
                "input",
                Output::Step,
                async |job: &Job| {
                    let made = columns.id.is_none().then_some(self.options.row_ids);
                    rows(job.context(), input, made, id).await
                },
                async |_, _, _: &mut StepRecord| Ok(()),
            )
            .await?;
        }
        let text = match &columns.vector {
            Some(vector) => neardup_udfs::packed_vector()
                .call(vec![ident(vector), cast(ident(id), DataType::Utf8)]),
            None => {
                let mut texts = Vec::new();
                for text in &columns.texts {
                    let plain = plain_type(job.context(), "input", text).await?;
                    texts.push(cast(ident(text), plain));
                }
                joined_texts(texts)?
            }
        };
        let id_type = plain_type(job.context(), "input", id).await?;
        let input = job.context().table("input").await?;
        let relation = [input.logical_plan().clone()];
        let group = match self.options.within.as_slice() {
            [] => lit(0_i8),
            columns => names_of_groups("dedup", &relation, columns)?.remove(0),
        };
        let documents = input.select(vec![
            cast(ident(id), id_type).alias("id"),
            text.alias("text"),
            group.alias("group_value"),
        ])?;
        self.register_documents(job, documents, id, &columns.texts)
            .await
    }

    /// The documents of a dump: its sentences of the wanted kinds and lengths.
    pub(in crate::jobs) async fn sentences(&self, job: &mut Job, input: &Input) -> Result<()> {
        dumps::read(job, input, &self.options.dump).await?;
        let (min_length, max_length) = self.lengths();
        let length = || character_length(ident("sentence"));
        let kept = length()
            .gt_eq(lit(min_length as i64))
            .and(length().lt_eq(lit(max_length as i64)));
        let kinds = self
            .options
            .compare
            .kinds_left_out()
            .iter()
            .map(|kind| lit(*kind));
        let kept = kept.and(ident("kind").in_list(kinds.collect(), true));
        let sentences = job.context().table("sentences").await?.filter(kept)?;
        let input = sentences.into_view();
        job.context().register_table("input", input)?;
        let documents = job.context().table("input").await?.select(vec![
            ident("sentence_id").alias("id"),
            ident("sentence").alias("text"),
            lit(0_i8).alias("group_value"),
        ])?;
        self.register_documents(job, documents, "sentence_id", &["sentence".to_owned()])
            .await
    }

    /// Registers `documents` (side, id, text, group_value), and `ranks` if the keep order needs them.
    pub(super) async fn register_documents(
        &self,
        job: &mut Job,
        documents: DataFrame,
        id: &str,
        texts: &[String],
    ) -> Result<()> {
        let view = documents.select(vec![
            lit(0_i8).alias("side"),
            ident("id"),
            ident("text"),
            ident("group_value"),
        ])?;
        job.context()
            .register_table("documents", view.into_view())?;
        if self.options.keep == Keep::First {
            return Ok(());
        }
        let value = self.options.value(texts)?;
        let rank = |descending: bool| {
            row_number()
                .order_by(vec![
                    ident("keep_key").sort(!descending, false),
                    ident("id").sort(true, false),
                ])
                .build()
        };
        job.step(
            "ranks",
            Output::Step,
            async |job: &Job| {
                let order = self.keep_order(job.context(), texts).await?;
                let (keep_key, descending) = match order {
                    Some(order) => (order.expr, order.descending),
                    None => (ident(id), false),
                };
                // Each id has one rank, that of the row that is kept for it. A row whose value is NULL is kept only
                // if all rows of its id are NULL.
                let keep_key = when(value.clone().is_not_null(), keep_key).end()?;
                let first = match descending {
                    true => max(keep_key),
                    false => min(keep_key),
                };
                let input = job.context().table("input").await?;
                let ranked = input
                    .filter(ident(id).is_not_null())?
                    .aggregate(vec![ident(id).alias("id")], vec![first.alias("keep_key")])?
                    .window(vec![rank(descending)?])?;
                let rank = cast(last_column(ranked.schema()), DataType::Int64).alias("rank");
                Ok(ranked
                    .select(vec![ident("id"), rank])?
                    .into_unoptimized_plan())
            },
            async |_, _, _: &mut StepRecord| Ok(()),
        )
        .await?;
        Ok(())
    }
}

impl Run<'_> {
    /// What the rows are sorted by before their ids; `None` if they are sorted by their ids alone.
    pub(super) async fn keep_order(
        &self,
        context: &SessionContext,
        texts: &[String],
    ) -> Result<Option<KeepOrder>> {
        let keys = match &self.options.keep {
            Keep::First => return Ok(None),
            Keep::Longest => {
                return Ok(Some(KeepOrder {
                    expr: character_length(joined_texts(texts.iter().map(ident).collect())?),
                    descending: true,
                }));
            }
            Keep::By(keys) => keys,
        };
        let input = context.table("input").await?;
        let find = |name: &str| {
            let field = input.schema().field_with_unqualified_name(name)?;
            Ok((ident(name), field.data_type().clone()))
        };
        KeepOrder::of(keys, find).map(Some)
    }
}
