//! The rows do not depend on the form of the file nor on where it is cut.

use std::sync::Arc;

use neardup_wikidump::{Container, ReadAt, ReadOptions, suggest_ranges};

use crate::dumps::{even, everything, forms, pages, read_ranges, read_whole, unusual};

#[test]
fn every_form_and_every_cut_gives_the_same_rows() {
    let pages = pages(150, 400, 11);
    let latest = ReadOptions {
        namespaces: None,
        redirects: true,
        ..ReadOptions::default()
    };
    for options in [everything(), latest] {
        let mut want = None;
        for (form, file) in forms(&pages) {
            let whole = read_whole(&file, &options);
            assert!(
                whole.errors.is_empty() && whole.losses.is_empty(),
                "{form}: {whole:?}"
            );
            let want = want.get_or_insert_with(|| whole.rows.clone());
            assert!(want.len() >= pages.len());
            assert!(whole.rows == *want, "{form}");

            let length = file.len() as u64;
            let file: Arc<dyn ReadAt> = Arc::new(file);
            let mut cuts: Vec<_> = [2, 3, 7, 64].map(|count| even(length, count)).into();
            cuts.extend((0..2).map(|seed| unusual(length, seed)));
            cuts.extend((1..5).map(|count| suggest_ranges(&file, count).unwrap()));
            for ranges in cuts {
                let parts = read_ranges(&file, &ranges, &options);
                assert!(
                    parts.errors.is_empty(),
                    "{form} {ranges:?}: {:?}",
                    parts.errors
                );
                assert!(parts.rows == *want, "{form} {ranges:?}");
                assert_eq!(parts.losses, whole.losses, "{form} {ranges:?}");
            }
        }
    }
}

#[test]
fn every_byte_of_small_files_is_a_cut() {
    let pages = pages(9, 8, 5);
    for (form, file) in forms(&pages) {
        let whole = read_whole(&file, &everything());
        let length = file.len() as u64;
        let file: Arc<dyn ReadAt> = Arc::new(file);
        let step = if Container::detect(&*file).unwrap() == Container::Plain {
            1
        } else {
            3
        };
        for cut in (0..=length).step_by(step) {
            let parts = read_ranges(&file, &[0..cut, cut..length], &everything());
            assert!(
                parts.errors.is_empty() && parts.rows == whole.rows,
                "{form} {cut}"
            );
        }
    }
}

#[test]
fn a_range_reads_little_beyond_its_end_and_its_header_one_block() {
    use std::sync::atomic::{AtomicU64, Ordering};
    struct Counting(Vec<u8>, AtomicU64);
    impl ReadAt for Counting {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<usize> {
            self.1
                .fetch_max(offset + buf.len() as u64, Ordering::Relaxed);
            ReadAt::read_at(self.0.as_slice(), offset, buf)
        }
    }
    let mut random = crate::dumps::Random(9);
    let noise: String = (0..1_800_000)
        .map(|_| char::from(b'a' + random.below(26) as u8))
        .collect();
    let page = |id: usize| {
        format!(
            "<page><title>{id}</title><id>{id}</id><revision><id>{id}</id><text>{}</text></revision></page>",
            &noise[id * 10_000..][..50_000]
        )
    };
    let xml: Vec<String> = (0..170).map(page).collect();
    let file = Arc::new(Counting(
        crate::dumps::bz2(xml.concat().as_bytes(), 1),
        AtomicU64::new(0),
    ));
    assert!(file.len() > 3_300_000);
    let source: Arc<dyn ReadAt> = Arc::clone(&file) as Arc<dyn ReadAt>;
    neardup_wikidump::DumpInfo::read(&source, Default::default()).unwrap();
    assert!(file.1.load(Ordering::Relaxed) <= 2 << 20);
    let read = read_ranges(&source, &even(file.len(), 8)[..1], &everything());
    assert!(read.rows.len() > 20);
    assert!(file.1.load(Ordering::Relaxed) <= 3 << 20);
}
