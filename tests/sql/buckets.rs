//! Inputs and jobs in an object store.

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::object_store::{ObjectStore, ObjectStoreExt};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::TryStreamExt;
use libtest_mimic::{Failed, Trial};
use neardup::jobs::{Dedup, Job, NoProgress, Progress};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, run: fn(Bucket) -> Result<(), Failed>| {
        let name = format!("buckets::{name}");
        Trial::test(name, move || run(Bucket::new()?))
    };
    vec![
        trial("a job in a bucket", same_job),
        trial("files of a bucket", files),
        trial("errors name their cause", faults),
        trial("two processes on one job", two_processes),
        trial("inputs that change or lie in the output", inputs),
        trial("a damaged step is done again", damage),
    ]
}

/// An in-memory object store with the sample, at `mem://bucket`.
#[derive(Clone)]
struct Bucket {
    store: Arc<InMemory>,
}

impl Bucket {
    fn new() -> Result<Self, Failed> {
        let bucket = Self {
            store: Arc::new(InMemory::new()),
        };
        let sample = super::root().join("datasets/sample");
        for (name, key) in [
            ("samplewiki-pages-articles.xml.bz2", "dumps/sample.xml.bz2"),
            ("documents.jsonl", "tables/[1] a b%.jsonl"),
            ("documents.jsonl", "tables/_hidden/more.jsonl"),
        ] {
            let bytes = std::fs::read(sample.join(name))?;
            bucket.put(key, bytes);
        }
        Ok(bucket)
    }

    fn put(&self, key: &str, bytes: impl Into<Vec<u8>>) {
        let (store, bytes) = (Arc::clone(&self.store), bytes.into());
        let path = ObjectPath::parse(key).expect("a key");
        super::run(async move { store.put(&path, bytes.into()).await }).expect("memory");
    }

    fn session(&self) -> Result<SessionContext> {
        let runtime = Arc::new(RuntimeEnv::default());
        let url = url::Url::parse("mem://bucket").expect("an address");
        runtime.register_object_store(&url, Arc::clone(&self.store) as Arc<dyn ObjectStore>);
        neardup::session(SessionConfig::new().with_target_partitions(2), runtime)
    }

    async fn dedup(&self, options: &Dedup, progress: Arc<dyn Progress>) -> Result<Job> {
        neardup::jobs::dedup(options, self.session()?, progress).await
    }

    async fn keys(&self) -> Vec<String> {
        let listed = self.store.list(None);
        let listed: Vec<_> = listed.try_collect().await.expect("memory");
        let keys = listed.into_iter().map(|meta| meta.location.to_string());
        keys.collect()
    }
}

fn job(input: &str, output: &str) -> Dedup {
    Dedup::new(vec![input.to_owned()], output.to_owned())
}

async fn rows(context: &SessionContext, query: &str) -> Result<String> {
    let batches = context.sql(query).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

/// A job on a dump in a bucket writes the same files there as on disk, and completed steps are not repeated.
fn same_job(bucket: Bucket) -> Result<(), Failed> {
    super::run(async move {
        let scratch = tempfile::tempdir()?;
        let dump = super::root().join("datasets/sample/samplewiki-pages-articles.xml.bz2");
        let local = scratch.path().join("out").to_string_lossy().into_owned();
        bucket
            .dedup(&job(&dump.to_string_lossy(), &local), Arc::new(NoProgress))
            .await?;
        let remote = job("mem://bucket/dumps/", "mem://bucket/out/");
        bucket.dedup(&remote, Arc::new(NoProgress)).await?;
        let (expected, found) = (bucket.session()?, bucket.session()?);
        neardup::jobs::register(&expected, &local).await?;
        neardup::jobs::register(&found, "mem://bucket/out").await?;
        for table in ["pairs", "clusters", "kept", "sentences", "plain_text"] {
            let query = format!("SELECT * FROM {table} ORDER BY 1, 2");
            let expected = rows(&expected, &query).await?;
            if expected != rows(&found, &query).await? || expected.lines().count() < 50 {
                return Err(format!("{table} differs").into());
            }
        }
        let before = bucket.keys().await;
        let again = bucket.dedup(&remote, Arc::new(NoProgress)).await?;
        assert_eq!(again.resumed, again.manifest().steps.len());
        assert_eq!(before, bucket.keys().await);
        // With other parameters, all files of the first job are removed.
        let other = Dedup {
            threshold: Some(0.9),
            overwrite: true,
            ..remote
        };
        bucket.dedup(&other, Arc::new(NoProgress)).await?;
        let keys = bucket.keys().await;
        let gone = before.iter().filter(|key| key.contains("out/steps/"));
        assert!(gone.clone().count() > 0);
        assert_eq!(gone.filter(|key| keys.contains(key)).count(), 0);
        Ok(())
    })
}

/// A key may contain any character. Hidden files and results of jobs are left out of directories.
fn files(bucket: Bucket) -> Result<(), Failed> {
    super::run(async move {
        bucket
            .dedup(
                &Dedup {
                    text: vec!["body".to_owned()],
                    ..job(
                        "mem://bucket/tables/[1] a b%.jsonl",
                        "mem://bucket/tables/out",
                    )
                },
                Arc::new(NoProgress),
            )
            .await?;
        let context = bucket.session()?;
        for name in [
            "mem://bucket/tables/[1] a b%.jsonl",
            "mem://bucket/tables/*.jsonl",
            "mem://bucket/tables/",
            "mem://bucket/tables",
        ] {
            let counted = rows(&context, &format!("SELECT count(*) AS n FROM '{name}'")).await?;
            assert!(counted.contains("| 33 |"), "{name}: {counted}");
        }
        let pages = rows(&context, "SELECT count(*) FROM 'mem://bucket/dumps/*.bz2'").await?;
        assert!(pages.contains("| 55 "), "{pages}");
        let copy = "COPY (SELECT id FROM 'mem://bucket/tables') TO 'mem://bucket/copy/ids.parquet'";
        context.sql(copy).await?.collect().await?;
        let ids = rows(&context, "SELECT count(id) FROM 'mem://bucket/copy'").await?;
        assert!(ids.contains("| 33 "), "{ids}");
        Ok(())
    })
}

fn faults(bucket: Bucket) -> Result<(), Failed> {
    bucket.put("broken/manifest.json", "{}");
    bucket.put("foreign/notes.md", "mine");
    super::run(async move {
        let dump = "mem://bucket/dumps/sample.xml.bz2";
        let output = "mem://bucket/out";
        for (input, output, expected) in [
            ("mem://bucket/none.xml", output, "no such file or directory"),
            ("mem://bucket/*.xml", output, "no file matches"),
            (
                "mem://bucket/foreign/",
                output,
                "holds no file of a known kind",
            ),
            (
                "ftp://bucket/a.xml",
                output,
                "addresses of this kind are not read, only paths",
            ),
            (
                dump,
                "ftp://bucket/out",
                "no store is registered for addresses of this kind",
            ),
            (
                dump,
                "mem://bucket/foreign",
                "is not empty and holds no job (it contains 'notes.md')",
            ),
            (
                dump,
                "mem://bucket/broken",
                "mem://bucket/broken/manifest.json: missing field",
            ),
        ] {
            let failed = bucket
                .dedup(&job(input, output), Arc::new(NoProgress))
                .await;
            let error = failed.err().expect("an error").strip_backtrace();
            assert!(error.contains(expected), "{input} {output}: {error}");
        }
        let error = neardup::jobs::register(&bucket.session()?, "mem://bucket/none").await;
        let error = error.expect_err("no job").strip_backtrace();
        assert!(error.contains("there is no job here"), "{error}");
        let keys = bucket.keys().await;
        assert!(!keys.iter().any(|key| key.starts_with("out")), "{keys:?}");
        Ok(())
    })
}

/// Blocks the job before its third step until it is released.
#[derive(Default)]
struct Waiting {
    reached: AtomicBool,
    released: AtomicBool,
}

impl Progress for Waiting {
    fn step(&self, name: &str, _: bool) {
        if name == "texts" {
            self.reached.store(true, Ordering::SeqCst);
            while !self.released.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    fn done(&self, _: &str, _: u64, _: Duration) {}
}

/// A directory of a store cannot be locked: when two processes run the same job, the first one fails at its commit.
fn two_processes(bucket: Bucket) -> Result<(), Failed> {
    super::run(async move {
        let options = job("mem://bucket/dumps/sample.xml.bz2", "mem://bucket/out");
        let waiting = Arc::new(Waiting::default());
        let first = {
            let (bucket, options) = (bucket.clone(), options.clone());
            let waiting = Arc::clone(&waiting);
            tokio::spawn(async move { bucket.dedup(&options, waiting).await.map(|_| ()) })
        };
        while !waiting.reached.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let second = bucket.dedup(&options, Arc::new(NoProgress)).await?;
        waiting.released.store(true, Ordering::SeqCst);
        let error = first.await?.err().ok_or("both came to an end")?;
        let error = error.strip_backtrace();
        assert!(
            error.contains("another process works on this job"),
            "{error}"
        );
        // The result of the second one is complete.
        let again = bucket.dedup(&options, Arc::new(NoProgress)).await?;
        assert_eq!(again.manifest().steps.len(), second.manifest().steps.len());
        assert_eq!(again.resumed, again.manifest().steps.len());
        Ok(())
    })
}

/// Objects have tags: a change of an input is detected even if the size is the same, and also while the job runs.
fn inputs(bucket: Bucket) -> Result<(), Failed> {
    super::run(async move {
        let error = |failed: Result<Job>| failed.err().expect("an error").strip_backtrace();
        let dump = "mem://bucket/dumps/sample.xml.bz2";
        for (input, output) in [
            (dump, "mem://bucket/dumps"),
            (dump, "mem://bucket/dumps/"),
            ("mem://bucket/dumps/*.bz2", "mem://bucket/dumps"),
            ("mem://bucket/dumps", "mem://bucket/dumps"),
        ] {
            let mut options = job(input, output);
            options.overwrite = true;
            let error = error(bucket.dedup(&options, Arc::new(NoProgress)).await);
            assert!(error.contains("is in the output directory"), "{error}");
        }
        // A name with the same prefix is another directory.
        bucket
            .dedup(&job(dump, "mem://bucket/dump"), Arc::new(NoProgress))
            .await?;
        let options = job(dump, "mem://bucket/out");
        let path = ObjectPath::parse("dumps/sample.xml.bz2")?;
        let bytes = bucket.store.get(&path).await?.bytes().await?;
        let waiting = Arc::new(Waiting::default());
        let running = {
            let (bucket, options) = (bucket.clone(), options.clone());
            let waiting = Arc::clone(&waiting);
            tokio::spawn(async move { bucket.dedup(&options, waiting).await })
        };
        while !waiting.reached.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bucket.store.put(&path, bytes.into()).await?;
        waiting.released.store(true, Ordering::SeqCst);
        let failed = error(running.await?);
        assert!(failed.contains(dump), "{failed}");
        assert!(failed.contains("has changed while the job ran"), "{failed}");
        let again = error(bucket.dedup(&options, Arc::new(NoProgress)).await);
        assert!(again.contains("has changed since"), "{again}");
        Ok(())
    })
}

/// The checksums of a job's files in a store are verified.
fn damage(bucket: Bucket) -> Result<(), Failed> {
    super::run(async move {
        let options = job("mem://bucket/dumps/", "mem://bucket/out");
        bucket.dedup(&options, Arc::new(NoProgress)).await?;
        let mut wanted = Vec::new();
        for name in ["pairs", "clusters", "kept"] {
            let path = ObjectPath::parse(format!("out/{name}.parquet"))?;
            let bytes = bucket.store.get(&path).await?.bytes().await?;
            wanted.push((path, bytes));
        }
        let keys = bucket.keys().await;
        for part in [
            "out/sentences/",
            "out/steps/03-texts/",
            "out/clusters.parquet",
        ] {
            let key = keys.iter().find(|key| key.starts_with(part));
            let path = ObjectPath::parse(key.ok_or("no file")?)?;
            let mut bytes = bucket.store.get(&path).await?.bytes().await?.to_vec();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            bucket.store.put(&path, bytes.into()).await?;
        }
        let again = bucket.dedup(&options, Arc::new(NoProgress)).await?;
        assert_eq!(again.resumed, again.manifest().steps.len() - 3);
        for (path, bytes) in wanted {
            let found = bucket.store.get(&path).await?.bytes().await?;
            assert!(found == bytes, "{path}");
        }
        let again = bucket.dedup(&options, Arc::new(NoProgress)).await?;
        assert_eq!(again.resumed, again.manifest().steps.len());
        Ok(())
    })
}
