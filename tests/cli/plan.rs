//! `neardup plan`: what a job takes, extrapolated from measured jobs.

use crate::scratch::Scratch;
use serde_json::Value;

const PLAN: [&str; 5] = ["plan", "--rows", "20000000", "--bytes", "3G"];

/// The plan of each method, of a job with further options.
#[track_caller]
fn methods(scratch: &Scratch, more: &[&str]) -> Vec<Value> {
    let plan = scratch.job(&[&PLAN[..], more].concat());
    plan["methods"].as_array().expect("methods").clone()
}

fn number(plan: &Value, name: &str) -> f64 {
    plan[name]
        .as_f64()
        .unwrap_or_else(|| panic!("{name}: {plan}"))
}

#[test]
fn both_methods_are_planned_unless_one_is_chosen() {
    let scratch = Scratch::new();
    let names = |more: &[&str]| {
        let plans = methods(&scratch, more);
        let names = plans.iter().map(|plan| plan["method"].to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[]), "\"minhash\" \"exact\"");
    for method in ["minhash", "exact"] {
        assert_eq!(names(&["--method", method]), format!("\"{method}\""));
    }
    // Nothing is read or written.
    let files = std::fs::read_dir(scratch.path("")).expect("a directory");
    assert_eq!(files.count(), 0);
}

#[test]
fn machines_cores_and_memory_change_what_it_takes() {
    let scratch = Scratch::new();
    let plan_of = |cores: &str, more: &[&str]| {
        let mut all = vec!["--method", "minhash", "--cores", cores];
        all.extend(more);
        methods(&scratch, &all).remove(0)
    };
    let plan = |more: &[&str]| plan_of("4", more);
    let usual = plan(&[]);
    assert_eq!(
        (
            &usual["fits"],
            &usual["spilled_bytes"],
            &usual["bytes_between_stages"]
        ),
        (&true.into(), &0.into(), &0.into())
    );
    assert!(number(&plan_of("16", &[]), "hours") < number(&usual, "hours"));

    let spilling = plan(&["--memory", "10G"]);
    assert!(number(&spilling, "spilled_bytes") > 0.0, "{spilling}");
    assert!(number(&spilling, "hours") >= number(&usual, "hours"));
    assert_eq!(spilling["fits"], true);

    let cluster = plan(&["--machines", "4"]);
    assert!(
        number(&cluster, "bytes_between_stages") > number(&usual, "written_bytes"),
        "{cluster}"
    );
    let more = plan(&["--machines", "8"]);
    assert!(number(&more, "hours") < number(&cluster, "hours"));

    let words = number(&usual, "cpu_hours");
    let characters = number(&plan(&["--shingle", "char:5"]), "cpu_hours");
    assert!(characters > words, "{characters}, {words}");
}

#[test]
fn the_figures_are_a_table_and_what_they_rest_on() {
    let scratch = Scratch::new();
    let plan = |more: &[&str]| {
        let all = [&PLAN[..], &["--cores", "4"], more].concat();
        scratch.succeed(&all).out
    };
    let shown = plan(&["--memory", "300M"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[0],
        "20000000 rows, 3.0G of text, word:3; 1 machine of 4 cores and 300M"
    );
    for (line, begin) in lines[2..].iter().zip([
        "       ",
        "hours  ",
        "CPU hours  ",
        "memory to spill nothing  ",
        "least memory  ",
        "disk for the files of steps and results  ",
        "disk for spilled rows  ",
        "",
        "- Extrapolated from jobs with 1000000 sentences",
        "- The costs of word:3 are measured",
    ]) {
        assert!(line.starts_with(begin), "'{begin}': {shown}");
    }
    for said in [
        "- Not modelled: ",
        "- With 300M of memory minhash ends with an error: it needs at least ",
        "- With 300M of memory exact ends with an error: it needs at least ",
    ] {
        assert!(shown.contains(said), "'{said}': {shown}");
    }
    assert!(!shown.contains("executor"), "{shown}");

    let cluster = plan(&["--machines", "3", "--shingle", "space:4"]);
    for said in [
        "word:5, which are measured",
        "least memory of each machine  ",
        "disk of all machines for rows between stages  ",
        "extrapolated from 2 executors on one machine",
        "the job --threads 16.",
    ] {
        assert!(cluster.contains(said), "'{said}': {cluster}");
    }
    let quiet = plan(&["--quiet"]);
    assert!(!quiet.contains("Extrapolated") && quiet.lines().count() == 9);
}

#[test]
fn errors_name_the_option_the_rule_and_the_value() {
    let scratch = Scratch::new();
    for (arguments, said) in [
        (
            &["--rows", "0", "--bytes", "1M"][..],
            &["--rows", "0 is not in 1.."][..],
        ),
        (
            &["--rows", "many", "--bytes", "1M"],
            &["--rows", "many", "must be a whole number"],
        ),
        (&["--rows", "5"], &["--bytes"]),
        (
            &["--rows", "5", "--bytes", "4"],
            &["--bytes", "'4' is 4 bytes, less than 1M"],
        ),
        (
            &["--rows", "2000000", "--bytes", "1M"],
            &["--bytes 1048576 must be at least the number of --rows, 2000000"],
        ),
        (
            &["--rows", "5", "--bytes", "1M", "--method", "auto"],
            &["--method must be one of minhash, exact, found auto"],
        ),
        (
            &["--rows", "5", "--bytes", "1M", "--shingle", "line:3"],
            &["--shingle", "'line:3' must start with 'char:'"],
        ),
        (
            &["--rows", "5", "--bytes", "1M", "--machines", "0"],
            &["--machines", "0 is not in 1.."],
        ),
        (
            &["--rows", "5", "--bytes", "1M", "--cores", "0"],
            &["--cores", "0 is not in 1.."],
        ),
        (
            &["--rows", "5", "--bytes", "1M", "--memory", "much"],
            &["--memory", "'much' is not a size"],
        ),
        (
            &["--rows", "5", "--bytes", "1M", "--memory-limit", "4G"],
            &["--memory-limit: a plan runs no job; --memory is the memory of a machine"],
        ),
    ] {
        scratch.fail(&[&["plan"], arguments].concat(), said);
    }
}
