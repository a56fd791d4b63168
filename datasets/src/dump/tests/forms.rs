//! The same rows whatever the container, the cut and the number of partitions.

use std::path::Path;
use std::sync::Arc;

use datafusion::datasource::physical_plan::{FileGroup, FileGroupPartitioner, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::{ExecutionPlan, collect};

use super::support::*;
use crate::sample::{SAMPLE_DUMP, SAMPLE_DUMP_NAME};

const EVERYTHING: [(&str, &str); 2] = [("namespaces", "all"), ("redirects", "true")];

#[tokio::test]
async fn the_sample_is_the_same_in_every_form_and_cut() {
    let dir = tempfile::tempdir().unwrap();
    let xml = sample_xml();
    let plain = write(dir.path(), "sample.xml", &xml);
    let one = write(dir.path(), SAMPLE_DUMP_NAME, SAMPLE_DUMP);
    let gz = write(dir.path(), "sample.xml.gz", &gzip(&xml));
    let want = rows(&pages(1, &[&plain], &EVERYTHING).0).await.unwrap();
    assert_eq!(want.len(), 61);
    for file in [&plain, &one, &gz] {
        for partitions in [1, 2, 7, 64] {
            let (session, table) = pages(partitions, &[file], &EVERYTHING);
            let count = value(&session, "SELECT count(*) FROM pages").await.unwrap();
            assert_eq!(count, "61");
            assert_eq!(rows(&session).await.unwrap(), want, "{file:?} {partitions}");
            assert_eq!(table.take_losses(), []);
        }
    }
}

#[tokio::test]
async fn small_blocks_and_several_files_are_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let xml = generated("testwiki", 400, 3_000);
    let plain = write(dir.path(), "a.xml", &xml);
    let one = write(dir.path(), "b.xml.bz2", &bzip2(&xml));
    // Streams that are cut anywhere.
    let streams: Vec<u8> = xml.chunks(333_333).flat_map(bzip2).collect();
    let many = write(dir.path(), "c.xml.bz2", &streams);
    let want = rows(&pages(1, &[&plain], &[]).0).await.unwrap();
    assert_eq!(want.len(), 400);
    for file in [&plain, &one, &many] {
        for partitions in [2, 7, 64] {
            let (session, _) = pages(partitions, &[file], &[]);
            assert_eq!(rows(&session).await.unwrap(), want, "{file:?} {partitions}");
        }
    }
    let mut twice = [want.clone(), want.clone()].concat();
    twice.sort_unstable();
    for partitions in [1, 3, 64] {
        let (session, _) = pages(partitions, &[&plain, &many, &plain], &[]);
        assert_eq!(rows(&session).await.unwrap(), twice, "{partitions}");
    }
    let all = dir.path().join("*.xml*");
    let (session, _) = pages(2, &[&all], &[]);
    assert_eq!(rows(&session).await.unwrap().len(), 1_200);
}

#[tokio::test]
async fn any_other_cut_gives_the_same_rows() {
    let dir = tempfile::tempdir().unwrap();
    let xml = generated("testwiki", 300, 3_000);
    for (name, bytes) in [("a.xml", xml.clone()), ("a.xml.bz2", bzip2(&xml))] {
        let file = write(dir.path(), name, &bytes);
        let (session, _) = pages(1, &[&file], &[]);
        let want = rows(&session).await.unwrap();
        assert_eq!(want.len(), 300);
        for target in [2, 5, 33] {
            let plan = session.table("pages").await.unwrap();
            let plan = plan.create_physical_plan().await.unwrap();
            let plan = cut(&plan, target);
            let batches = collect(plan, session.task_ctx()).await.unwrap();
            assert_eq!(fingerprints(&batches).unwrap(), want, "{name} {target}");
        }
    }
}

/// The scan with its files cut evenly, as DataFusion would.
fn cut(plan: &Arc<dyn ExecutionPlan>, target: usize) -> Arc<dyn ExecutionPlan> {
    let scan = plan.downcast_ref::<DataSourceExec>().expect("a bare scan");
    let source: &dyn std::any::Any = scan.data_source().as_ref();
    let mut config = source
        .downcast_ref::<FileScanConfig>()
        .expect("a file scan")
        .clone();
    let whole = config
        .file_groups
        .iter()
        .flat_map(|group| group.iter())
        .map(|part| {
            let mut part = part.clone();
            part.range = None;
            part
        });
    let whole = FileGroup::new(whole.collect());
    config.file_groups = FileGroupPartitioner::new()
        .with_target_partitions(target)
        .with_repartition_file_min_size(1)
        .repartition_file_groups(&[whole])
        .expect("more than one part");
    DataSourceExec::from_data_source(config)
}

#[tokio::test]
async fn real_dumps_are_the_same_in_every_form() {
    let names = [
        "derived/elwiki-2040.multistream.xml.bz2",
        "derived/elwiki-2040.pbzip2style.xml.bz2",
    ];
    let Some(files) = names.into_iter().map(corpus).collect::<Option<Vec<_>>>() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let mut xml = Vec::new();
    let bz2 = std::fs::File::open(&files[0]).unwrap();
    std::io::copy(&mut bzip2::read::MultiBzDecoder::new(bz2), &mut xml).unwrap();
    let plain = write(dir.path(), "elwiki.xml", &xml);
    let gz = write(dir.path(), "elwiki.xml.gz", &gzip(&xml));
    let want = rows(&pages(1, &[&plain], &EVERYTHING).0).await.unwrap();
    assert_eq!(want.len(), 2_040);
    for file in [&plain, &gz, &files[0], &files[1]] {
        for partitions in [1, 2, 7, 64] {
            let (session, table) = pages(partitions, &[file], &EVERYTHING);
            assert_eq!(rows(&session).await.unwrap(), want, "{file:?} {partitions}");
            assert_eq!(table.take_losses(), []);
        }
    }
}

#[tokio::test]
async fn the_pages_of_a_malformed_dump_are_found() {
    let Some(file) = corpus("seed-enwiki-part/wikidump.part.xml.bz2") else {
        return;
    };
    let sql = "SELECT count(*) || ' ' || count(*) FILTER (WHERE kind = 'redirect') || ' ' \
               || count(DISTINCT page_id) FROM pages";
    for partitions in [1, 2, 7] {
        let (session, _) = pages(partitions, &[&file], &EVERYTHING);
        assert_eq!(value(&session, sql).await.unwrap(), "200 99 200");
    }
    let (session, _) = pages(2, &[&file], &[]);
    let count = value(&session, "SELECT count(*) FROM pages").await.unwrap();
    assert_eq!(count, "101");
}

#[tokio::test]
async fn every_revision_is_a_row_if_asked_for() {
    let Some(folder) = corpus("aawiki-20260101") else {
        return;
    };
    let history = std::fs::read_dir(folder).unwrap().flatten().find(|entry| {
        let name = entry.file_name();
        Path::new(&name).to_string_lossy().contains("history")
    });
    let file = history.expect("a history").path();
    let options = [EVERYTHING[0], EVERYTHING[1], ("revisions", "all")];
    for partitions in [1, 2, 7] {
        let (session, _) = pages(partitions, &[&file], &options);
        let sql = "SELECT count(DISTINCT page_id) || ' ' || count(*) || ' ' \
                   || count(DISTINCT revision_id) FROM pages";
        assert_eq!(value(&session, sql).await.unwrap(), "507 1307 1307");
    }
}
