//! The same rows whatever the container, the cut and the number of partitions.

use super::support::*;
use crate::sample::{SAMPLE_DUMP, SAMPLE_DUMP_NAME};

#[tokio::test]
async fn the_sample_is_the_same_in_every_form_and_cut() {
    let dir = tempfile::tempdir().unwrap();
    let mut xml = Vec::new();
    std::io::copy(&mut bzip2::read::MultiBzDecoder::new(SAMPLE_DUMP), &mut xml).unwrap();
    let plain = write(dir.path(), "sample.xml", &xml);
    let one = write(dir.path(), SAMPLE_DUMP_NAME, SAMPLE_DUMP);
    let gz = write(dir.path(), "sample.xml.gz", &gzip(&xml));
    let options = [("namespaces", "all"), ("redirects", "true")];
    let want = all_rows(&pages(1, &[&plain], &options).0).await.unwrap();
    assert!(want.len() > 61);
    for file in [&plain, &one, &gz] {
        for partitions in [1, 2, 7, 64] {
            let (session, table) = pages(partitions, &[file], &options);
            assert_eq!(
                value(&session, "SELECT count(*) FROM pages").await.unwrap(),
                "61"
            );
            assert!(
                all_rows(&session).await.unwrap() == want,
                "{file:?} {partitions}"
            );
            assert_eq!(table.take_losses(), []);
        }
    }
}
