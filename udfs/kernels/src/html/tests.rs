use std::fmt::Write;
use std::time::{Duration, Instant};

use super::html_text_into;
use crate::random_texts::RandomTexts;

fn all(html: &str) -> String {
    let mut out = String::new();
    html_text_into(html, false, &mut out);
    out
}

fn main(html: &str) -> String {
    let mut out = String::new();
    html_text_into(html, true, &mut out);
    out
}

#[test]
fn blocks_are_lines_and_paragraphs() {
    let page = "<h1>One</h1><p>Two\n  <b>three</b>, f<i>ou</i>r.<p>Five<br>six<br/><br>seven<ul><li>a<li>b</ul>end
        <div>x<div>y</div></div>z<hr>last";
    assert_eq!(
        all(page),
        "One\n\nTwo three, four.\n\nFive\nsix\n\nseven\n\na\nb\n\nend\nx\ny\nz\n\nlast"
    );
    assert_eq!(
        all(
            "<table><caption>C</caption><tr><th>a<th>b<tr><td>1</td> <td></td><td> 2 </td></tr></table>"
        ),
        "C\na\tb\n1\t2"
    );
    assert_eq!(all(" plain \t text\r\n"), "plain text");
    assert_eq!(all("<p> </p><div></div>"), "");
}

#[test]
fn references_are_decoded() {
    assert_eq!(
        all("&lt;p&gt; &amp;amp; &Eacute;t&#233; &#x4e2d; &copy 5 &nope; &nbsp;|"),
        "<p> &amp; Été 中 © 5 &nope; \u{a0}|"
    );
    assert_eq!(all("&#0;&#xD800;&#99999999;"), "\u{fffd}\u{fffd}\u{fffd}");
}

#[test]
fn what_is_not_read() {
    assert_eq!(
        all(
            "<title>t</title>a<script>if (a < b) { '<p>x</p>' }</script><style>b { }</style>\
            <template><p>x<template>y</template>z</template><noscript><p>x</noscript>\
            <svg><title>t</title><path/></svg><svg/><textarea>x</textarea><!-- x --><![CDATA[x]]>b"
        ),
        "ab"
    );
    // What is never closed extends to the end of the page.
    assert_eq!(all("a<script>b"), "a");
    assert_eq!(all("a<!-- b"), "a");
    assert_eq!(all("a<p title='b"), "a");
}

#[test]
fn preformatted_text_is_kept() {
    assert_eq!(
        all("a <pre>\n  one\n\n    <b>two</b>  x\n</pre> b"),
        "a\n\n  one\n\n    two  x\n\nb"
    );
    assert_eq!(all("a<pre>\n\n \n</pre>b"), "a\n\nb");
    assert_eq!(all("<xmp> <p>\n x</xmp>"), " <p>\n x");
}

const PROSE: &str = "The Ouse is a river that flows through York, a city in the north of England, before it joins the \
    Trent and becomes the Humber.";

#[test]
fn containers_of_other_content() {
    for (before, after) in [
        ("<nav>", "</nav>"),
        ("<aside>", "</aside>"),
        ("<footer>", "</footer>"),
        ("<header>", "</header>"),
        ("<div role=navigation>", "</div>"),
        ("<div><div role=' Banner '><div>", "</div></div>"),
        ("<select><option>", "</select>"),
        ("<p><button>", "</button></p>"),
    ] {
        let page = format!("{before}{PROSE} In a menu.{after}<p>{PROSE}");
        assert_eq!(main(&page), PROSE, "{before}");
        assert!(all(&page).contains("In a menu."), "{before}");
    }
    // A header in the main content is part of it, and what the page calls its main content is all there is.
    let page =
        format!("<p>{PROSE}<main><header>By A. B.</header><p>{PROSE}<ul><li>one</ul></main>");
    assert_eq!(main(&page), format!("By A. B.\n\n{PROSE}\n\none"));
    // Unless it has hardly any text.
    let page = format!("<article>{PROSE}</article><p>{PROSE}<p>{PROSE}");
    assert_eq!(main(&page), [PROSE; 3].join("\n\n"));
}

#[test]
fn lists_of_links() {
    let links = "<ul><li><a href=1>One thing that was written about it</a><li><a href=2>And another one</a></ul>";
    let page = format!("{links}<h2>Ouse</h2><p>{PROSE} <a href=3>More</a>.</p>{links}<p>Imprint");
    assert_eq!(main(&page), format!("Ouse\n\n{PROSE} More."));
    // Words beside a button stay words.
    assert_eq!(
        main(&format!("<p>{PROSE}<button>x</button>{PROSE}")),
        format!("{PROSE} {PROSE}")
    );
    // Names of places are not links.
    assert_eq!(main(&format!("<a name=x>{PROSE}</a>")), PROSE);
    assert_eq!(main(links), "");
}

#[test]
fn texts_without_tags_stay() {
    let mut texts = RandomTexts::new(3);
    for _ in 0..2_000 {
        let text = texts.special_characters(40).replace(['<', '&', '\0'], " ");
        let words: Vec<&str> = text
            .split(|c: char| c.is_ascii_whitespace())
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(all(&text), words.join(" "));
    }
}

/// Pages that are deep, or that open elements which a tree would open again in each paragraph.
#[test]
fn hostile_pages_take_linear_time() {
    const COUNT: usize = 100_000;
    let mut attributes = "<p".to_owned();
    let mut formats = String::new();
    for number in 0..COUNT {
        write!(attributes, " a{number}=1").unwrap();
        write!(formats, "<font color={number}>").unwrap();
    }
    let repeated =
        |pieces: &[&str]| -> String { pieces.iter().map(|piece| piece.repeat(COUNT)).collect() };
    let pages = [
        attributes,
        formats + &"<p>x</p>".repeat(COUNT),
        repeated(&["<div>", "x", "</div>"]),
        repeated(&["<div>", "x</span></p>"]),
        repeated(&["<div><nav>x</b>", "</nav>"]),
        repeated(&["<template>", "x", "</template>"]),
        repeated(&["<a href=x><b><p>"]),
        repeated(&["<table><tr><td>x"]),
        repeated(&["<pre>\n\n", "</pre>x"]),
        repeated(&["<script><!--<script>"]),
        repeated(&["<", "&", "&#", "<!--", "<a "]),
    ];
    for page in pages {
        let begun = Instant::now();
        let (all, main) = (all(&page), main(&page));
        assert!(all.len() <= 2 * page.len() && main.len() <= all.len());
        // Most take a twentieth of a second without optimisation.
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(10), "{took:?}: {}", &page[..40]);
    }
}
