//! scratch
#[path = "../tests/shared/mod.rs"]
mod shared;
use neardup_wikidump::{sentences::*, wikitext::to_plain};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let pages = shared::pages::pages(a[1].as_ref());
    if a.get(2).is_some_and(|x| x == "bench") {
        let n: usize = pages.iter().map(|p| p.wikitext.len()).sum();
        let (mut best_c, mut best_s, mut best_p, mut best_n) = (f64::MAX, f64::MAX, f64::MAX, 0);
        let mut out = 0;
        for _ in 0..15 {
            let t = Instant::now();
            let plain: Vec<String> = pages
                .iter()
                .map(|p| to_plain(&p.wikitext, Some("en")))
                .collect();
            best_c = best_c.min(t.elapsed().as_secs_f64());
            out = plain.iter().map(|p| p.len()).sum::<usize>();
            let t = Instant::now();
            best_n = plain
                .iter()
                .map(|p| split(p, Some("en"), Splitter::Default).count())
                .sum::<usize>();
            best_s = best_s.min(t.elapsed().as_secs_f64());
            let t = Instant::now();
            let _ = plain
                .iter()
                .map(|p| split(p, Some("en"), Splitter::Published).count())
                .sum::<usize>();
            best_p = best_p.min(t.elapsed().as_secs_f64());
        }
        println!(
            "clean {n} bytes {:.1} ms {:.0} MB/s -> {out}; default split {:.1} ms {:.0} MB/s {best_n}; published {:.0} MB/s",
            best_c * 1e3,
            n as f64 / best_c / 1e6,
            best_s * 1e3,
            out as f64 / best_s / 1e6,
            out as f64 / best_p / 1e6
        );
        return;
    }
    for p in pages {
        println!("@@@ {} {}", p.id, p.title);
        let t = to_plain(&p.wikitext, a.get(2).map(|s| s.as_str()));
        if a.get(3).is_some() {
            for (s, e) in split(&t, Some("en"), Splitter::Default) {
                println!("{}", &t[s..e]);
            }
        } else {
            println!("{t}");
        }
    }
}
