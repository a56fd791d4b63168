//! The steps from documents to kept rows, each with a check of its invariant.

use super::costs::{PrefixSample, tokens};
use super::options::{Keep, Method, Pairs, Resolution};
use super::run::Run;
use crate::functions::{Value, one_row_per_id};
use crate::jobs::figures::{Figure, Reason};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::{check_one_row, numbers};
use crate::resources::has_limit;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, ident};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::prelude::{DataFrame, SessionContext};
use neardup_kernels::Measure;
use neardup_kernels::pairs::MAX_PREDECESSORS;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The table of the filter of texts that several rows have.
const FILTER: &str = "text_filter";

impl Run<'_> {
    pub(in crate::jobs) async fn texts(&self, job: &mut Job) -> Result<()> {
        let values = self.values(job);
        let lengths = self.lengths();
        let by_vector = self.options.method == Method::Projection;
        let template = match by_vector {
            true => statement!("texts.vectors"),
            false => statement!("texts"),
        };
        // The reasons not to compare a row, and the figure of the total size.
        let (missing, empty, size) = match by_vector {
            true => (
                Reason::WithoutVector,
                Reason::ZeroVector,
                Figure::BytesOfVectors,
            ),
            false => (Reason::WithoutText, Reason::EmptyText, Figure::Characters),
        };
        let is_dump = job.context().table_exist("sentences")?;
        let kinds = self.options.compare.kinds_left_out().join("', '");
        let counted = OnceLock::new();
        job.step(
            "texts",
            Output::Step,
            async |job: &Job| {
                let documents = Documents::count(job.context()).await?;
                // Grouping all rows by id takes the memory of all texts.
                let rows = match (by_vector, documents.repeated_ids() > 0) {
                    (false, false) => statement!("rows"),
                    (false, true) => statement!("rows.repeated"),
                    (true, _) => statement!("rows.vectors"),
                };
                let ids_are_unique = documents.repeated_ids() == 0;
                counted.get_or_init(|| documents);
                job.view("unique_documents", rows, &values).await?;
                if by_vector || !ids_are_unique || !has_limit(job.context().state().config_options()) {
                    return job.plan(template, &values).await;
                }
                let filter = job.plan(statement!("text_filter"), &values).await?;
                let filter = job.context().execute_logical_plan(filter).await?;
                let filter = MemTable::try_new(
                    Arc::clone(filter.schema().inner()),
                    vec![filter.collect().await?],
                )?;
                job.context().deregister_table(FILTER)?;
                job.context().register_table(FILTER, Arc::new(filter))?;
                job.plan(statement!("texts.counted"), &values).await
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                context.deregister_table(FILTER)?;
                let Some(documents) = counted.get() else {
                    return internal_err!("the documents were not counted");
                };
                let texts = numbers(
                    context,
                    "SELECT coalesce(sum(CAST(cardinality(ids) AS BIGINT)), 0), \
                     coalesce(sum(CAST(cardinality(ids) AS BIGINT)) FILTER (WHERE NOT compared), 0), \
                     coalesce(sum(CAST(length AS BIGINT)), 0), count(*) FILTER (WHERE compared), \
                     coalesce(sum(CAST(cardinality(ids) AS BIGINT)) FILTER (WHERE group_value IS NULL), 0) \
                     FROM texts",
                )
                .await?;
                if texts[0] != documents.ids_with_text {
                    return exec_err!(
                        "step texts: {} distinct ids went in, {} came out",
                        documents.ids_with_text,
                        texts[0]
                    );
                }
                record.set(Figure::Rows, documents.rows);
                record.set(Figure::RowsCompared, texts[0] - texts[1]);
                record.set(Figure::DistinctTexts, texts[3]);
                record.set(size, texts[2]);
                let mut leave_out = |reason, count: i64| record.leave_out(reason, count.max(0) as u64);
                leave_out(Reason::WithoutId, documents.without_id);
                leave_out(missing, documents.ids - documents.ids_with_text);
                leave_out(Reason::WithoutGroup, texts[4]);
                leave_out(empty, texts[1] - texts[4]);
                leave_out(Reason::RepeatedId, documents.repeated_ids());
                if is_dump {
                    let outside = numbers(
                        context,
                        &format!(
                            "SELECT count(*) FILTER (WHERE kind = 'heading' AND NOT wanted), \
                             count(*) FILTER (WHERE kind = 'list_item' AND NOT wanted), \
                             count(*) FILTER (WHERE wanted AND length < {}), \
                             count(*) FILTER (WHERE wanted AND length > {}) \
                             FROM (SELECT kind, kind NOT IN ('{kinds}') AS wanted, \
                             character_length(sentence) AS length FROM sentences)",
                            lengths.0, lengths.1
                        ),
                    )
                    .await?;
                    leave_out(Reason::Headings, outside[0]);
                    leave_out(Reason::ListItems, outside[1]);
                    leave_out(Reason::SentencesUnder(lengths.0), outside[2]);
                    leave_out(Reason::SentencesOver(lengths.1), outside[3]);
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Counts tokens if the exact join may run, and returns whether it does.
    pub(in crate::jobs) async fn frequencies(&self, job: &mut Job) -> Result<bool> {
        if matches!(self.options.method, Method::MinHash | Method::Projection) {
            return Ok(false);
        }
        if self.options.measure() != Measure::Jaccard {
            // The join of such a measure counts what it needs.
            return Ok(true);
        }
        let mut values = self.values(job);
        job.step(
            "frequencies",
            Output::Step,
            async |job: &Job| job.plan(statement!("frequencies"), &values).await,
            async |_: &SessionContext, written, record: &mut StepRecord| {
                check_one_row(record)?;
                let shingles = tokens(written).await?;
                record.set(Figure::Shingles, shingles);
                Ok(())
            },
        )
        .await?;
        // Without hashes MinHash cannot reach the target recall with the allowed number of hash functions.
        if self.options.method == Method::Exact || self.hashes().is_none() {
            return Ok(true);
        }
        let shingles = job.figure(Figure::Shingles);
        let sample = PrefixSample::of(job);
        values.insert("sample".to_owned(), sample.value());
        let record = job
            .step(
                "prefixes",
                Output::Step,
                async |job: &Job| job.plan(statement!("prefixes"), &values).await,
                async |_: &SessionContext, written, record: &mut StepRecord| {
                    check_one_row(record)?;
                    let costs = self.costs(shingles, written, &sample).await?;
                    record.set(Figure::CostOfExact, costs.exact);
                    record.set(Figure::CostOfMinHash, costs.minhash);
                    let is_cheaper = |minhash: f64| costs.exact <= 8.0 * minhash;
                    let chosen = match costs.minhash.is_none_or(is_cheaper) {
                        true => Method::Exact,
                        false => Method::MinHash,
                    };
                    record.set(Figure::Method, chosen.word());
                    Ok(())
                },
            )
            .await?;
        let chosen = record.figure(Figure::Method);
        Ok(chosen.and_then(|method| method.as_str()) == Some(Method::Exact.word()))
    }

    pub(super) async fn pairs(&self, job: &mut Job, exact: bool) -> Result<()> {
        let mut values = self.values(job);
        let by_vector = self.options.method == Method::Projection;
        let linked = self.options.pairs == Pairs::Linked;
        let method = match (by_vector, exact) {
            (true, _) => Method::Projection,
            (_, true) => Method::Exact,
            (_, false) => Method::MinHash,
        };
        values.insert("method".to_owned(), Value::Text(method.to_string()));
        let num_hashes = Value::Integer(self.options.num_hashes as i64);
        values.insert("num_hashes".to_owned(), num_hashes);
        if !linked {
            values.insert("max_bucket_pairwise".to_owned(), Value::Integer(0));
        }
        if !job.context().table_exist("frequencies")? {
            // Only the exact join reads the frequencies.
            let none = "SELECT CAST(NULL AS BYTEA) AS sketch WHERE false";
            let none = job.context().sql(none).await?.into_view();
            job.context().register_table("frequencies", none)?;
        }
        // The pivots of oversized buckets must be the first rows in keep order, and a pair by containment has a direction.
        let directed = self.options.measure() == Measure::Containment;
        let ordered = self.options.keep != Keep::First && (linked || directed);
        if ordered {
            job.step(
                "text_ranks",
                Output::Step,
                async |job: &Job| job.plan(statement!("text_ranks"), &values).await,
                async |context: &SessionContext, _, record: &mut StepRecord| {
                    let texts =
                        numbers(context, "SELECT count(*) FROM texts WHERE compared").await?;
                    match texts[0] == record.rows as i64 {
                        true => Ok(()),
                        false => exec_err!(
                            "step text_ranks: {} texts went in, {} came out",
                            texts[0],
                            record.rows
                        ),
                    }
                },
            )
            .await?;
        }
        let items = match ordered {
            true => statement!("items.ordered"),
            false => statement!("items"),
        };
        job.view("items", items, &values).await?;
        let connected = by_vector && linked && self.options.resolution == Resolution::Components;
        // What the join left out, if it runs in a step of its own.
        let mut left_out = BTreeMap::new();
        if connected {
            let limit = self.options.max_bucket_pairwise.min(MAX_PREDECESSORS);
            values.insert("predecessors".to_owned(), Value::Integer(limit as i64));
            let found = job
                .step(
                    "found",
                    Output::Step,
                    async |job: &Job| job.plan(statement!("similar"), &values).await,
                    async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
                )
                .await?;
            left_out.clone_from(&found.figures);
        }
        let similar = match connected {
            true => statement!("similar.connected"),
            false => statement!("similar"),
        };
        job.view("similar", similar, &values).await?;
        let template = match (linked, ordered) {
            (true, true) => statement!("pairs.ordered"),
            (true, false) => statement!("pairs.linked"),
            (false, true) => statement!("pairs.all_ordered"),
            (false, false) => statement!("pairs.all"),
        };
        let threshold = self.threshold;
        job.step(
            "pairs",
            Output::File("pairs.parquet"),
            async |job: &Job| job.plan(template, &values).await,
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let counts = numbers(
                    context,
                    &format!(
                        "SELECT count(*) FILTER (WHERE id_a >= id_b), \
                         count(*) FILTER (WHERE similarity < {threshold:?} OR similarity IS NULL) FROM pairs"
                    ),
                )
                .await?;
                if counts[0] + counts[1] > 0 {
                    return exec_err!(
                        "step pairs: {} pairs are not in the order of their ids, {} are below the threshold",
                        counts[0],
                        counts[1]
                    );
                }
                record.figures.append(&mut left_out);
                record.set(Figure::Method, method.word());
                // The statement selects the pairs to write after the join, so fewer may be written than were found.
                if let Some(found) = record.figure(Figure::SimilarPairsFound) {
                    let found = found.as_u64().unwrap_or(0);
                    let copies = numbers(
                        context,
                        "SELECT coalesce(sum(CAST(cardinality(ids) AS BIGINT) - 1), 0) FROM texts WHERE compared",
                    )
                    .await?;
                    let written = record.rows.saturating_sub(copies[0] as u64);
                    let missing = found.saturating_sub(written);
                    record.set(Figure::PairsNotReported, missing);
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    pub(super) async fn clusters(&self, job: &mut Job, is_dump: bool) -> Result<()> {
        let values = self.values(job);
        let rows = job.figure(Figure::Rows) as i64 - job.left_out(Reason::RepeatedId) as i64;
        let template = match self.options.keep {
            Keep::First => statement!("clusters.first"),
            _ => statement!("clusters.ordered"),
        };
        job.step(
            "clusters",
            Output::File("clusters.parquet"),
            async |job: &Job| {
                let plan = job.plan(template, &values).await?;
                let clusters = DataFrame::new(job.context().state(), plan);
                let clusters = match is_dump {
                    false => clusters,
                    true => {
                        let texts = job.context().table("input").await?;
                        let texts = texts.select_columns(&["sentence_id", "title", "sentence"])?;
                        clusters
                            .join(texts, JoinType::Inner, &["id"], &["sentence_id"], None)?
                            .drop_columns(&["sentence_id"])?
                    }
                };
                Ok(clusters
                    .sort(vec![ident("id").sort(true, false)])?
                    .into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let clusters = numbers(
                    context,
                    "SELECT count(*), count(*) FILTER (WHERE kept), max(cluster_size), \
                     count(*) FILTER (WHERE NOT kept AND similarity IS NULL) FROM clusters",
                )
                .await?;
                // A GROUP BY can spill; count(DISTINCT …) would hold every id in memory.
                let larger = numbers(
                    context,
                    "SELECT count(*) FROM \
                     (SELECT cluster_id FROM clusters WHERE cluster_size > 1 GROUP BY cluster_id)",
                )
                .await?;
                if clusters[0] != rows {
                    return exec_err!(
                        "step clusters: {rows} rows went in, {} came out",
                        clusters[0]
                    );
                }
                if clusters[3] > 0 {
                    return exec_err!(
                        "step clusters: {} rows are removed without a similarity",
                        clusters[3]
                    );
                }
                record.set(Figure::Rows, clusters[0]);
                record.set(Figure::Kept, clusters[1]);
                record.set(Figure::Clusters, larger[0]);
                record.set(Figure::LargestCluster, clusters[2]);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    pub(super) async fn kept(&self, job: &mut Job) -> Result<()> {
        let is_dump = job.context().table_exist("sentences")?;
        let id = match (&self.options.id, is_dump) {
            (_, true) => "sentence_id",
            (Some(id), false) => id,
            (None, false) => "id",
        };
        let texts = match is_dump {
            true => vec!["sentence".to_owned()],
            false => self.options.texts(),
        };
        let is_repeated = job.left_out(Reason::RepeatedId) > 0;
        // Rows without an id are sorted by their other columns.
        let is_tied = job.left_out(Reason::WithoutId) > 0;
        job.step(
            "kept",
            Output::File("kept.parquet"),
            async |job: &Job| {
                let input = job.context().table("input").await?;
                let mut order = vec![ident(id).sort(true, false)];
                if is_tied {
                    let columns = input.schema().columns().into_iter();
                    let others = columns.filter(|column| column.name != id);
                    order.extend(others.map(|column| Expr::Column(column).sort(true, false)));
                }
                let mut input = input.into_unoptimized_plan();
                if is_repeated {
                    let value = self.options.value(&texts)?;
                    input = one_row_per_id(
                        input,
                        ident(id),
                        value,
                        self.keep_order(job.context(), &texts).await?,
                    )?;
                }
                let removed = job.context().table("clusters").await?;
                let removed = removed
                    .filter(!ident("kept"))?
                    .select(vec![ident("id").alias("removed_id")])?;
                let plan: LogicalPlan = LogicalPlanBuilder::from(input)
                    .join(
                        removed.into_unoptimized_plan(),
                        JoinType::LeftAnti,
                        (
                            vec![datafusion::common::Column::from_name(id)],
                            vec!["removed_id"],
                        ),
                        None,
                    )?
                    .sort(order)?
                    .build()?;
                Ok(plan)
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let kept =
                    numbers(context, "SELECT count(*) FILTER (WHERE kept) FROM clusters").await?;
                if kept[0] != record.rows as i64 {
                    return exec_err!(
                        "step kept: {} rows are kept, {} were written",
                        kept[0],
                        record.rows
                    );
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }
}

/// Whether the metadata of the files tells that each document has a text. Nothing is read of files that do not tell.
async fn all_have_text(context: &SessionContext) -> Result<bool> {
    let query = "SELECT count(*) = count(text) FROM documents";
    let plan = context.sql(query).await?.create_physical_plan().await?;
    let reads = |part: &Arc<dyn ExecutionPlan>| {
        part.children().is_empty() && !part.is::<PlaceholderRowExec>()
    };
    let reads = plan.exists(|part| Ok(reads(part)))?;
    Ok(!reads && numbers(context, query).await? == [1])
}

/// How many rows and ids the documents have.
struct Documents {
    rows: i64,
    without_id: i64,
    ids: i64,
    ids_with_text: i64,
}

impl Documents {
    async fn count(context: &SessionContext) -> Result<Self> {
        // A GROUP BY id can spill; count(DISTINCT id) cannot.
        let texts = match all_have_text(context).await? {
            true => "count(*)",
            false => "count(text)",
        };
        let query = format!(
            "SELECT CAST(coalesce(sum(rows), 0) AS BIGINT), \
             CAST(coalesce(sum(rows) FILTER (WHERE id IS NULL), 0) AS BIGINT), \
             count(id), count(id) FILTER (WHERE texts > 0) \
             FROM (SELECT id, count(*) AS rows, {texts} AS texts FROM documents GROUP BY id)"
        );
        let counts = numbers(context, &query).await?;
        let [rows, without_id, ids, ids_with_text] = counts[..] else {
            return exec_err!("step texts: expected four counts");
        };
        Ok(Self {
            rows,
            without_id,
            ids,
            ids_with_text,
        })
    }

    /// The number of rows whose id an earlier row has.
    fn repeated_ids(&self) -> i64 {
        self.rows - self.without_id - self.ids
    }
}
