//! Finds the files and the columns that the options name, and checks them.

use super::options::{Action, CONTAMINATED, Decontaminate};
use crate::files::{Input, Kind, resolve, resolve_second};
use crate::jobs::table::{self, TableColumns, check_row_ids};
use crate::parameters::{name, parameter_error, set};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::functions_nested::expr_fn::array_to_string;
use datafusion::logical_expr::{Expr, cast, ident, lit};
use datafusion::prelude::SessionContext;
use std::collections::BTreeSet;

/// A job with its inputs.
pub(super) struct Run<'a> {
    pub(super) options: &'a Decontaminate,
    pub(super) corpus: Input,
    pub(super) items: Input,
    /// The id column of the corpus, and of the items; `None` if ids are made.
    pub(super) ids: [Option<String>; 2],
    /// The text columns of the items.
    pub(super) item_texts: Vec<ItemColumn>,
    /// The column of the items with their benchmark, if there is one.
    pub(super) benchmark: Option<String>,
    /// The name of the column with the items that were found; no column of the corpus has this name.
    pub(super) hits: String,
}

/// A column of the items.
pub(super) struct ItemColumn {
    pub(super) name: String,
    /// Whether a row has a list of texts, which are the lines of one item.
    holds_lists: bool,
}

impl ItemColumn {
    /// The text of an item.
    pub(super) fn text(&self) -> Expr {
        let column = ident(&self.name);
        match self.holds_lists {
            true => {
                let texts = DataType::new_list(DataType::Utf8, true);
                cast(
                    array_to_string(cast(column, texts), lit("\n")),
                    DataType::Utf8,
                )
            }
            false => cast(column, DataType::Utf8),
        }
    }
}

impl<'a> Run<'a> {
    /// Finds the files and the columns that the options name, and checks their types.
    pub(super) async fn new(options: &'a Decontaminate, context: &SessionContext) -> Result<Self> {
        let state = context.state();
        let text = options.text.as_deref().unwrap_or("text");
        let item_texts = match options.item_text.as_slice() {
            [] => vec!["text".to_owned()],
            given => given.to_vec(),
        };
        let corpus = resolve(&options.inputs, &state).await?.with_texts_in(text);
        // Without a column `row` the ids are made.
        let item_id = (options.item_id.as_deref()).filter(|id| *id != table::ROW);
        let needed: Vec<&str> = (item_texts.iter().map(String::as_str))
            .chain(item_id)
            .chain(options.item_benchmark.as_deref())
            .collect();
        let items = resolve_second(&options.against, &needed, &item_texts, &corpus, &state).await?;
        if let Some(dump) = [&corpus, &items]
            .into_iter()
            .find(|input| input.kind == Kind::Dump)
        {
            return exec_err!(
                "{}: a dump is not a table of documents; convert it with neardup ingest, whose result has one in the directory plain_text",
                dump.files[0]
            );
        }
        let targets: BTreeSet<_> = items.files.iter().map(|file| file.target()).collect();
        if let Some(file) = corpus
            .files
            .iter()
            .find(|file| targets.contains(&file.target()))
        {
            let both = format!("{file} is given twice: as a file of the corpus, and in ");
            return Err(parameter_error![both, name("against")].into());
        }
        table::check_options(&corpus, Some(&items))?;
        let columns = TableColumns::of(context, &corpus).await?;
        columns.find_text("text", text)?;
        let id = columns
            .find_id("id", options.id.as_deref())?
            .map(str::to_owned);
        if options.action == Action::Cut {
            columns.check_apart(id.as_deref(), text)?;
        }
        check_row_ids(id.as_deref(), options.row_ids)?;
        if options.action == Action::Mark && columns.has(CONTAMINATED) {
            let why = format!(": the corpus has a column {CONTAMINATED} already");
            return Err(parameter_error![set("action", Action::Mark), why].into());
        }
        // The names of the columns that steps add begin with it.
        let mut hits = "neardup_hits".to_owned();
        while columns.names().any(|name| name.starts_with(&hits)) {
            hits.push('_');
        }
        let columns = TableColumns::of(context, &items).await?;
        let item_texts = item_texts.into_iter().map(|column| {
            let holds_lists = columns.find_texts("item_text", &column)?;
            Ok(ItemColumn {
                name: column,
                holds_lists,
            })
        });
        let item_texts = item_texts.collect::<Result<_>>()?;
        let item_id = columns.find_id("item_id", options.item_id.as_deref())?;
        let ids = [id, item_id.map(str::to_owned)];
        if let Some(name) = &options.item_benchmark {
            let field = columns.find("item_benchmark", name)?;
            if field.data_type().is_nested() {
                let why = ": must be a column of single values, such as texts";
                return Err(parameter_error![set("item_benchmark", name), why].into());
            }
        }
        let benchmark = options.item_benchmark.as_deref().unwrap_or("benchmark");
        let field = columns.schema().field_with_name(benchmark);
        let benchmark = field
            .is_ok_and(|field| !field.data_type().is_nested())
            .then(|| benchmark.to_owned());
        Ok(Self {
            options,
            corpus,
            items,
            ids,
            item_texts,
            benchmark,
            hits,
        })
    }

    /// The name of the id column of the corpus, which may be made.
    pub(super) fn id(&self) -> &str {
        let made = self.options.id.as_deref().unwrap_or("id");
        self.ids[0].as_deref().unwrap_or(made)
    }

    /// The name of the text column of the corpus.
    pub(super) fn text(&self) -> &str {
        self.options.text.as_deref().unwrap_or("text")
    }
}
