//! Compares, in one run, the reader with the stock bz2 decoder alone:
//! `cargo run --release -p datafusion-neardup-wikidump --example throughput -- dump.xml.bz2 [ranges]`
#![expect(clippy::print_stdout, reason = "the figures are its result")]

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use neardup_wikidump::{DumpInfo, DumpReader, OnError, ReadAt, ReadOptions, suggest_ranges};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a dump in bz2")?;
    let ranges: usize = arguments.next().map_or(Ok(2), |count| count.parse())?;
    let file = std::fs::read(path)?;

    let start = Instant::now();
    let mut xml = Vec::new();
    bzip2::read::MultiBzDecoder::new(file.as_slice()).read_to_end(&mut xml)?;
    let stock = start.elapsed();
    let megabytes = xml.len() as f64 / 1e6;
    println!(
        "stock decoder: {megabytes:.1} MB of XML, {:.1} MB/s",
        megabytes / stock.as_secs_f64()
    );

    let source: Arc<dyn ReadAt> = Arc::new(file);
    let options = ReadOptions {
        namespaces: None,
        redirects: true,
        ..ReadOptions::default()
    };
    for count in [1, ranges] {
        let start = Instant::now();
        let site = Arc::new(DumpInfo::read(&source, OnError::Fail)?.site);
        let cuts = suggest_ranges(&source, count)?;
        let pages: usize = std::thread::scope(|scope| {
            let readers: Vec<_> = cuts
                .iter()
                .map(|range| {
                    let (source, range) = (Arc::clone(&source), range.clone());
                    let (site, options) = (Arc::clone(&site), options.clone());
                    scope.spawn(move || {
                        let reader = DumpReader::open(source, range, site, options)?;
                        reader.map(|page| page.map(|_| 1)).sum::<Result<usize, _>>()
                    })
                })
                .collect();
            readers
                .into_iter()
                .map(|reader| {
                    reader
                        .join()
                        .map_err(|_| "a reader panicked")?
                        .map_err(|e| Box::new(e).into())
                })
                .sum::<Result<usize, Box<dyn std::error::Error>>>()
        })?;
        let own = start.elapsed();
        println!(
            "reader, {} ranges: {pages} pages in {own:.1?}, {:.1} MB/s, {:.2} times the stock decoder",
            cuts.len(),
            megabytes / own.as_secs_f64(),
            stock.as_secs_f64() / own.as_secs_f64(),
        );
    }
    Ok(())
}
