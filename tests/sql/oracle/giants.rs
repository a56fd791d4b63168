//! A template of many variants: edges grow with the rows, not with their pairs.

use super::clusters::{check, rows};
use super::corpus::{count, register, session};
use super::naive;
use libtest_mimic::{Failed, Trial};

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::template of 20000 variants", || {
            crate::run(template())
        }),
        Trial::test("oracle::template of 5000 identical texts", || {
            crate::run(identical())
        }),
        Trial::test("oracle::template of 3000 variants in small buckets", || {
            crate::run(small_buckets())
        }),
    ]
}

/// Variants of one sentence, each with its own number and name: any two have a similarity of at
/// least 0.8 on three words.
fn variants(rows: usize) -> Vec<String> {
    let place = |number: usize| {
        let letters = "bcdfghklmnprstvw".as_bytes();
        let mut name = String::new();
        for digit in [
            number >> 12 & 15,
            number >> 8 & 15,
            number >> 4 & 15,
            number & 15,
        ] {
            name.push(letters[digit] as char);
            name.push('a');
        }
        name
    };
    (0..rows)
        .map(|row| {
            format!(
                "{} is a village in the administrative district of the northern province close to the border, \
                 it lies about halfway between the old market town and the sea on the road that leads to the lake, \
                 and at the last census its population was counted together with that of the neighbouring hamlets",
                place(row)
            )
        })
        .collect()
}

async fn template() -> Result<(), Failed> {
    let texts = variants(20_000);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for join in ["jaccard_join", "minhash_join"] {
        let query = format!("SELECT count(*) FROM {join}(docs, copies => 'linked')");
        let edges = count(&context, &query).await?;
        if !(19_999..400_000).contains(&edges) {
            return Err(format!("{query}: {edges} edges for 20000 rows").into());
        }
    }
    let query = "SELECT count(*) FROM near_duplicates(docs) WHERE kept";
    let kept = count(&context, query).await?;
    match kept {
        1 => Ok(()),
        _ => Err(format!("{query}: {kept} rows").into()),
    }
}

async fn identical() -> Result<(), Failed> {
    let texts = vec![variants(1)[0].clone(); 5_000];
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for join in ["jaccard_join", "minhash_join"] {
        let query = format!("SELECT count(*) FROM {join}(docs, copies => 'linked')");
        let edges = count(&context, &query).await?;
        if edges != 4_999 {
            return Err(format!("{query}: {edges} edges for 5000 copies").into());
        }
    }
    Ok(())
}

/// Buckets beyond the limit lose pairs, never the guarantee: what is removed has a similar kept row.
async fn small_buckets() -> Result<(), Failed> {
    let texts = variants(3_000);
    let sets = naive::sets(&texts, "word:3");
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for method in ["exact", "minhash"] {
        let call = format!("near_duplicates(docs, method => '{method}', bucket_pairs => 100)");
        let found = rows(&context, &call).await?;
        check(&call, &found, &sets, 0.8)?;
        let kept = found.values().filter(|row| row.kept).count();
        if kept > 10 {
            return Err(format!("{call}: {kept} of 3000 rows kept").into());
        }
    }
    Ok(())
}
