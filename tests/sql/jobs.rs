//! Jobs in session configurations that the command line does not offer: the bytes of sorted files depend on the rows
//! alone.

use datafusion::common::Result;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionConfig;
use libtest_mimic::{Failed, Trial};
use neardup::jobs::{Dedup, Keep, KeepKey, KeepValue, Method, NoProgress, Pairs, Resolution};
use std::path::Path;
use std::sync::Arc;

/// The keep order by the column score, descending.
fn by_score() -> Keep {
    let value = KeepValue::Column("score".to_owned());
    let descending = true;
    Keep::By(vec![KeepKey { value, descending }])
}

/// Modifies the options of the default job.
type Change = fn(&mut Dedup);

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let linked = |_: &mut Dedup| {};
    let all = |job: &mut Dedup| {
        job.pairs = Pairs::All;
        job.keep = Keep::Longest;
    };
    let components = |job: &mut Dedup| {
        job.method = Method::MinHash;
        job.resolution = Resolution::Components;
        job.keep = by_score();
    };
    let several_keys = |job: &mut Dedup| {
        let key = |value, descending| KeepKey { value, descending };
        job.keep = Keep::By(vec![
            key(KeepValue::Length("text".to_owned()), false),
            key(KeepValue::Column("score".to_owned()), true),
        ]);
    };
    let vectors = |job: &mut Dedup| {
        job.method = Method::Projection;
        job.resolution = Resolution::Components;
        job.threshold = Some(0.95);
        job.max_bucket_pairwise = 3;
    };
    let ordered_vectors = |job: &mut Dedup| {
        job.method = Method::Projection;
        job.resolution = Resolution::Components;
        job.threshold = Some(0.95);
        job.max_bucket_pairwise = 3;
        job.keep = by_score();
    };
    let ways: [(&str, Change); 6] = [
        ("linked pairs", linked),
        ("all pairs", all),
        ("components of minhash", components),
        ("several keys", several_keys),
        ("components of vectors", vectors),
        ("components of ordered vectors", ordered_vectors),
    ];
    let mut trials = vec![Trial::test("jobs::values out of range", out_of_range)];
    trials.extend(ways.map(|(name, change)| {
        Trial::test(format!("jobs::equal bytes of {name}"), move || {
            equal_bytes(change)
        })
    }));
    trials
}

/// A job refuses what the table functions refuse, with the same sentence, and writes nothing.
fn out_of_range() -> Result<(), Failed> {
    super::run(async {
        let scratch = tempfile::tempdir()?;
        let input = scratch.path().join("in.csv");
        std::fs::write(&input, "id,text\n1,a b c\n2,a b c\n")?;
        let changes: [(Change, &str, &str); 5] = [
            (
                |job| job.threshold = Some(1.5),
                "threshold => 1.5",
                "threshold must be a number in (0, 1], found 1.5",
            ),
            (
                |job| job.num_hashes = 0,
                "num_hashes => 0",
                "num_hashes must be a whole number in [1, 4096], found 0",
            ),
            (
                |job| job.bits = 5000,
                "bits => 5000",
                "bits must be a whole number in [1, 4096], found 5000",
            ),
            (
                |job| job.max_bucket_pairwise = 0,
                "max_bucket_pairwise => 0",
                "max_bucket_pairwise must be a whole number in [1, 4000000000], found 0",
            ),
            (
                |job| job.shingle = Some("words".to_owned()),
                "shingle => 'words'",
                "shingle: shingle 'words' must start with 'char:', 'word:' or 'space:'",
            ),
        ];
        let output = scratch.path().join("out");
        let job = || {
            let inputs = vec![input.to_string_lossy().into_owned()];
            Dedup::new(inputs, output.to_string_lossy().into_owned())
        };
        let refused = |found: Result<()>, said: &str| match found {
            Err(error) if error.to_string().contains(said) => Ok(()),
            other => Err(Failed::from(format!("{said}: {other:?}"))),
        };
        let context = neardup::session(SessionConfig::new(), Arc::default())?;
        for (change, argument, said) in changes {
            let mut job = job();
            change(&mut job);
            let ran = neardup::jobs::dedup(&job, context.clone(), Arc::new(NoProgress)).await;
            refused(ran.map(drop), said)?;
            let call = format!(
                "SELECT * FROM near_duplicates('{}', {argument})",
                input.display()
            );
            refused(context.sql(&call).await.map(drop), said)?;
        }
        context
            .sql("SET neardup.parts = 0")
            .await?
            .collect()
            .await?;
        let ran = neardup::jobs::dedup(&job(), context, Arc::new(NoProgress)).await;
        refused(
            ran.map(drop),
            "option neardup.parts: parts must be a whole number in [1, 65536], found 0",
        )?;
        match output.exists() {
            true => Err("a refused job left a directory behind".into()),
            false => Ok(()),
        }
    })
}

/// Rows with repeated ids, without ids, without texts, with vectors, and nested columns, in several files.
const ROWS: &str = "SELECT
    CASE WHEN n % 13 = 0 THEN NULL ELSE n % 1500 END AS id,
    CASE WHEN n % 7 = 0 THEN NULL
      ELSE 'the text of row ' || (n % 1500 % 700) || ' is long enough to be cut, and ends with ' || (n % 1500 % 3)
    END AS text,
    make_array(cos(n % 1500 * 0.37), sin(n % 1500 * 0.37), sin(n % 1500 * 1.7), cos(n % 1500 * 0.011)) AS vector,
    n % 5 AS score,
    make_array(n % 17, n % 3) AS tags,
    named_struct('a', n % 19, 'b', CAST(n % 11 AS VARCHAR)) AS point
  FROM (SELECT CAST(value AS BIGINT) AS n FROM generate_series(0, 2999))";

fn equal_bytes(change: Change) -> Result<(), Failed> {
    super::run(async move {
        let scratch = tempfile::tempdir()?;
        let input = scratch.path().join("in");
        let context = neardup::session(SessionConfig::new(), Arc::default())?;
        for part in 0..3 {
            let file = input.join(format!("{part}.parquet"));
            let copy = format!(
                "COPY (SELECT * FROM ({ROWS}) WHERE score % 3 = {part}) TO '{}'",
                file.display()
            );
            context.sql(&copy).await?.collect().await?;
        }
        let mut wanted: Option<Vec<Vec<u8>>> = None;
        // Each number of partitions, batch size and number of parts, but not every combination.
        let ways = [
            (1, 8192, 1),
            (2, 100, 1),
            (2, 8192, 6),
            (7, 8192, 1),
            (7, 1, 3),
            (64, 100, 10),
        ];
        for (partitions, batch_rows, parts) in ways {
            let output = scratch
                .path()
                .join(format!("{partitions}-{batch_rows}-{parts}"));
            let mut job = Dedup::new(
                vec![input.to_string_lossy().into_owned()],
                output.to_string_lossy().into_owned(),
            );
            change(&mut job);
            let config = SessionConfig::new()
                .with_target_partitions(partitions)
                .with_batch_size(batch_rows);
            let context = neardup::session(config, Arc::new(RuntimeEnv::default()))?;
            let parts = format!("SET neardup.parts = {parts}");
            context.sql(&parts).await?.collect().await?;
            neardup::jobs::dedup(&job, context, Arc::new(NoProgress)).await?;
            let found = published(&output)?;
            match &wanted {
                None => {
                    assert!(found.iter().all(|bytes| bytes.len() > 2000));
                    wanted = Some(found);
                }
                Some(wanted) => {
                    for (name, (wanted, found)) in NAMES.iter().zip(wanted.iter().zip(&found)) {
                        if wanted != found {
                            return Err(format!(
                                "{name}: other bytes on {partitions} partitions in batches of {batch_rows} and {parts} parts"
                            )
                            .into());
                        }
                    }
                }
            }
        }
        Ok(())
    })
}

const NAMES: [&str; 4] = ["pairs", "clusters", "kept", "removed"];

fn published(directory: &Path) -> Result<Vec<Vec<u8>>> {
    let read = |name| Ok(std::fs::read(directory.join(format!("{name}.parquet")))?);
    NAMES.into_iter().map(read).collect()
}
