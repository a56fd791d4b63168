//! `neardup report`: a page about a job.

use crate::scratch::Scratch;
use std::path::PathBuf;
use std::process::Command;

/// The page of a job.
#[track_caller]
fn page(scratch: &Scratch, directory: &str) -> String {
    let said = scratch.succeed(&["report", directory]).out;
    assert!(
        said.starts_with("written to ") && said.contains("report.html"),
        "{said}"
    );
    String::from_utf8(scratch.read(&format!("{directory}/report.html"))).expect("UTF-8")
}

/// Tags and attributes of a page must be those that the program wrote: its elements are closed in order.
#[track_caller]
fn assert_well_formed(page: &str) {
    let mut open: Vec<&str> = vec![];
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("the end of a tag");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name = tag.split([' ', '\n']).next().expect("a name");
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        assert!(
            name.starts_with('!') || name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "<{tag}>"
        );
        if matches!(name, "script" | "style") {
            rest = &rest[rest.find(&format!("</{name}>")).expect("its end")..];
        }
        let is_void = matches!(name, "!DOCTYPE" | "meta" | "input") || tag.ends_with('/');
        if !is_void {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_sample_as_a_page() {
    let scratch = Scratch::new();
    let summary = scratch.job(&["dedup"]);
    let page = page(&scratch, "neardup-out");
    assert_well_formed(&page);
    for part in [
        "lang=\"en\"",
        "name=\"viewport\"",
        "default-src 'none'",
        "prefers-color-scheme: dark",
        "@media print",
        "neardup dedup ",
        "<del>",
        "<ins>",
        "data-kind=\"factual_drift\"",
        "left out",
        "Aldermoor",
        "removed: copies",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // The two pages that share the most clusters.
    let shared = "(SELECT DISTINCT cluster_id, title FROM clusters WHERE cluster_size > 1)";
    let most = &scratch.job_rows(
        "neardup-out",
        &format!(
            "SELECT least(a.title, b.title) AS a, greatest(a.title, b.title) AS b, count(*) AS n FROM {shared} AS a \
             JOIN {shared} AS b ON a.cluster_id = b.cluster_id AND a.title < b.title GROUP BY 1, 2 ORDER BY n DESC LIMIT 1"
        ),
    )[0];
    let text = |name: &str| most[name].as_str().expect("a title").to_owned();
    let row =
        |a: String, b: String| format!("<tr><td>{a}</td><td>{b}</td><td>{}</td></tr>", most["n"]);
    assert!(
        page.contains(&row(text("a"), text("b"))) || page.contains(&row(text("b"), text("a"))),
        "{most:?}"
    );
    for address in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(address), "{address}");
    }
    let read = summary["rows_read"].as_i64().expect("rows");
    let kept = summary["kept"].as_i64().expect("kept");
    for count in [read, kept] {
        assert!(page.contains(&format!("<td>{count}</td>")), "{count}");
    }
    // The same job gives the same page, except for the times that its steps took.
    let again = self::page(&scratch, "neardup-out");
    assert_eq!(page, again);
    // Another job in the directory has another report.
    scratch.succeed(&["dedup", "--overwrite", "--threshold", "0.9", "--quiet"]);
    assert!(!scratch.has("neardup-out/report.html"));
}

/// Texts, titles, ids and names of columns and directories that are markup must be shown as they are.
#[test]
fn texts_that_are_markup() {
    let scratch = Scratch::new();
    let hostile = [
        "<script>document.title='taken'</script> one two three four five six",
        "</p></article></style><img src=x onerror=alert(1)> one two three four five six",
        "\" onmouseover=\"alert(1)\" ' one two three four five six",
        "<!-- one two three four five six --> ]]> &lt;b&gt; &amp;",
        "\u{202e}one two three four five six \u{0} \u{7}",
    ];
    let mut rows = String::new();
    for (at, text) in hostile.iter().enumerate() {
        for copy in ["", " seven"] {
            let id = format!("<b id='{at}'>{copy}");
            rows.push_str(
                &serde_json::json!({"id": id, "text": format!("{text}{copy}")}).to_string(),
            );
            rows.push('\n');
        }
    }
    scratch.write("rows.jsonl", rows);
    let directory = "out <i>&'\"";
    scratch.succeed(&[
        "dedup",
        "rows.jsonl",
        "-o",
        directory,
        "--threshold",
        "0.2",
        "--shingle",
        "word:1",
        "--quiet",
    ]);
    let page = page(&scratch, directory);
    assert_well_formed(&page);
    assert_eq!(page.matches("<script").count(), 1);
    for markup in [
        "<img",
        "<b id",
        "<i>",
        "<!--",
        "onmouseover=\"",
        "\u{202e}",
        "\u{0}",
    ] {
        assert!(!page.contains(markup), "{markup:?}");
    }
    for shown in [
        "&lt;script&gt;",
        "&lt;img",
        "onerror=alert(1)",
        "&lt;b id=&#39;0&#39;&gt;",
        "&lt;U+202E&gt;",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
}

/// The page of a large job has samples, and says so.
#[test]
fn a_page_of_a_large_job_is_small() {
    let scratch = Scratch::new();
    // Pairs of long texts, each pair a cluster.
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT n AS id, repeat('word' || CAST(n / 2 AS VARCHAR) || ' ', 400) || CAST(n AS VARCHAR) || \
         ' x' || CAST(n / 2 AS VARCHAR) AS text \
         FROM (SELECT UNNEST(range(0, 6000)) AS n)) TO 'rows.parquet'",
    ]);
    scratch.succeed(&[
        "dedup",
        "rows.parquet",
        "-o",
        "out",
        "--threshold",
        "0.1",
        "--shingle",
        "word:1",
        "--quiet",
    ]);
    let removed = scratch.job_number("out", "SELECT count(*) FROM removed");
    assert!(removed >= 3000, "{removed}");
    let page = page(&scratch, "out");
    assert_well_formed(&page);
    assert!(
        page.contains(&format!(
            "All {},{:03} removed rows",
            removed / 1000,
            removed % 1000
        )),
        "the number of classified rows is not stated"
    );
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
}

/// The pairs in the last section of a page.
fn pairs(page: &str) -> Vec<&str> {
    let (_, pairs) = page.split_once("<div id=\"pairs\">").expect("pairs");
    let ends = pairs.split("<article").skip(1);
    ends.map(|pair| pair.split_once("</article>").expect("its end").0)
        .collect()
}

/// A pair of long texts is shown where they differ, also after the first 1,000 characters.
#[test]
fn differences_at_the_end_of_long_texts_are_shown() {
    let scratch = Scratch::new();
    let mut rows = String::new();
    for topic in ["harbour", "station"] {
        for year in [1901, 1907] {
            let words: String = (0..600).map(|n| format!("{topic}{n} ")).collect();
            let text = format!("{words}The {topic} of Tamar was opened to trains in {year}.");
            let row = serde_json::json!({"id": format!("{topic} {year}"), "text": text});
            rows.push_str(&format!("{row}\n"));
        }
    }
    scratch.write("rows.jsonl", rows);
    scratch.succeed(&["dedup", "rows.jsonl", "-o", "out", "--quiet"]);
    let page = page(&scratch, "out");
    assert_well_formed(&page);
    let pairs = pairs(&page);
    assert_eq!(pairs.len(), 2);
    let listed = scratch.job_rows("out", "SELECT class, differs FROM removed");
    assert_eq!(listed.len(), 2);
    for (pair, listed) in pairs.into_iter().zip(listed) {
        for part in [
            "<del>1901.</del>",
            "<ins>1907.</ins>",
            "of Tamar was opened",
            "class=\"cut\">…</span>",
        ] {
            assert!(pair.contains(part), "{part}: {pair}");
        }
        assert!(!pair.contains("harbour0 ") && pair.len() < 2000, "{pair}");
        // The facts are those of the audit.
        let head = pair.split_once("class=\"sides\"").expect("a head").0;
        let facts = listed["differs"].as_str().expect("facts");
        assert!(
            head.contains("factual drift") && head.contains(facts),
            "{head}"
        );
    }
}

/// The least similar rows are those of all removed rows, and not of a sample.
#[test]
fn the_least_similar_rows_of_all_are_shown() {
    let scratch = Scratch::new();
    scratch.generate("16000", "rows.parquet");
    scratch.succeed(&[
        "dedup",
        "rows.parquet",
        "-o",
        "out",
        "--threshold",
        "0.5",
        "--quiet",
    ]);
    let removed = scratch.job_number("out", "SELECT count(*) FROM removed");
    assert!(removed > 2500, "{removed}");
    let page = page(&scratch, "out");
    let shown: Vec<(String, String)> = pairs(&page)
        .into_iter()
        .map(|pair| {
            let part = |before: &str, after: &str| {
                let rest = pair.split_once(before).expect("a part").1;
                rest.split_once(after).expect("its end").0.to_owned()
            };
            let own = part("class=\"who\">removed ", "</p>");
            let own = own.split(',').next().expect("an id").to_owned();
            (part("data-kind=\"", "\""), own)
        })
        .collect();
    // Those that state another fact come first, identical ones last.
    let order = [
        "factual_drift",
        "template",
        "copy_edit",
        "reference",
        "other",
        "not_similar",
        "identical",
    ];
    let mut expected = vec![];
    for class in order {
        let sql = format!(
            "SELECT CAST(id AS VARCHAR) AS name FROM removed WHERE class = '{class}' ORDER BY similarity, id LIMIT 40"
        );
        let rows = scratch.job_rows("out", &sql);
        let ids = rows
            .iter()
            .map(|row| row["name"].as_str().expect("an id").to_owned());
        expected.extend(ids.map(|id| (class.to_owned(), id)));
    }
    let kinds = |rows: &[(String, String)]| {
        let mut kinds: Vec<String> = rows.iter().map(|(kind, _)| kind.clone()).collect();
        kinds.dedup();
        kinds
    };
    assert!(kinds(&expected).len() >= 4);
    assert_eq!(kinds(&shown), kinds(&expected));
    let sorted = |mut rows: Vec<(String, String)>| {
        rows.sort();
        rows
    };
    let number = shown.len();
    assert_eq!(sorted(shown), sorted(expected));
    let stated = format!(
        "of all {},{:03} removed rows the 40 least similar ones of each kind",
        removed / 1000,
        removed % 1000
    );
    assert!(
        page.contains(&stated) && page.contains(&format!("; {number} pairs")),
        "{stated}"
    );
}

/// Words with equal normal forms are not marked as different, unless the job compares texts unchanged.
#[test]
fn words_are_compared_as_the_job_compares_them() {
    let scratch = Scratch::new();
    let text = "The Tamar Bridge was opened to trains by the mayor in the year";
    scratch.write(
        "rows.csv",
        format!("id,text\n1,{text} 1901\n2,{} 1907\n", text.to_uppercase()),
    );
    let job = ["dedup", "rows.csv", "--quiet", "--threshold", "0.5", "-o"];
    scratch.succeed(&[&job[..], &["normal"]].concat());
    let normal = page(&scratch, "normal");
    let shown = pairs(&normal)[0];
    assert!(
        shown.contains("THE YEAR <ins>1907</ins>") && shown.contains("the year <del>1901</del>"),
        "{shown}"
    );
    assert_eq!(shown.matches("<ins>").count(), 1);
    for arguments in [["show", "normal"].as_slice(), &["why", "2", "normal"]] {
        let said = scratch.succeed(arguments).out;
        assert!(
            said.contains("TO TRAINS BY THE MAYOR IN THE YEAR [-1901-]{+1907+}"),
            "{said}"
        );
    }
    let exact = ["--no-normalize", "--shingle", "char:1"];
    let job = ["dedup", "rows.csv", "--quiet", "--threshold", "0.1", "-o"];
    scratch.succeed(&[&job[..], &["exact"], &exact].concat());
    let said = scratch.succeed(&["show", "exact"]).out;
    assert!(said.contains("[-The-]{+THE+} [-Tamar-]{+TAMAR+}"), "{said}");
    assert!(pairs(&page(&scratch, "exact"))[0].contains("<ins>THE</ins> <ins>TAMAR</ins>"));
}

#[test]
fn jobs_without_clusters_texts_or_an_audit() {
    let scratch = Scratch::new();
    scratch.fail(&["report", "nowhere"], &["nowhere", "there is no job here"]);
    scratch.write("rows.csv", "id,text\n1,a\n2,b\n");
    scratch.succeed(&["dedup", "rows.csv", "-o", "out", "--quiet"]);
    let none = page(&scratch, "out");
    assert_well_formed(&none);
    assert!(
        none.contains("No near-duplicates were found.") && none.contains("No row was removed.")
    );
    scratch.write(
        "vectors.jsonl",
        "{\"id\": \"a\", \"vector\": [1.0, 2.0]}\n{\"id\": \"b\", \"vector\": [1.0, 2.0]}\n",
    );
    scratch.succeed(&[
        "dedup",
        "vectors.jsonl",
        "-o",
        "vectors",
        "--method",
        "projection",
        "--quiet",
    ]);
    let vectors = page(&scratch, "vectors");
    assert_well_formed(&vectors);
    assert!(vectors.contains("No removed row has a text") && vectors.contains("removed b"));
    let dump = crate::scratch::sample("samplewiki-pages-articles.xml");
    scratch.succeed(&[
        "ingest",
        dump.to_str().expect("a path"),
        "-o",
        "pages",
        "--quiet",
    ]);
    scratch.fail(&["report", "pages"], &["pages", "no clusters"]);
}

/// A browser on this machine that runs without a screen.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|directory| names.map(|name| directory.join(name)))
        .find(|file| file.is_file())
}

#[test]
fn a_browser_opens_the_page() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium in PATH");
        return;
    };
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    page(&scratch, "neardup-out");
    let address = format!(
        "file://{}",
        scratch.path("neardup-out/report.html").display()
    );
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            &address,
        ])
        .env("HOME", scratch.path(""))
        .output()
        .expect("the browser runs");
    let dom = String::from_utf8_lossy(&output.stdout);
    assert!(
        dom.contains("data-ready=\"true\""),
        "the script did not run: {dom}"
    );
    assert!(dom.contains("pairs are shown."), "{dom}");
    assert!(
        !dom.contains("<form id=\"filter\" hidden"),
        "the filter is hidden"
    );
}

/// The page of a job by MinHash has the recall that a comparison with the exact join gives.
#[test]
fn the_measured_recall_is_that_of_a_full_exact_join() {
    let scratch = Scratch::new();
    scratch.generate("900", "rows.parquet");
    let job = [
        "dedup",
        "rows.parquet",
        "--threshold",
        "0.5",
        "--quiet",
        "-o",
    ];
    let minhash = ["--method", "minhash", "--target-recall", "0.5"];
    scratch.succeed(&[&job[..], &["minhash"], &minhash].concat());
    scratch.succeed(&[&job[..], &["exact", "--method", "exact"]].concat());
    // There are fewer texts than a sample has, so that all of them are in it.
    let of = |job: &str| -> i64 {
        let sql = format!(
            "SELECT count(*) AS n FROM '{job}/pairs.parquet' AS p \
             JOIN (SELECT min(id) AS id FROM 'rows.parquet' GROUP BY normalize_text(text)) AS a ON p.id_a = a.id \
             JOIN (SELECT min(id) AS id FROM 'rows.parquet' GROUP BY normalize_text(text)) AS b ON p.id_b = b.id"
        );
        scratch.rows(&sql)[0]["n"].as_i64().expect("a count")
    };
    let (found, all) = (of("minhash"), of("exact"));
    assert!(0 < found && found < all, "{found} of {all}");
    let text = page(&scratch, "minhash");
    assert_well_formed(&text);
    let stated = format!("{found} of the {all} pairs of a sample of ");
    assert!(text.contains(&stated), "{stated}");
    assert!(
        text.contains("class=\"expected\"")
            && text.contains(&format!("{:.3} (", found as f64 / all as f64))
    );
    let exact = page(&scratch, "exact");
    assert!(exact.contains("Every pair was found") && !exact.contains("class=\"expected\""));
}

/// A sample of 1,000 texts would give a wide interval for a large job.
#[test]
fn recall_is_measured_on_more_than_a_thousand_texts() {
    let scratch = Scratch::new();
    scratch.generate("4000", "rows.parquet");
    scratch.succeed(&[
        "dedup",
        "rows.parquet",
        "-o",
        "out",
        "--method",
        "minhash",
        "--quiet",
    ]);
    let texts = &scratch
        .rows("SELECT count(DISTINCT normalize_text(text)) AS n FROM 'rows.parquet'")[0]["n"];
    let texts = texts.as_i64().expect("a count");
    assert!(texts > 2000, "{texts}");
    let stated = format!("a sample of {},{:03} texts", texts / 1000, texts % 1000);
    let page = page(&scratch, "out");
    assert!(page.contains(&stated), "{stated}");
}

#[test]
fn a_job_writes_its_report() {
    let scratch = Scratch::new();
    let said = scratch.succeed(&["dedup", "--report"]).out;
    assert!(
        said.contains("the report: ") && said.contains("neardup-out/report.html"),
        "{said}"
    );
    let written = scratch.read("neardup-out/report.html");
    assert_well_formed(&String::from_utf8(written.clone()).expect("UTF-8"));
    assert_eq!(page(&scratch, "neardup-out").into_bytes(), written);
    scratch.write("rows.csv", "id,text\n1,a\n");
    scratch.fail(
        &["dedup", "rows.csv", "--report", "--edit", "lines"],
        &["--report", "--edit"],
    );
}
