//! The first steps: make `documents` (side, id, text, group_value), the table of the rows that are compared.

use super::options::{Keep, Method, RowIds};
use super::row_ids::{ROW, numbered};
use super::run::Run;
use crate::files::{Input, Kind, Location};
use crate::functions::{last_column, names_of_groups, orderable};
use crate::jobs::dumps;
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::near_names;
use crate::parameters::{name, parameter_error, set};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Result;
use datafusion::functions::unicode::expr_fn::character_length;
use datafusion::functions_aggregate::expr_fn::{max, min};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, cast, ident, lit, when};
use datafusion::prelude::{DataFrame, SessionContext};

/// How to make rows of the objects in the only list of a table: files of one object often hold their rows so.
fn rows_in_list(schema: &Schema, file: &Location) -> Option<String> {
    let mut lists = schema
        .fields()
        .iter()
        .filter_map(|field| match field.data_type() {
            DataType::List(item) => match item.data_type() {
                DataType::Struct(fields) => Some((field.name(), fields)),
                _ => None,
            },
            _ => None,
        });
    let (Some((list, fields)), None) = (lists.next(), lists.next()) else {
        return None;
    };
    let fields: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let query = near_names::unnested(list, &fields, file.as_str());
    Some(format!(
        "; if the objects in {list} are the rows, make a file of them: neardup sql \"COPY ({query}) TO 'rows.jsonl'\""
    ))
}

/// The columns of a table that the job uses.
pub(super) struct Columns {
    /// The column of ids; `None` if they are made.
    id: Option<String>,
    text: String,
    /// The column of vectors, if vectors are compared.
    vector: Option<String>,
}

impl Run<'_> {
    /// Finds the columns that the options name, and checks their types.
    pub(super) async fn columns(&self, context: &SessionContext, input: &Input) -> Result<Columns> {
        let schema = input.table(&context.state()).await?.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let find = |option: &'static str, name: &str| {
            schema.field_with_name(name).map_err(|_| {
                let why = match names.is_empty() {
                    true => ": the input is empty and has no columns".to_owned(),
                    false => format!(
                        ": the input has no such column{}; its columns are: {}",
                        near_names::hint(name, names.iter().copied()),
                        names.join(", ")
                    ),
                };
                let of_keep = match option {
                    "keep_by" => "; an order is COLUMN, COLUMN asc or COLUMN desc",
                    _ => "",
                };
                let is_separated = matches!(input.kind, Kind::Csv | Kind::Tsv);
                let like_json = names.first().is_some_and(|name| name.starts_with('{'));
                match near_names::separator(&names).filter(|_| is_separated) {
                    _ if is_separated && like_json => {
                        parameter_error![set(option, name), why, near_names::LIKE_JSON]
                    }
                    Some(separator) => parameter_error![
                        set(option, name),
                        why,
                        "; if this is several names, say what separates them: ",
                        set("delimiter", separator)
                    ],
                    None => {
                        let rows = rows_in_list(&schema, &input.files[0]).unwrap_or_default();
                        parameter_error![set(option, name), why, of_keep, rows]
                    }
                }
            })
        };
        // A column whose type is not the one that the option needs.
        let unfit = |option: &'static str, field: &Field, needed: &str| {
            let why = format!(": must {needed}, but it holds {}", field.data_type());
            Err(parameter_error![set(option, field.name()), why].into())
        };
        let by_vector = self.options.method == Method::Projection;
        let text = self.options.text.as_deref().unwrap_or("text");
        let is_text = |data_type: &DataType| match data_type {
            DataType::Dictionary(_, value) => value.is_string(),
            other => other.is_string() || other.is_null(),
        };
        if !by_vector || self.options.text.is_some() || self.options.keep == Keep::Longest {
            let field = find("text", text)?;
            if !is_text(field.data_type()) {
                return unfit("text", field, "be a text column");
            }
        }
        let vector = self.options.vector.as_deref().unwrap_or("vector");
        if by_vector {
            let field = find("vector", vector)?;
            let is_list = matches!(
                field.data_type(),
                DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _)
            );
            if !is_list {
                let needed = "hold lists of numbers or of (term, weight)";
                return unfit("vector", field, needed);
            }
        }
        let id = match self.options.id.as_deref() {
            Some(ROW) => schema.field_with_name(ROW).ok(),
            Some(id) => Some(find("id", id)?),
            None => schema.field_with_name("id").ok(),
        };
        if let Some(field) = id
            && !is_text(field.data_type())
            && !field.data_type().is_integer()
        {
            let why = format!(
                ": must be a column of integers or texts, but it holds {}; ",
                field.data_type()
            );
            let made = " makes ids from the numbers of rows";
            return Err(
                parameter_error![set("id", field.name()), why, set("id", ROW), made].into(),
            );
        }
        if let Keep::By { column, .. } = &self.options.keep {
            find("keep_by", column)?;
        }
        for column in &self.options.within {
            let field = find("within", column)?;
            if field.data_type().is_nested() || field.data_type().is_binary() {
                return unfit(
                    "within",
                    field,
                    "hold texts, numbers, dates or truth values",
                );
            }
        }
        if let Some(field) = id
            && self.options.row_ids != RowIds::Number
        {
            return Err(parameter_error![
                name("row_ids"),
                format!(
                    " makes ids where there are none, but the column {} holds the ids of this table",
                    field.name()
                )
            ]
            .into());
        }
        Ok(Columns {
            id: id.map(|field| field.name().clone()),
            text: text.to_owned(),
            vector: by_vector.then(|| vector.to_owned()),
        })
    }

    /// The documents of a table: Parquet with ids in a file that stays is read in place; any other input is first copied
    /// by a step.
    pub(super) async fn table(&self, job: &mut Job, input: &Input) -> Result<()> {
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
                async |job: &Job| match columns.id {
                    Some(_) => {
                        let table = input.table(&job.context().state()).await?;
                        Ok(job.context().read_table(table)?.into_unoptimized_plan())
                    }
                    None => numbered(job.context(), input, self.options.row_ids, id).await,
                },
                async |_, _, _: &mut StepRecord| Ok(()),
            )
            .await?;
        }
        let text = match &columns.vector {
            Some(vector) => neardup_udfs::packed_vector()
                .call(vec![ident(vector), cast(ident(id), DataType::Utf8)]),
            None => cast(
                ident(&columns.text),
                self.plain_type(job, &columns.text).await?,
            ),
        };
        let id_type = self.plain_type(job, id).await?;
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
        self.register_documents(job, documents, id, &columns.text)
            .await
    }

    /// The type of a column of `input`, with dictionaries unpacked.
    pub(super) async fn plain_type(&self, job: &Job, name: &str) -> Result<DataType> {
        let table = job.context().table("input").await?;
        let data_type = table
            .schema()
            .field_with_unqualified_name(name)?
            .data_type()
            .clone();
        Ok(match data_type {
            DataType::Dictionary(_, value) => *value,
            DataType::Null if name == "id" => DataType::Int64,
            DataType::Null => DataType::Utf8,
            other => other,
        })
    }

    /// The documents of a dump: its sentences of the wanted kinds and lengths.
    pub(super) async fn sentences(&self, job: &mut Job, input: &Input) -> Result<()> {
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
        self.register_documents(job, documents, "sentence_id", "sentence")
            .await
    }

    /// Registers `documents` (side, id, text, group_value), and `ranks` if the keep order needs them.
    pub(super) async fn register_documents(
        &self,
        job: &mut Job,
        documents: DataFrame,
        id: &str,
        text: &str,
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
        let value = self.options.value_column(text);
        let rank = |descending: bool| {
            row_number()
                .order_by(vec![
                    ident("sort_key").sort(!descending, false),
                    ident("id").sort(true, false),
                ])
                .build()
        };
        job.step(
            "ranks",
            Output::Step,
            async |job: &Job| {
                let order = self.keep_order(job.context(), text).await?;
                let (sort_key, descending) = order.unwrap_or((ident(id), false));
                // Each id has one rank, that of the row that is kept for it. A row whose value is NULL is kept only
                // if all rows of its id are NULL.
                let sort_key = when(ident(value).is_not_null(), sort_key).end()?;
                let first = match descending {
                    true => max(sort_key),
                    false => min(sort_key),
                };
                let input = job.context().table("input").await?;
                let ranked = input
                    .filter(ident(id).is_not_null())?
                    .aggregate(vec![ident(id).alias("id")], vec![first.alias("sort_key")])?
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
    /// The expression that the keep order sorts by before the id, and whether it is descending; `None` if it sorts
    /// by the id alone.
    pub(super) async fn keep_order(
        &self,
        context: &SessionContext,
        text: &str,
    ) -> Result<Option<(Expr, bool)>> {
        let (column, descending) = match &self.options.keep {
            Keep::First => return Ok(None),
            Keep::Longest => return Ok(Some((character_length(ident(text)), true))),
            Keep::By { column, descending } => (column, *descending),
        };
        let input = context.table("input").await?;
        let field = input.schema().field_with_unqualified_name(column)?;
        let sort_key = orderable(ident(column), field.data_type(), descending)?;
        Ok(Some((sort_key, descending)))
    }
}
