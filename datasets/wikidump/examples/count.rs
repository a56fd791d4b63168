use neardup_wikidump::*;
use std::sync::Arc;
fn main() {
    for f in std::env::args().skip(1) {
        let source: Arc<dyn ReadAt> = Arc::new(FileSource::open(&f).unwrap());
        let opts = ReadOptions {
            namespaces: None,
            redirects: true,
            ..Default::default()
        };
        for (n, o) in [
            ("latest", opts.clone()),
            (
                "all",
                ReadOptions {
                    revisions: Revisions::All,
                    ..opts.clone()
                },
            ),
        ] {
            let t = std::time::Instant::now();
            let mut kinds = std::collections::BTreeMap::new();
            let mut rows = 0;
            let mut bytes = 0;
            let info = DumpInfo::read(&source, OnError::Fail);
            let mut err = String::new();
            let mut site = String::new();
            match DumpReader::open_whole(source.clone(), o) {
                Ok(r) => {
                    site = format!("{:?} {:?}", r.site().wiki(), r.site().language());
                    let mut r = r;
                    for p in r.by_ref() {
                        match p {
                            Ok(p) => {
                                rows += 1;
                                bytes += p.revision.text.as_ref().map_or(0, |t| t.len());
                                *kinds.entry(p.kind.as_str()).or_insert(0) += 1;
                            }
                            Err(e) => err = e.to_string(),
                        }
                    }
                    if !r.losses().is_empty() || r.losses().trailing_bytes > 0 {
                        err += &r.losses().to_string();
                    }
                }
                Err(e) => err = e.to_string(),
            }
            println!(
                "{} {n} rows {rows} bytes {bytes} {kinds:?} {site} {:?} {:?} {err}",
                f.rsplit('/').next().unwrap(),
                t.elapsed(),
                info.map(|i| i.container)
            );
        }
    }
}
