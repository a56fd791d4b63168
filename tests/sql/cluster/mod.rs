//! The answers are the same on a cluster of real processes: a scheduler and executors on the loopback interface.

mod faults;
mod limits;
mod namespaces;
mod options;
mod processes;
mod token;

use super::calls::{CALLS, fill, query};
use super::database::{Database, Failure, NO_ANSWER};
use super::scratch::Scratch;
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::errors::Result as ParquetResult;
use datafusion::parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use datafusion::parquet::file::reader::{FileReader, SerializedFileReader};
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup::cluster::{ClientOptions, Token};
pub use processes::Cluster;
use processes::{TIMEOUT, token_file};
use sqllogictest::Runner;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("cluster::slt on 2 executors", every_slt_file)];
    for executors in [1, 4] {
        trials.push(Trial::test(
            format!("cluster::every call on {executors} executors"),
            move || every_call(executors),
        ));
    }
    for executors in [1, 2, 4] {
        trials.push(Trial::test(
            format!("cluster::dedup of a dump on {executors} executors"),
            move || dedup(executors),
        ));
    }
    trials.push(Trial::test("cluster::a large table in memory", large_table));
    trials.push(Trial::test("cluster::a sorted union", sorted_union));
    trials.push(Trial::test("cluster::totals of files", totals_of_files));
    trials.push(Trial::test("cluster::a copy that fails", failed_copy));
    trials.push(Trial::test(
        "cluster::a copy that is cancelled",
        cancelled_copy,
    ));
    trials.push(Trial::test("cluster::files that are written", files));
    trials.push(Trial::test("cluster::NaN in Parquet", not_a_number));
    let names = "cluster::columns with one name in Parquet";
    trials.push(Trial::test(names, equal_names));
    let zeros = "cluster::zeros in bloom filters of Parquet";
    trials.push(Trial::test(zeros, zeros_in_bloom_filters));
    let uncounted = "cluster::NULLs that a Parquet file does not count";
    trials.push(Trial::test(uncounted, uncounted_nulls));
    let missing = "cluster::bounds that row groups of a Parquet file lack";
    trials.push(Trial::test(missing, missing_bounds));
    let signed = "cluster::bounds in signed order in a Parquet file";
    trials.push(Trial::test(signed, bounds_in_signed_order));
    trials.push(Trial::test("cluster::dictionaries", dictionaries));
    trials.push(Trial::test(
        "cluster::a copy with options",
        copy_with_options,
    ));
    trials.extend(faults::trials());
    trials.extend(limits::trials());
    trials.extend(namespaces::trials());
    trials.extend(token::trials());
    trials.extend(options::trials());
    trials
}

/// The `.slt` files pass on a cluster, except for plans.
fn every_slt_file() -> Result<(), Failed> {
    let mut cluster = Cluster::start(2)?;
    super::run(async move {
        let mut wrong = Vec::new();
        for (_, path) in super::slt::files() {
            let url = cluster.url();
            let connect = || async {
                let session = session(&url).map_err(|error| Failure(error.to_string()))?;
                Ok(Database::over(session)?.with_limit(TIMEOUT))
            };
            let mut runner = Runner::new(connect);
            runner.add_label("cluster");
            if let Err(error) = runner.run_file_async(&path).await {
                let error = error.display(false).to_string();
                if error.contains(NO_ANSWER) {
                    cluster = Cluster::start(2)?;
                }
                wrong.push(error);
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong.join("\n\n").into()),
        }
    })
}

/// A table that is too large for a plan is passed through the scratch directory, which is empty afterwards.
fn large_table() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let mut options = client(&cluster.url())?;
    super::run(async move {
        let text = StringArray::from(vec!["x".repeat(1 << 10); 70 << 10]);
        let rows_in = RecordBatch::try_from_iter([("text", Arc::new(text) as ArrayRef)])?;
        let query = "SELECT count(*) AS n, max(length(text)) AS longest FROM large";
        let refused = neardup::cluster::session(&options, Arc::default())?;
        refused.register_batch("large", rows_in.clone())?;
        let answer = rows(&refused, query).await;
        let error = answer.unwrap_or_else(|error| error.to_string());
        if !error.contains("sees (scratch)") {
            return Err(format!(
                "expected an error that names the parameter scratch, found {error}"
            )
            .into());
        }
        let scratch = tempfile::TempDir::new()?;
        options.scratch = Some(scratch.path().to_owned());
        let context = neardup::cluster::session(&options, Arc::default())?;
        context.register_batch("large", rows_in)?;
        let found = rows(&context, query).await?;
        if !found.contains("| 71680 | 1024    |") {
            return Err(found.into());
        }
        match std::fs::read_dir(scratch.path())?.count() {
            0 => Ok(()),
            _ => Err("the scratch directory is not empty".into()),
        }
    })
}

/// A sort above a union whose last input has one partition returns each row once.
fn sorted_union() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let url = cluster.url();
    crate::run(async move {
        let statement = query(
            "SELECT id, count(*) OVER (PARTITION BY language) AS n FROM 'datasets/sample/documents.jsonl'
             UNION ALL
             SELECT id, 1 AS n FROM 'datasets/sample/documents.jsonl' WHERE id IS NULL
             ORDER BY id",
        );
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let expected = rows(&local, &statement).await?;
        for partitions in [2, 3, 7] {
            let mut options = client(&url)?;
            options.partitions = partitions;
            let remote = neardup::cluster::session(&options, Arc::default())?;
            let found = rows(&remote, &statement).await?;
            if found != expected {
                let difference = difference(&expected, &found);
                return Err(format!("{partitions} tasks a stage: {difference}").into());
            }
        }
        Ok(())
    })
}

/// Files that an executor writes are committed only if all rows were written.
fn failed_copy() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let input = path("numbers.parquet");
        write_numbers(50_000, &input).await?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        for extension in ["csv", "json", "parquet"] {
            let output = path(&format!("rows.{extension}"));
            let copy = |bad: i64| {
                format!(
                    "COPY (SELECT id, CAST(CASE WHEN id = {bad} THEN 'abc' ELSE '1' END AS BIGINT) AS n \
                     FROM '{input}') TO '{output}'"
                )
            };
            rows(&remote, &copy(-1)).await?;
            let before = std::fs::read(&output)?;
            let answer = rows(&remote, &copy(49_000)).await;
            let error = answer.unwrap_or_else(|error| error.to_string());
            if !error.contains("Cannot cast string 'abc'") {
                return Err(format!("{extension}: {error}").into());
            }
            if std::fs::read(&output)? != before {
                return Err(format!("{extension}: another file").into());
            }
        }
        // The destination that the statement names, not where the executors write first.
        let below_file = path("numbers.parquet/x.csv");
        let copy = format!("COPY (SELECT id FROM '{input}') TO '{below_file}'");
        let answer = rows(&remote, &copy).await;
        let error = answer.unwrap_or_else(|error| error.to_string());
        if !error.ends_with(&format!("{below_file}: Not a directory")) {
            return Err(error.into());
        }
        Ok(())
    })
}

/// Writes the numbers 0, 1, … as a column `id` to a Parquet file.
async fn write_numbers(count: i64, path: &str) -> Result<(), Failed> {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count));
    let local = neardup::session(SessionConfig::new(), Arc::default())?;
    local.register_batch("numbers", RecordBatch::try_from_iter([("id", numbers)])?)?;
    rows(&local, &format!("COPY numbers TO '{path}'")).await?;
    Ok(())
}

/// A task that writes a file does not commit it after its query was cancelled.
fn cancelled_copy() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let input = path("numbers.parquet");
        write_numbers(20_000, &input).await?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        let copy = |output: &str| {
            format!(
                "COPY (SELECT a.id, b.id AS other FROM '{input}' a, '{input}' b
                 WHERE a.id * b.id % 7919 = 1 AND a.id < b.id) TO '{}'",
                path(output)
            )
        };
        let begun = std::time::Instant::now();
        rows(&remote, &copy("whole.csv")).await?;
        let whole = begun.elapsed();
        let cancelled = copy("cancelled.csv");
        let cancelled = rows(&remote, &cancelled);
        if tokio::time::timeout(whole / 3, cancelled).await.is_ok() {
            return Err("the query ended before it was cancelled".into());
        }
        tokio::time::sleep(2 * whole).await;
        match folder.path().join("cancelled.csv").exists() {
            false => Ok(()),
            true => Err("the file of a cancelled query is there".into()),
        }
    })
}

/// COPY and INSERT write the same files to the same paths as in one process, and no others.
fn files() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        let mut found = Vec::new();
        for session in [&local, &remote] {
            let folder = tempfile::TempDir::new()?;
            // Relative to the directory of this process; the processes of the cluster have a different one.
            let up = "../".repeat(std::env::current_dir()?.components().count() - 1);
            let at = format!("{up}{}", folder.path().strip_prefix("/")?.display());
            let values =
                "SELECT * FROM (VALUES (1, 'a b'), (2, 'c%20d'), (3, 'a b')) AS v(id, kind)";
            for statement in [
                format!("COPY ({values}) TO '{at}/a b%20é.csv'"),
                format!("COPY ({values}) TO '{at}/directory/' STORED AS CSV"),
                format!("COPY ({values}) TO '{at}/kinds' STORED AS JSON PARTITIONED BY (kind)"),
                format!("COPY ({values} WHERE id > 7) TO '{at}/none.csv'"),
                format!(
                    "CREATE EXTERNAL TABLE t (id BIGINT, kind TEXT) STORED AS CSV LOCATION '{at}/inserted/'"
                ),
                format!("INSERT INTO t {values}"),
                format!("INSERT INTO t {values} WHERE id > 1"),
                format!(
                    "CREATE EXTERNAL TABLE p (id BIGINT, kind TEXT) STORED AS PARQUET PARTITIONED BY (kind) LOCATION '{at}/parts/'"
                ),
                format!("INSERT INTO p {values}"),
            ] {
                let answer = rows(session, &statement).await;
                let answer = answer.map_err(|error| format!("{statement}: {error}"))?;
                found.push((statement.replace(&at, ""), answer));
            }
            let dump = "samplewiki-pages-articles.xml.bz2";
            let sample = Path::new("datasets/sample").join(dump);
            std::fs::copy(sample, folder.path().join(dump))?;
            let pages = format!("SELECT count(*) FROM wiki_pages('{at}/{dump}')");
            found.push(("pages".to_owned(), rows(session, &pages).await?));
            for query in ["SELECT * FROM t ORDER BY id", "SELECT * FROM p ORDER BY id"] {
                found.push((query.to_owned(), rows(session, query).await?));
            }
            let mut lines = Vec::new();
            for entry in walk(folder.path())? {
                // The engine chooses the names of files in directories.
                let name = entry.strip_prefix(folder.path())?.to_owned();
                let is_named = name.parent() == Some(Path::new(""));
                let kind = name.parent().map(Path::to_owned);
                let name = if is_named { Some(name.clone()) } else { kind };
                let extension = entry.extension().map(|name| name.to_owned());
                lines.push((name, extension, std::fs::metadata(&entry)?.len()));
            }
            lines.sort();
            found.push(("files".to_owned(), format!("{lines:#?}")));
        }
        let (here, there) = found.split_at(found.len() / 2);
        for ((statement, here), (_, there)) in here.iter().zip(there) {
            if here != there {
                return Err(format!("{statement}: {}", difference(here, there)).into());
            }
        }
        Ok(())
    })
}

/// All files below a directory, hidden ones too.
fn walk(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    Ok(found)
}

/// The options of a COPY are sent to the executors, such as compression and quoting.
fn copy_with_options() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        for (name, options) in [
            ("a.csv", ""),
            (
                "b.csv",
                "OPTIONS ('format.delimiter' ';', 'format.has_header' 'false', 'format.null_value' 'N')",
            ),
            ("c.csv", "OPTIONS ('format.compression' 'gzip')"),
            ("d.json", "OPTIONS ('format.compression' 'gzip')"),
            (
                "e.parquet",
                "OPTIONS ('format.compression' 'snappy', 'format.max_row_group_size' '2')",
            ),
        ] {
            let mut written = Vec::new();
            for (mode, session) in [("local", &local), ("remote", &remote)] {
                let path = folder.path().join(format!("{mode}-{name}"));
                let copy = format!(
                    "COPY (SELECT * FROM (VALUES (1, 'a', 1.5), (2, NULL, NULL), (3, '', 2.0)) AS v(i, t, f)
                     ORDER BY i) TO '{}' {options}",
                    path.display()
                );
                rows(session, &copy).await?;
                written.push(std::fs::read(&path)?);
                if name.ends_with("parquet") {
                    let file = SerializedFileReader::new(std::fs::File::open(&path)?)?;
                    let groups = file.metadata().row_groups();
                    let snappy = groups.iter().flat_map(|group| group.columns());
                    let mut snappy = snappy.map(|column| column.compression());
                    if groups.len() != 2 || !snappy.all(|found| found == Compression::SNAPPY) {
                        return Err(format!("{mode}: {groups:?}").into());
                    }
                    // The schemas differ in which columns may be NULL.
                    written.clear();
                }
            }
            if written.is_empty() {
                continue;
            }
            if written[0] != written[1] {
                return Err(format!("{name}: other bytes").into());
            }
        }
        Ok(())
    })
}

/// Statistics of files answer one side of a union, or a join, without its rows.
fn totals_of_files() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let file = folder.path().join("rows.parquet").display().to_string();
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        let copy = format!(
            "COPY (SELECT value AS id, value % 7 AS kind FROM generate_series(1, 200)) TO '{file}'"
        );
        rows(&local, &copy).await?;
        let queries = [
            "SELECT max(id) AS n FROM FILE UNION ALL SELECT sum(id) FROM FILE ORDER BY n",
            "SELECT count(*) AS n FROM FILE UNION ALL SELECT sum(id) FROM FILE UNION ALL SELECT min(id) FROM FILE ORDER BY n",
            "SELECT max(id) AS n FROM FILE UNION ALL SELECT sum(id) FROM FILE UNION ALL SELECT id FROM FILE WHERE kind = 3 ORDER BY n",
            "SELECT kind, n FROM (SELECT kind, count(*) AS n FROM FILE GROUP BY kind UNION ALL SELECT 7, max(id) FROM FILE) ORDER BY 1",
            "SELECT f.id, t.n FROM FILE AS f LEFT JOIN (SELECT kind, count(*) AS n FROM FILE WHERE kind > 1 GROUP BY kind) AS t \
             ON f.kind = t.kind AND t.n > 28 ORDER BY 1",
            "SELECT f.id, t.id, t.n FROM FILE AS f FULL JOIN (SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM FILE) AS t \
             ON f.id = t.id + 3 AND t.n > 100 ORDER BY 1, 2",
            // A limit of one row.
            "SELECT k, row_number() OVER (PARTITION BY k) AS n FROM (SELECT k FROM (SELECT id AS k FROM FILE LIMIT 1) GROUP BY k)",
            "SELECT n, count(*) FROM (SELECT id AS k, count(*) AS n FROM (SELECT * FROM FILE LIMIT 1) GROUP BY id) GROUP BY n",
            "SELECT id FROM FILE AS r WHERE NOT EXISTS (SELECT 1 FROM (SELECT id AS k FROM FILE LIMIT 1) AS x WHERE x.k = r.kind) ORDER BY 1",
            "SELECT f.id, t.n FROM FILE AS f LEFT JOIN (SELECT k, count(*) AS n FROM (SELECT id AS k FROM FILE LIMIT 1) GROUP BY k) AS t \
             ON f.kind = t.k ORDER BY 1",
            "SELECT count(*) AS n FROM (SELECT 1 FROM FILE LIMIT 1) AS t GROUP BY 1 = 1",
            "SELECT max(n) AS n FROM (SELECT 5 AS n FROM FILE LIMIT 1) UNION ALL SELECT id FROM (SELECT id FROM FILE LIMIT 1) UNION ALL SELECT id FROM FILE ORDER BY n",
            "SELECT t.n, f.id FROM (SELECT n FROM (SELECT count(*) AS n FROM FILE) LIMIT 1) AS t JOIN FILE AS f ON f.id = t.n",
            // Relations without rows whose columns have the same names.
            "SELECT x.k, y.k FROM (SELECT m, k FROM (SELECT max(kind) AS m, max(id) AS k FROM FILE) LIMIT 0) AS x \
             JOIN (SELECT m, k FROM (SELECT max(kind) AS m, max(id) AS k FROM FILE) LIMIT 0) AS y ON x.k = y.k",
        ];
        same_rows(&local, &remote, &file, &queries).await
    })
}

/// Each query over a file gives the same rows in two sessions.
async fn same_rows(
    local: &SessionContext,
    remote: &SessionContext,
    file: &str,
    queries: &[&str],
) -> Result<(), Failed> {
    for query in queries {
        let query = query.replace("FILE", &format!("'{file}'"));
        let expected = rows(local, &query).await?;
        let found = rows(remote, &query).await;
        let found = found.map_err(|error| format!("{query}: {error}"))?;
        if found != expected {
            return Err(format!("{query}: {}", difference(&expected, &found)).into());
        }
    }
    Ok(())
}

/// A query over `TABLE` gives the same rows of a Parquet file as of a table in memory: in one process and on a cluster,
/// with filters in scans and above them.
async fn same_rows_of_file(
    local: &SessionContext,
    remote: &SessionContext,
    query: &str,
    in_memory: &str,
    file: &str,
) -> Result<(), Failed> {
    let of_file = query.replace("TABLE", &format!("'{file}'"));
    let expected = rows(local, &query.replace("TABLE", in_memory)).await?;
    for (mode, session) in [("one process", local), ("a cluster", remote)] {
        for pushdown in [false, true] {
            let set = format!("SET datafusion.execution.parquet.pushdown_filters = {pushdown}");
            rows(session, &set).await?;
            let found = rows(session, &of_file).await;
            let query = format!("{mode}, pushdown {pushdown}: {of_file}");
            let found = found.map_err(|error| format!("{query}: {error}"))?;
            if found != expected {
                return Err(format!("{query}: {}", difference(&expected, &found)).into());
            }
        }
    }
    Ok(())
}

/// A shuffle decodes dictionaries and large lists, and the operators above it still work.
fn dictionaries() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let file = folder.path().join("rows.parquet").display().to_string();
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        let copy = format!(
            "COPY (SELECT value AS id,
                arrow_cast('one two three ' || (value / 2), 'Dictionary(Int32, Utf8)') AS text,
                arrow_cast('kind ' || (value % 3), 'Dictionary(Int8, Utf8)') AS kind,
                arrow_cast(value % 5, 'Dictionary(Int16, Int64)') AS number,
                arrow_cast(make_array('tag ' || value, NULL), 'LargeList(LargeUtf8)') AS tags,
                struct(arrow_cast('part ' || value, 'Dictionary(Int32, Utf8)') AS part) AS parts
             FROM generate_series(1, 200)) TO '{file}'"
        );
        rows(&local, &copy).await?;
        for session in [&local, &remote] {
            let create =
                format!("CREATE TABLE made AS SELECT id, text, kind FROM '{file}' WHERE id > 20");
            rows(session, &create).await?;
        }
        let queries = [
            "SELECT id, kind, number, tags, parts FROM deduplicate(FILE) ORDER BY id",
            "SELECT tags, parts, count(*) AS n FROM FILE GROUP BY tags, parts ORDER BY tags",
            "SELECT * FROM near_duplicates(FILE, threshold => 0.6) ORDER BY id",
            "SELECT * FROM jaccard_join(FILE, threshold => 0.6) ORDER BY id_a, id_b",
            "SELECT kind, count(*) AS n, max(number) AS m FROM FILE GROUP BY kind ORDER BY kind",
            "SELECT a.id, b.kind FROM FILE a JOIN FILE b ON a.text = b.text AND a.kind <> b.kind ORDER BY 1, 2",
            "SELECT id, kind FROM FILE UNION ALL SELECT id, kind FROM FILE WHERE number = 3 ORDER BY id, kind",
            "SELECT id, row_number() OVER (PARTITION BY kind ORDER BY id) AS place FROM FILE ORDER BY id",
            "SELECT id FROM FILE WHERE kind = 'kind 2' AND text LIKE '%9%' ORDER BY id",
            "SELECT count(*) AS n, count(DISTINCT kind) AS kinds FROM made",
            "SELECT id FROM deduplicate(made) ORDER BY id",
        ];
        same_rows(&local, &remote, &file, &queries).await
    })
}

/// A Parquet file with two columns of one name is refused, also as a table whose metadata is not in a cache.
fn equal_names() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let path = folder.path().join("names.parquet").display().to_string();
        let fields = vec![
            Field::new("a", DataType::Int64, false),
            Field::new("a", DataType::Int64, false),
        ];
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..3));
        let rows_of_file = RecordBatch::try_new(
            Arc::new(Schema::new(fields)),
            vec![Arc::clone(&numbers), numbers],
        )?;
        let mut writer = ArrowWriter::try_new(File::create(&path)?, rows_of_file.schema(), None)?;
        writer.write(&rows_of_file)?;
        writer.close()?;
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        rows(&local, "SET datafusion.runtime.metadata_cache_limit = '0K'").await?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        for session in [local, remote] {
            let create = format!("CREATE EXTERNAL TABLE names STORED AS PARQUET LOCATION '{path}'");
            rows(&session, &create).await?;
            let Err(error) = rows(&session, "SELECT a FROM names").await else {
                return Err("a column is lost".into());
            };
            let error = error.to_string();
            assert!(
                error.contains("names.parquet: two columns are called a,"),
                "{error}"
            );
        }
        Ok(())
    })
}

/// Parquet statistics leave NaN out: filters must not skip rows with NaN, and NaN must not become a number.
fn not_a_number() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let file = folder.path().join("numbers.parquet").display().to_string();
        let value = |row: u32| match row {
            row if row % 97 == 3 => f64::NAN,
            row if row < 1_000 => 0.5,
            row => f64::from(row) / 1_000.0,
        };
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4_000));
        let values: ArrayRef = Arc::new(Float64Array::from_iter_values((0..4_000).map(value)));
        let memory = RecordBatch::try_from_iter([("id", ids), ("v", values)])?;
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        local.register_batch("numbers", memory)?;
        let copy = format!(
            "COPY (SELECT * FROM numbers ORDER BY id) TO '{file}'
             OPTIONS ('format.max_row_group_size' '500', 'format.data_page_row_count_limit' '100')"
        );
        rows(&local, &copy).await?;
        for condition in [
            "true",
            "v > 3.5",
            "v <> 0.5",
            "v = 'NaN'::DOUBLE",
            "NOT v < 3.5 AND id > 7",
        ] {
            for query in [
                format!(
                    "SELECT count(*) AS n, max(v) AS m, min(v) AS k FROM TABLE WHERE {condition}"
                ),
                format!("SELECT id, v FROM TABLE WHERE {condition} ORDER BY v DESC, id LIMIT 50"),
                format!("SELECT id, v FROM TABLE WHERE {condition} AND id < 100 ORDER BY id"),
                // A filter on another column that changes while the query runs.
                format!("SELECT id FROM TABLE WHERE {condition} ORDER BY id % 7, id LIMIT 3"),
                format!("SELECT id FROM TABLE WHERE {condition} ORDER BY id DESC LIMIT 3"),
                format!("SELECT id FROM TABLE WHERE {condition} ORDER BY id LIMIT 3"),
            ] {
                same_rows_of_file(&local, &remote, &query, "numbers", &file).await?;
            }
        }
        Ok(())
    })
}

/// The bloom filter of -0.0 does not have 0.0, which is equal.
fn zeros_in_bloom_filters() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let file = folder.path().join("zeros.parquet").display().to_string();
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let remote = neardup::cluster::session(&options, Arc::default())?;
        rows(
            &local,
            "CREATE TABLE zeros AS
             SELECT id, double, arrow_cast(double, 'Float32') AS float FROM (
                 SELECT value AS id, CASE value % 2 WHEN 0 THEN '-0.0'::DOUBLE ELSE -0.5 - value END AS double
                 FROM (SELECT unnest(range(0, 4000)) AS value))",
        )
        .await?;
        let copy = format!(
            "COPY (SELECT * FROM zeros ORDER BY id) TO '{file}'
             OPTIONS ('format.bloom_filter_on_write' 'true', 'format.bloom_filter_ndv' '500',
                 'format.max_row_group_size' '500')"
        );
        rows(&local, &copy).await?;
        for query in [
            "SELECT count(*) AS n FROM TABLE WHERE double = 0.0",
            "SELECT count(*) AS n FROM TABLE WHERE double IN (0.0, 7.0)",
            "SELECT count(*) AS n FROM TABLE WHERE double = 0.0 AND id >= 0",
            "SELECT count(*) AS n FROM TABLE WHERE float = 0.0",
        ] {
            same_rows_of_file(&local, &remote, query, "zeros", &file).await?;
        }
        Ok(())
    })
}

/// Parquet statistics may have bounds and no number of NULLs, which is then not 0: NULLs must not be counted as values,
/// skipped by conditions that are true of NULL, or replaced by the only other value of a column.
fn uncounted_nulls() -> Result<(), Failed> {
    same_rows_with_statistics(
        "SELECT value AS id, CASE WHEN value % 97 <> 3 THEN 'text ' || (value % 7) END AS text,
           CASE WHEN value < 900 OR value % 5 = 0 THEN 'one' END AS constant
         FROM (SELECT unnest(range(0, 4000)) AS value)",
        |_, known| match known {
            Statistics::ByteArray(known) => Statistics::ByteArray(ValueStatistics::new(
                known.min_opt().cloned(),
                known.max_opt().cloned(),
                None,
                None,
                false,
            )),
            other => other.clone(),
        },
        &[
            "SELECT count(*) AS n, count(text) AS m, count(constant) AS k FROM TABLE",
            "SELECT id FROM TABLE WHERE text IS NULL ORDER BY id",
            "SELECT id, constant FROM TABLE WHERE constant IS NULL OR text = 'text 3' ORDER BY id",
            "SELECT id FROM TABLE WHERE constant IS DISTINCT FROM 'one' ORDER BY id",
            "SELECT id FROM TABLE WHERE (text IS NOT DISTINCT FROM NULL) AND id > 600 ORDER BY id",
            "SELECT id FROM TABLE WHERE (constant = 'one') IS NOT TRUE OR id = 3 ORDER BY id",
            "SELECT text, id FROM TABLE ORDER BY text NULLS FIRST, id LIMIT 60",
            "SELECT id FROM TABLE WHERE text IS NULL ORDER BY id LIMIT 3",
            "SELECT id FROM TABLE WHERE constant IS DISTINCT FROM 'one' ORDER BY id DESC LIMIT 3",
            "SELECT constant, count(*) AS n FROM TABLE GROUP BY constant ORDER BY constant",
            "SELECT DISTINCT constant FROM TABLE WHERE id >= 500 ORDER BY constant",
        ],
    )
}

/// Writers leave out the bounds of some row groups, such as those of a long text: those of the others are not the bounds of
/// the file.
fn missing_bounds() -> Result<(), Failed> {
    same_rows_with_statistics(
        "SELECT value AS id, 10000 - value AS other, 'text ' || (10000 + value) AS text
         FROM (SELECT unnest(range(0, 4000)) AS value)",
        |group, known| match known {
            Statistics::ByteArray(known) if group % 3 == 1 || group == 7 => {
                let nulls = known.null_count_opt();
                Statistics::ByteArray(ValueStatistics::new(None, None, None, nulls, false))
            }
            Statistics::Int64(known) if group == 0 || group == 7 => {
                let max = known.max_opt().copied().filter(|_| group == 0);
                Statistics::Int64(ValueStatistics::new(None, max, None, Some(0), false))
            }
            other => other.clone(),
        },
        &[
            "SELECT min(text) AS a, max(text) AS b, min(id) AS c, max(id) AS d, max(other) AS e FROM TABLE",
            "SELECT id FROM TABLE WHERE text = 'text 13990'",
            "SELECT id FROM TABLE WHERE text > 'text 13980' OR text LIKE 'text 10003%' ORDER BY id",
            "SELECT id, text FROM TABLE WHERE id < 5 ORDER BY id",
            "SELECT id FROM TABLE WHERE id > 3995 AND other < 7000 ORDER BY id",
            "SELECT id FROM TABLE WHERE other IN (9999, 10000, 6001, 8000) ORDER BY id",
            "SELECT text FROM TABLE ORDER BY text DESC LIMIT 3",
            "SELECT other FROM TABLE ORDER BY other DESC LIMIT 3",
            "SELECT a.id FROM TABLE AS a JOIN (VALUES ('text 13999'), ('text 10700')) AS v (text) ON a.text = v.text ORDER BY a.id",
            "SELECT count(*) AS n FROM TABLE WHERE id BETWEEN 3600 AND 3999",
        ],
    )
}

/// Writers of before 2017 compared bytes as signed numbers, so that é is before a: their bounds are not those of the engine's
/// order.
fn bounds_in_signed_order() -> Result<(), Failed> {
    same_rows_with_statistics(
        "SELECT value AS id,
           CASE value % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'z' ELSE 'é' END || (value % 7) AS text,
           arrow_cast(CASE value % 3 WHEN 0 THEN 3000000000 ELSE value % 3 END, 'UInt32') AS number
         FROM (SELECT unnest(range(0, 4000)) AS value)",
        |_, known| match known {
            Statistics::ByteArray(_) => {
                let (min, max) = (Some("é0".into()), Some("z6".into()));
                let known = ValueStatistics::new(min, max, None, Some(0), true);
                let known = known.with_min_is_exact(false).with_max_is_exact(false);
                Statistics::ByteArray(known)
            }
            Statistics::Int32(_) => {
                let least = 3_000_000_000_u32.cast_signed();
                Statistics::int32(Some(least), Some(2), None, Some(0), true)
            }
            other => other.clone(),
        },
        &[
            "SELECT min(text) AS a, max(text) AS b, min(number) AS c, max(number) AS d FROM TABLE",
            "SELECT count(*) AS n FROM TABLE WHERE text = 'a3'",
            "SELECT id FROM TABLE WHERE text > 'x' ORDER BY id DESC LIMIT 3",
            "SELECT count(*) AS n, min(id) AS a FROM TABLE WHERE number > 5",
            "SELECT id FROM TABLE WHERE number = 3000000000 AND id > 100 ORDER BY id LIMIT 3",
            "SELECT count(*) AS n FROM TABLE WHERE number + 1 BETWEEN 1 AND 7 AND text < 'b'",
            "SELECT number, id FROM TABLE ORDER BY number DESC, id LIMIT 3",
            "SELECT text, id FROM TABLE ORDER BY text, id LIMIT 3",
            "SELECT a.id FROM TABLE AS a JOIN (VALUES ('a6'), ('é1')) AS v (text) ON a.text = v.text ORDER BY a.id LIMIT 30",
        ],
    )
}

/// Queries over `TABLE` give the same rows of the table in memory that `made` selects as of a Parquet file of it, in row
/// groups of 500 rows, in which `statistics` replaces those of each column of each row group.
fn same_rows_with_statistics(
    made: &str,
    statistics: impl Fn(usize, &Statistics) -> Statistics + Send + 'static,
    queries: &'static [&'static str],
) -> Result<(), Failed> {
    let made = format!("CREATE TABLE made AS {made}");
    let cluster = Cluster::start(1)?;
    let options = client(&cluster.url())?;
    crate::run(async move {
        let folder = tempfile::TempDir::new()?;
        let file = folder.path().join("made.parquet");
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        rows(&local, &made).await?;
        let copy = format!(
            "COPY (SELECT * FROM made ORDER BY id) TO '{}' OPTIONS ('format.max_row_group_size' '500')",
            file.display()
        );
        rows(&local, &copy).await?;
        with_statistics(&file, statistics)?;
        let file = file.display().to_string();
        let remote = neardup::cluster::session(&options, Arc::default())?;
        for query in queries {
            same_rows_of_file(&local, &remote, query, "made", &file).await?;
        }
        Ok(())
    })
}

/// Writes the metadata of a Parquet file again, with other statistics and without an index of its pages.
fn with_statistics(
    path: &Path,
    statistics: impl Fn(usize, &Statistics) -> Statistics,
) -> Result<(), Failed> {
    let bytes = std::fs::read(path)?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&File::open(path)?)?;
    let groups = metadata.row_groups().iter().enumerate();
    let groups = groups.map(|(number, group)| {
        let columns = group.columns().iter().map(|column| {
            let known = column.statistics().map(|known| statistics(number, known));
            let column = column.clone().into_builder();
            let column = column
                .set_column_index_offset(None)
                .set_column_index_length(None);
            let column = column
                .set_offset_index_offset(None)
                .set_offset_index_length(None);
            match known {
                Some(known) => column.set_statistics(known).build(),
                None => column.build(),
            }
        });
        let columns = columns.collect::<ParquetResult<_>>()?;
        group
            .clone()
            .into_builder()
            .set_column_metadata(columns)
            .build()
    });
    let groups = groups.collect::<ParquetResult<_>>()?;
    let metadata = metadata.into_builder().set_row_groups(groups);
    let metadata = metadata
        .set_column_index(None)
        .set_offset_index(None)
        .build();
    let length = bytes.len() - 8;
    let footer = bytes
        .get(length..length + 4)
        .and_then(|of| of.try_into().ok());
    let footer = u32::from_le_bytes(footer.ok_or("a file without a footer")?) as usize;
    let mut written = bytes[..length - footer].to_vec();
    ParquetMetaDataWriter::new(&mut written, &metadata).finish()?;
    std::fs::write(path, written)?;
    Ok(())
}

/// Table functions give the same rows on a cluster as in one process. On several executors, rows that a call reads
/// several times are written to a directory.
fn every_call(executors: usize) -> Result<(), Failed> {
    let cluster = Cluster::start(executors)?;
    let mut options = client(&cluster.url())?;
    options.partitions = 4;
    super::run(async move {
        let scratch = tempfile::TempDir::new()?;
        options.scratch = (executors > 1).then(|| scratch.path().to_owned());
        let remote = neardup::cluster::session(&options, Arc::default())?;
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let docs =
            query("SELECT id, body AS text, title AS page FROM 'datasets/sample/documents.jsonl'");
        fill(&local, &docs).await?;
        fill(&remote, &docs).await?;
        let mut wrong = Vec::new();
        for (_, call) in CALLS {
            let expected = rows(&local, &query(call)).await?;
            let found = tokio::time::timeout(TIMEOUT, rows(&remote, &query(call))).await;
            match found {
                Ok(Ok(found)) if found == expected => {}
                Ok(Ok(found)) => wrong.push(format!("{call}\n{}", difference(&expected, &found))),
                Ok(Err(error)) => wrong.push(format!("{call}\n{error}")),
                Err(_) => wrong.push(format!("{call}\nno answer")),
            }
        }
        let directories = || Ok::<_, Failed>(std::fs::read_dir(scratch.path())?.count());
        let before = directories()?;
        let frame = remote
            .sql(&query(
                "SELECT * FROM near_duplicates(docs, keep => 'longest')",
            ))
            .await?;
        let planned = frame.execute_stream().await?;
        let during = directories()?;
        drop(planned);
        let counts = (before, during, directories()?);
        if counts != (0, usize::from(executors > 1), 0) {
            wrong.push(format!(
                "directories before, during and after a query of {executors} executors: {counts:?}"
            ));
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong.join("\n\n").into()),
        }
    })
}

/// The first lines that only one of two texts has.
fn difference(expected: &str, found: &str) -> String {
    let only = |a: &str, b: &str, mark: char| -> String {
        let lines = a
            .lines()
            .filter(|line| !b.lines().any(|other| other == *line));
        let lines = lines.take(3);
        lines
            .map(|line| format!("{mark} {}\n", line.chars().take(200).collect::<String>()))
            .collect()
    };
    let counts = (expected.lines().count(), found.lines().count());
    format!(
        "{counts:?} rows\n{}{}",
        only(expected, found, '-'),
        only(found, expected, '+')
    )
}

/// A session on a cluster, with four tasks a stage.
pub fn session(url: &str) -> datafusion::common::Result<SessionContext> {
    let mut options = client(url)?;
    options.partitions = 4;
    neardup::cluster::session(&options, Arc::default())
}

/// The options of a client of a cluster.
fn client(url: &str) -> datafusion::common::Result<ClientOptions> {
    let mut options = ClientOptions::new(url);
    options.token = Some(Token::read(token_file())?);
    Ok(options)
}

/// The rows of a query as text, sorted.
async fn rows(context: &SessionContext, query: &str) -> datafusion::common::Result<String> {
    let batches = context.sql(query).await?.collect().await?;
    let table = pretty_format_batches(&batches)?.to_string();
    let lines = table.lines().filter(|line| line.starts_with('|'));
    let mut lines: Vec<String> = lines.map(sorted_lists).collect();
    lines.sort_unstable();
    Ok(lines.join("\n"))
}

/// A line with the elements of its last list sorted, because lists of ids have no order.
fn sorted_lists(line: &str) -> String {
    match line.rsplit_once('[').zip(line.rsplit_once(']')) {
        Some(((before, _), (_, after))) if before.len() + after.len() + 2 <= line.len() => {
            let list = &line[before.len() + 1..line.len() - after.len() - 1];
            let mut elements: Vec<&str> = list.split(", ").collect();
            elements.sort_unstable();
            format!("{before}[{}]{after}", elements.join(", "))
        }
        _ => line.to_owned(),
    }
}

/// A job on a cluster writes the same files as in one process.
fn dedup(executors: usize) -> Result<(), Failed> {
    let scratch = Scratch::new()?;
    let cluster = Cluster::start(executors)?;
    let dump = crate::root().join("datasets/sample/samplewiki-pages-articles.xml.bz2");
    let run = |name: &str, more: &[&str]| -> Result<PathBuf, Failed> {
        let output = PathBuf::from(scratch.expand("$__SCRATCH__")).join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_neardup"));
        command
            .arg("dedup")
            .arg(&dump)
            .arg("-o")
            .arg(&output)
            .args(more);
        let done = command.stdin(Stdio::null()).output()?;
        match done.status.success() {
            true => Ok(output),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned().into()),
        }
    };
    let local = run("local", &[])?;
    let url = format!("df://{}", cluster.address);
    let token = token_file().to_string_lossy();
    let more = ["--cluster", &url, "--threads", "4", "--token-file", &token];
    let remote = run("remote", &more)?;
    same_tables(
        local,
        remote,
        &[
            "pairs",
            "clusters",
            "kept",
            "removed",
            "sentences",
            "plain_text",
        ],
    )?;
    // Oversized buckets: the same rows, and the same counts of what was not compared.
    for method in ["exact", "minhash"] {
        let few = ["--max-bucket-pairwise", "3", "--method", method];
        let local = run(&format!("local-{method}"), &few)?;
        let remote = run(&format!("remote-{method}"), &[&few[..], &more].concat())?;
        let counts = |directory: &Path| -> Result<serde_json::Value, Failed> {
            let manifest = std::fs::read(directory.join("manifest.json"))?;
            let manifest: serde_json::Value = serde_json::from_slice(&manifest)?;
            let steps = manifest["steps"].as_array().into_iter().flatten();
            let is_pairs = |step: &&serde_json::Value| {
                step["name"]
                    .as_str()
                    .is_some_and(|name| name.ends_with("-pairs"))
            };
            let figures = steps
                .clone()
                .find(is_pairs)
                .map(|step| step["figures"].clone());
            Ok(figures.unwrap_or_default())
        };
        let (expected, found) = (counts(&local)?, counts(&remote)?);
        if expected != found || found["oversized buckets"].is_null() {
            return Err(
                format!("{method}: {found} on the cluster, {expected} in one process").into(),
            );
        }
        same_tables(local, remote, &["pairs", "clusters", "kept", "removed"])?;
    }
    Ok(())
}

/// Checks that two jobs have the same rows.
fn same_tables(
    expected: PathBuf,
    found: PathBuf,
    tables: &'static [&'static str],
) -> Result<(), Failed> {
    super::run(async move {
        let (expected_in, found_in) = (opened(&expected).await?, opened(&found).await?);
        for table in tables {
            let query = format!("SELECT * FROM {table}");
            let (expected, found) = (
                rows(&expected_in, &query).await?,
                rows(&found_in, &query).await?,
            );
            if expected != found {
                return Err(format!("{table} differs: {}", difference(&expected, &found)).into());
            }
        }
        Ok(())
    })
}

/// A session with the tables of a job.
async fn opened(directory: &Path) -> datafusion::common::Result<SessionContext> {
    let context = neardup::session(SessionConfig::new(), Arc::default())?;
    neardup::jobs::register(&context, &directory.to_string_lossy()).await?;
    Ok(context)
}
