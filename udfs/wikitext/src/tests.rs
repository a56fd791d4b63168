use super::*;

/// Cleans as a page of the English wiki.
fn en(wikitext: &str) -> String {
    to_plain(wikitext, Some("en"))
}

#[track_caller]
fn check(wikitext: &str, expected: &str) {
    assert_eq!(en(wikitext), expected, "{wikitext}");
}

#[test]
fn blocks() {
    check("A.\n\nB.", "A.\nB.");
    check("A,\nand B.", "A, and B.");
    check("== H ==\nA.", "H\nA.");
    check("A.\n===H===\nB.", "A.\nH\nB.");
    check("A.\n* one\n* two\n** three\nB.", "A.\none\ntwo\nthree\nB.");
    check("# one\n# two", "one\ntwo");
    check(": indented\nnot", "indented\nnot");
    check("; term : meaning\n: more", "term\nmeaning\nmore");
    check("A.\n----\nB.", "A.\nB.");
    check("A.\n{|\n| cell\n|}\nB.", "A.\nB.");
    check("A.<br />B.<br>C.", "A.\nB.\nC.");
    check("A.\n[[File:x.jpg|thumb|c]]\nB.", "A.\nB.");
    check("A.\n<!-- note -->\nB.", "A. B.");
    check("A.\n\n<!-- note -->\n\nB.", "A.\nB.");
    check(
        "<!-- note -->\n* item\n<!-- a --><!-- b -->\n* item",
        "item\nitem",
    );
    check(" pre one\n pre two\nA.", "pre one\npre two\nA.");
    check("\n\n  \nA.\n\n\n", "A.");
}

#[test]
fn headings_are_whole_lines() {
    check("x = y == z", "x = y == z");
    check("x = y\n== H == <!-- c -->\nA", "x = y\nH\nA");
    check("= y == z", "= y == z");
    check("== [[a|B]] ''c'' ==\nA", "B c\nA");
    check("=====H=====\nA", "H\nA");
    check("== a = b ==\nA", "a = b\nA");
    check("==\n===\nA", "== === A");
}

#[test]
fn sections_that_close_a_page() {
    check("A.\n==References==\n* r\n== External links ==\n* l", "A.");
    check(
        "A.\n==See also==\n* [[B]]\n==History==\nC.",
        "A.\nHistory\nC.",
    );
    check("A.\n== Notes ==\nn\n=== Sub ===\ns\n== D ==\nd", "A.\nD\nd");
    check(
        "== P ==\np\n=== See also ===\ns\n=== Q ===\nq",
        "P\np\nQ\nq",
    );
    check("A.\n==''Further Reading:''==\nx", "A.");
    assert_eq!(to_plain("A.\n== Weblinks ==\nx", Some("de")), "A.");
    assert_eq!(
        to_plain("A.\n== Siehe auch ==\nx\n== B ==\ny", Some("de")),
        "A.\nB\ny"
    );
    assert_eq!(to_plain("A.\n== 参考文献 ==\nx", Some("ja")), "A.");
    assert_eq!(to_plain("A.\n== Примечания ==\nx", None), "A.");
    check("A.\n== Weblinks ==\nx", "A.");
    assert_eq!(to_plain("A.\n== Note ==\nx", Some("en")), "A.\nNote\nx");
}

#[test]
fn links() {
    check("[[a]] [[a|b]] [[a b|c d]]s", "a b c ds");
    check(
        "[[Boston, MA|]] [[Pipe (computing)|]] [[Help:Pipe|]]",
        "Boston Pipe Pipe",
    );
    check("[[:Category:X]] and [[:File:x.jpg|f]]", "Category:X and f");
    check("A [[Category:X]][[de:A]][[zh-min-nan:A]] B", "A B");
    check("[[wikt:word|word]] [[s:Text|text]]", "word text");
    check("[[2001: A Space Odyssey]]", "2001: A Space Odyssey");
    check(
        "[[File:a.jpg|thumb|A [[b|c]] and {{d}} [http://x y]]] A.",
        "A.",
    );
    check(
        "[[Fichier:a.jpg|c]][[Bild:a.jpg|c]][[ファイル:a.jpg|c]] A.",
        "A.",
    );
    check("[[Xyzzy:a.PNG|unknown namespace]] A.", "A.");
    check(
        "[http://x.org label] [http://x.org] [//y.org ''z'']",
        "label z",
    );
    check("A ([http://x.org  b], [http://x.org]) c", "A (b) c");
    check("[sic] [1]", "[sic] [1]");
    check("[[http://x.org a label]]", "a label");
    check("See http://x.org/a_b now.", "See http://x.org/a_b now.");
    check("[[a|b ''c'' {{nowrap|d}}]]", "b c d");
}

#[test]
fn templates_leave_their_words() {
    check("{{convert|5|km|mi}} long", "5 km long");
    check("{{convert|5|-|10|km|mi|abbr=on}}", "5–10 km");
    check("{{convert|5|to|10|km|mi}}", "5 to 10 km");
    check(
        "{{convert|6|ft|2|in|m}} {{Convert|1,000|sqmi}}",
        "6 ft 2 in 1,000 sqmi",
    );
    check("{{cvt|3|x|4|m}}", "3 × 4 m");
    check("{{convert|abbr=on|5|km}}", "5 km");
    check("{{formatnum:1234567}} {{formatnum: 12|R}}", "1234567 12");
    check(
        "{{lang|fr|texte}} {{lang-de|Wort}} {{Lang|2=mot|1=fr}}",
        "texte Wort mot",
    );
    check("A.{{quote|Q [[a|b]].|Author}}B.", "A.\nQ b.\nB.");
    check("{{cquote|text=Q.|author=A}}", "Q.");
    check("{{Blockquote\n|text=Q\n|author=A\n}}\nB", "Q\nB");
    check("{{nowrap|5 km}} {{nobr| 6 km }} {{small|x}}", "5 km 6 km x");
    check("{{abbr|km|kilometre}} {{sic|teh}}", "km teh");
    check(
        "{{val|1.5|0.1|e=6|u=km}} {{val|3|ul=m}}",
        "1.5±0.1×10^6 km 3 m",
    );
    check("{{frac|1|2}} {{frac|3|1|2}} {{frac|4}}", "1/2 3 1/2 1/4");
    check("{{birth date|1961|8|4}}", "August 4, 1961");
    check("{{birth date and age|df=yes|1961|08|04}}", "4 August 1961");
    check(
        "{{circa|1500}} {{As of|2010|4}}",
        "c. 1500 As of April 2010",
    );
    check(
        "{{nihongo|Tea|茶|cha}} {{transl|ar|DIN|sayf}}",
        "Tea (茶, cha) sayf",
    );
    check("a{{ndash}}b{{nbsp}}c", "a–b c");
    check(
        "A{{sfn|B|2000}}{{efn|x}}{{cite web|url=x}}{{citation needed}}.",
        "A.",
    );
    check("{{hlist|a|b|c}}", "a, b, c");
    check("{{US$|5}} million", "US$5 million");
    check(
        "{{Infobox x\n| a = {{convert|5|km}}\n| b = [[c]]\n}}\nA.",
        "A.",
    );
    check(
        "{{small|{{nowrap|{{lang|fr|a {{convert|5|km}}}}}}}}",
        "a 5 km",
    );
    check("x {{nowrap|a=b}} y", "x y");
    check("{{#if: a | b }}{{DEFAULTSORT:x}}A{{{1|}}}", "A");
    assert_eq!(
        to_plain("{{unité|5|km|2}} {{s-|XIX|e}}", Some("fr")),
        "5 km2 XIXe siècle"
    );
    assert_eq!(
        to_plain("{{date|4|août|1961}} {{XIXe siècle}}", Some("fr")),
        "4 août 1961 XIXe siècle"
    );
    assert_eq!(
        to_plain("{{date de naissance|4|août|1961}}", Some("fr")),
        "4 août 1961"
    );
    assert_eq!(
        to_plain("{{w|Titre|mot}} {{citation|Q}}", Some("fr")),
        "mot\nQ"
    );
    assert_eq!(to_plain("{{нп5|Имя|слово|en|Name}}", Some("ru")), "слово");
}

#[test]
fn brackets_that_are_emptied_go() {
    check("Foo ({{IPA|x}}) is", "Foo is");
    check("Foo ({{IPA|x}}, {{lang-xx}}) is", "Foo is");
    check("Foo ({{x}} – {{y}}), a", "Foo, a");
    check("Foo ([{{x}}]).", "Foo.");
    check("({{x}}) Foo", "Foo");
    check("Foo “{{x}}” is", "Foo is");
    check("Foo (''{{lang|ja|}}'', [http://x.org]) is", "Foo is");
    check("Foo ({{small|({{x}})}}) is", "Foo is");
    assert_eq!(
        to_plain("東京（{{lang|en|}}、{{x}}）は。", Some("ja")),
        "東京は。"
    );
}

#[test]
fn separators_beside_what_is_left_out_go() {
    check("Foo ({{IPA|x}}; born 1809) is", "Foo (born 1809) is");
    check("Foo ({{x}}, {{y}}; {{z}} 1809) is", "Foo (1809) is");
    check("Foo (born 1809, {{x}}) is", "Foo (born 1809) is");
    check("Foo (IPA: {{IPA|x}}) is", "Foo (IPA) is");
    check("With {{x}}, then {{y}}.", "With, then.");
    check("A, {{x}}, {{y}}, B; {{z}}, C, {{x}}; D.", "A, B; C; D.");
    check("A, {{x}}. B. {{citation needed}}. C", "A. B. C");
    check("A (B {{x}} , C <!-- n -->).", "A (B, C).");
    check("A <ref>b</ref>, B<ref name=b />.", "A, B.");
    check("A [[File:x.svg|20px]], B [http://x.org].", "A, B.");
    check(
        "A\n.<ref>b</ref> B ,<ref>c</ref> C . . .<ref>d</ref>",
        "A. B, C . . .",
    );
    check("{{x}}, B\n* {{y}}. C\n* {{z}}.\n* D", "B\nC\nD");
    assert_eq!(
        to_plain("Foo（{{x}}、1900年）は{{x}}、バー", Some("ja")),
        "Foo（1900年）は、バー"
    );
    assert_eq!(
        to_plain("عمر ({{x}}، 1900) هو {{x}}، ثم", Some("ar")),
        "عمر (1900) هو، ثم"
    );
    assert_eq!(
        to_plain(
            "Un mot {{x}} : deux {{x}} ; « {{x}} trois {{x}} » !",
            Some("fr")
        ),
        "Un mot : deux ; « trois » !"
    );
}

#[test]
fn punctuation_of_the_page_stays() {
    for text in [
        "f ( ) and (; x) stay , so",
        "main() (a , ) .",
        "a ( , ) b :-)",
        "Use .NET , or ... now",
    ] {
        check(text, text);
        check(&format!("{text} {{{{x}}}} B."), &format!("{text} B."));
    }
    check("of {{x}} .NET and {{x}} ... 5", "of .NET and ... 5");
    check("(a){{x}} – 5 (1990–{{x}})", "(a) – 5 (1990–)");
    check("as {{x}}-based {{x}}'s", "as -based 's");
}

#[test]
fn formulas_leave_no_holes() {
    check(
        "If numbers have mean <math>X</math>, then <math>\\bar x = {{y}}</math>.",
        "If numbers have mean FORMULA, then FORMULA.",
    );
    check(
        "It is 2<math>x</math>y, <chem>H2O</chem>.",
        "It is 2 FORMULA y, FORMULA.",
    );
    check(
        "The <math>n</math>-th ({{tmath|n}}).",
        "The FORMULA-th (FORMULA).",
    );
    check(
        "{{math|''x''<sup>2</sup> {{=}} {{mvar|y}}}} is",
        "x2 = y is",
    );
    check(
        "By {{math|''x'' {{su|p=2}}}}, {{math|x=y}}",
        "By FORMULA, FORMULA",
    );
    check(
        "a {{nowrap|<math>x</math>}}, {{math|2{{sqrt|3}}}}",
        "a FORMULA, 2√3",
    );
    check("a <math></math>, b<math/>.", "a, b.");
    assert_eq!(
        to_plain("設<math>x</math>為整數。", Some("zh")),
        "設FORMULA為整數。"
    );
}

#[test]
fn formulas_as_text() {
    let plain = |wikitext| {
        let mut plain = String::new();
        to_blocks_into(
            wikitext,
            None,
            Formulas::Text,
            &mut plain,
            &mut String::new(),
        );
        plain
    };
    for (wikitext, expected) in [
        (
            "If the mean is <math display=\"inline\">\\bar x \\le 1</math>, then <MATH>x^2</MATH>.",
            "If the mean is x\u{304} ≤ 1, then x^2.",
        ),
        (
            "It is 2<math>x</math>y, <chem>H2O -> X</chem>, <ce>CO2</ce>.",
            "It is 2xy, H2O → X, CO2.",
        ),
        ("The <math>n</math>th.", "The nth."),
        (
            "a<math>\\foo</math>b <math>\\foo</math><math>x</math>",
            "a FORMULA b FORMULA x",
        ),
        (
            "<ce>A -&gt; B</ce> or <ce>A &lt;=>> B</ce>",
            "A → B or A ⇌ B",
        ),
        (
            "As <math>a<!-- b -->+c<!--d--></math>, {{tmath|e<!--f-->}} and <ce>H2<!--g-->O</ce>.",
            "As a + c, e and H2O.",
        ),
        (
            "<math>\\begin{matrix}a&amp;b&nbsp;c\\end{matrix}</math> is",
            "a bc is",
        ),
        (
            "The {{tmath|1=a{{=}}b}} and {{tmath|n}}-th.",
            "The a = b and n-th.",
        ),
        ("As <math>a &lt; b</math> holds.", "As a < b holds."),
        // What cannot be read is the word, and formulas in lines of their own are left out.
        (
            "So <math>\\unknowncommand</math> and <math>x = {{y}}</math>.\n:<math>y</math>\nwhere",
            "So FORMULA and x = y.\nwhere",
        ),
        ("So\n:<math>a</math>, <math>b + c</math>.\n\nB", "So\nB"),
        ("In (<math>n</math>) [<math>[x]</math>].", "In (n) [[x]]."),
    ] {
        assert_eq!(plain(wikitext), expected, "{wikitext}");
    }
}

#[test]
fn displayed_formulas_are_no_blocks() {
    check("So\n: <math>x</math>.\nwhere", "So\nwhere");
    check("So\n:<math>x</math>, <math>y</math>\n\nB", "So\nB");
    check("== <math>x</math> ==\nA", "A");
    check("<math>x</math> (1)\n\nB", "FORMULA (1)\nB");
}

#[test]
fn variants_of_a_language_are_one() {
    let zh = |wikitext| to_plain(wikitext, Some("zh"));
    assert_eq!(
        zh("十六个-{zh-hans:联邦州; zh-hant:邦}-之一"),
        "十六个联邦州之一"
    );
    assert_eq!(
        zh("联-{}-邦 [[-{zh:甲;zh-tw:乙}-]] -{H|zh-cn:丙;}-丁"),
        "联邦 甲 丁"
    );
    assert_eq!(
        zh("-{zh-hans:{{lang|en|A}}; zh-hant:[[b|B]]}- -{{{nowrap|C}}}-"),
        "A C"
    );
    assert_eq!(zh("-{a -{zh:b}- c}- x}- -{open"), "a b c x}- -{open");
    assert_eq!(to_plain("250-{m}- висока", Some("sr")), "250m висока");
    check("C-{x}- y", "C-{x}- y");
}

#[test]
fn references_and_tags() {
    check("A<ref>B [[c]] {{d}}</ref>.", "A.");
    check(
        "A<ref name=\"a/b\" /> B<ref name=x/> C<ref name='y'>n</ref>.",
        "A B C.",
    );
    check("A<ref name=\"a>b\" /> B.", "A B.");
    check("A<REF>b</Ref >.", "A.");
    check("<gallery>\nFile:x|y\n</gallery>B", "B");
    check(
        "<syntaxhighlight lang=\"c\">int {{ x;</syntaxhighlight>A",
        "A",
    );
    check("<timeline>\nx\n</timeline>\nA", "A");
    check(
        "x<sup>2</sup> <b>b</b> <span style=\"a>b\">c</span>",
        "x2 b c",
    );
    check("<div>A</div><p>B</p>", "A\nB");
    check("<table><tr><td>x</td></tr></table>A", "A");
    check("a < b > c <stdio.h> <3", "a < b > c <stdio.h> <3");
    check(
        "<nowiki>''a'' {{b}} [[c]] &amp;</nowiki> d",
        "''a'' {{b}} [[c]] & d",
    );
    check("<pre>a  b\nc</pre>D", "a b\nc\nD");
    check("A<!-- x\n\n== y == -->B", "AB");
    check("<noinclude>A</noinclude><includeonly>B</includeonly>", "A");
    check("<references><ref name=a>x</ref></references>A", "A");
    check("<blockquote>Q</blockquote>A", "Q\nA");
    check("<poem>\na\nb\n</poem>", "a b");
}

#[test]
fn characters() {
    check("''i'' '''b''' '''''bi''''' it's", "i b bi it's");
    check("''''x'''' l'''Italie''", "'x' l'Italie");
    check(
        "&amp;lt;b&amp;gt; &lt;i&gt; &#233;&#xE9; &bogus; &",
        "&lt;b&gt; <i> éé &bogus; &",
    );
    check("a&ndash;b&mdash;c", "a–b—c");
    check("__NOTOC____TOC__A __init__ B", "A __init__ B");
    check("a  b\t c", "a b c");
    check("a\r\nb\r\n\r\nc", "a b\nc");
    check("A | b = c", "A | b = c");
    check("#REDIRECT [[B]]", "");
    check("# A [[B]]", "A B");
    assert_eq!(to_plain("#WEITERLEITUNG [[B]]", Some("de")), "");
    assert_eq!(to_plain("#REDIRECCIÓN: [[B]]", None), "");
}

#[test]
fn what_is_left_open_is_bounded() {
    check("A {{x|y\n\nB.", "A\nB.");
    check("{{Infobox\n| a = b\n| c = d\nA.\n\nB.", "A.\nB.");
    check("A {{x\n== H ==\nB }} C", "A\nH\nB C");
    check("A [[b|c\n\nD ]] E", "A c\nD E");
    check("[[File:x.jpg|thumb|c\n\nA.", "A.");
    check("{|\n| a\n! b\nA.\n\nB.", "A.\nB.");
    check("{|\n| a\n== H ==\nB\n|}\nC", "H\nB\nC");
    check("A<ref>b c\nD<ref>e</ref>.", "A D.");
    check("A<ref>b\nC.", "A C.");
    check("A<ref>b<ref>c</ref> D.", "A D.");
    check("A<ref>b<ref>c\nD<ref>e</ref>.", "A D.");
    check("A<!-- b\nC.", "A C.");
    check("A <math>b\nC.", "A C.");
    check("A }} ]] |} b", "A |} b");
    check("|}\nA", "A");
    check("A <nowiki> b", "A b");
    check("A [http://x b\nC", "A b C");
    check("{{quote|A {{b}}\n\nC", "C");
    check("[[a|b {{c ]] d }} e", "b e");
    check("{{a|[[b|c}} d ]] e", "d e");
    check("<table><tr><td>a\n== H ==\nb", "a\nH\nb");
}

#[test]
fn pieces_append() {
    let mut plain = String::from("x");
    to_blocks_into(
        "\n\n* ''A''\n",
        None,
        Formulas::Placeholder,
        &mut plain,
        &mut String::new(),
    );
    assert_eq!(plain, "xA");
}

/// SplitMix64, for texts that are the same in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

const PARTS: &[&str] = &[
    "{{",
    "}}",
    "[[",
    "]]",
    "{|",
    "|}",
    "\n{|",
    "\n|}",
    "\n|-\n",
    "|",
    "=",
    "==",
    "\n== H ==\n",
    "\n",
    "\n\n",
    "\n* ",
    "\n;",
    ":",
    "''",
    "'''",
    "'",
    "<ref>",
    "</ref>",
    "<ref name=\"a/b\" />",
    "<!--",
    "-->",
    "<nowiki>",
    "</nowiki>",
    "<pre>",
    "</pre>",
    "<math>",
    "</math>",
    "<br>",
    "<table>",
    "</table>",
    "[http://x ",
    "]",
    "&amp;",
    "&#1234;",
    "&",
    "__NOTOC__",
    "__",
    "(",
    ")",
    ", ",
    ".",
    "{{x}}",
    "-{",
    "}-",
    "zh-tw:",
    "（",
    "）",
    "、",
    " ",
    "  ",
    "a",
    "B. ",
    "é",
    "漢",
    "{",
    "}",
    "[",
    "<",
    ">",
    "convert|5|km",
    "quote|text=",
    "lang|fr|",
    "hlist|a|",
    "transl|x|",
    "File:x.jpg|",
    "Category:",
    "birth date|1961|8|",
    "formatnum:1",
    "ubl|",
    "nowrap|",
    "\t",
    "\r\n",
    "\u{1F}",
    "\u{1E}",
    "\u{A0}",
    "#",
    "----",
];

#[test]
fn garbage_gives_clean_blocks() {
    let mut random = Random(3);
    for round in 0..20_000 {
        let length = random.below(40);
        let wikitext: String = (0..length)
            .map(|_| PARTS[random.below(PARTS.len())])
            .collect();
        let language = [None, Some("en"), Some("fr"), Some("zh")][round % 4];
        let plain = to_plain(&wikitext, language);
        assert!(
            !plain.contains(['\u{1F}', '\u{1E}']),
            "{wikitext:?} {plain:?}"
        );
        for block in plain.split('\n').filter(|_| !plain.is_empty()) {
            assert!(!block.is_empty(), "{wikitext:?} {plain:?}");
            assert_eq!(block, block.trim_matches(' '), "{wikitext:?}");
        }
        assert!(
            plain.len() <= wikitext.len() * 2 + 32,
            "{wikitext:?} {plain:?}"
        );
    }
}

#[test]
fn long_runs_of_one_piece_end() {
    // a quadratic pass would take hours
    for part in PARTS {
        let wikitext = part.repeat(400_000);
        assert!(to_plain(&wikitext, Some("en")).len() <= wikitext.len());
    }
    for (open, close) in [
        ("{{nowrap|", "}}"),
        ("{{convert|", "}}"),
        ("{{transl|a|", "}}"),
        ("{{hlist|a|", "}}"),
        ("{{quote|", "}}"),
        ("[[a|", "]]"),
        ("[[", "]]"),
        ("{{", "}}"),
        ("\n{|", "\n|}"),
        ("<table>", "</table>"),
        ("<ref>", "</ref>"),
        ("(", ")"),
        ("{{lang|fr|(", ")}}"),
        ("{{math|", "}}"),
        ("-{", "}-"),
        ("-{H|zh:", ";zh-tw:b}-"),
        ("({{x}}, ", ")"),
        ("{{x}},\u{A0}", ";"),
        ("({{x}}", "<!-- -->)"),
    ] {
        let wikitext = open.repeat(150_000) + &"word ".repeat(10_000) + &close.repeat(150_000);
        assert!(to_plain(&wikitext, Some("en")).len() <= wikitext.len());
        assert!(to_plain(&wikitext, Some("zh")).len() <= wikitext.len());
    }
}

/// The lines of a page with their letters.
fn lettered(wikitext: &str) -> Vec<(char, String)> {
    let (mut plain, mut letters) = (String::new(), String::new());
    let formulas = Formulas::Placeholder;
    to_blocks_into(wikitext, Some("en"), formulas, &mut plain, &mut letters);
    assert_eq!(plain, to_plain(wikitext, Some("en")));
    let lines: Vec<&str> = plain.split('\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), letters.len(), "{plain:?} {letters:?}");
    letters
        .chars()
        .zip(lines.into_iter().map(str::to_owned))
        .collect()
}

#[test]
fn each_line_has_the_letter_of_its_block() {
    let letters = |wikitext: &str| -> String {
        lettered(wikitext)
            .into_iter()
            .map(|(letter, _)| letter)
            .collect()
    };
    for (wikitext, expected) in [
        ("", ""),
        ("a\nb\n\nc", "pp"),
        ("== A ==\na\n=== B ===\nb", "hphp"),
        ("a\n* b\n* c\nd", "pllp"),
        ("# a\n#: b\n; c : d", "llll"),
        ("* a<br>b\nc", "llp"),
        ("== {{x}} ==\na", "p"),
        ("* {{x}}\na", "p"),
        ("* [[Category:X]]\n== B ==\n* b", "hl"),
        ("a\n== B", "p"),
        (
            "<math>x</math>\n== B ==\n<math>y</math>\nw <math>z</math>",
            "hp",
        ),
        ("== A (;{{x}}) ==\n* b ({{x}})\nc", "hlp"),
        ("----\n* a", "l"),
        ("<ul>\n<li>a</li>\n<li>b</li>\n</ul>\nc", "llp"),
        ("a <ol><li>b<li>c\nd<br>e</ol> f", "pllpp"),
        ("<dl><dt>a<dd class=\"x\">b</dl>c", "llp"),
        ("<h2>A</h2>\nb", "hp"),
        ("* a <ul><li>b</li></ul>\nc", "llp"),
        ("<ul>\n<li>\na\n</li>\n</ul>\nb", "lp"),
        ("<blockquote><li>a</blockquote>b", "lp"),
        ("<blockquote>\n<li>a</blockquote>b", "lp"),
        ("<blockquote><li>\n</blockquote>a", "p"),
        ("<blockquote><li>a\n</blockquote>\nb", "lp"),
        ("<blockquote><ul><li>a<li>b</BLOCKQUOTE >c", "llp"),
        ("<div><h2>A</div>b", "hp"),
        ("<li><blockquote>a</blockquote>b</li>c", "llp"),
        (
            "<li>a<div>b<blockquote>c</blockquote></div>d</li>e",
            "llllp",
        ),
        ("<div><li>a<div style=\"x\" />b</div>c", "llp"),
        ("* a <blockquote><li>b</blockquote>c", "lll"),
        ("a</blockquote>b", "pp"),
        ("* a <li>b</li> c\n* d", "llll"),
        ("{|\n| * a\n|}\n* b", "l"),
    ] {
        assert_eq!(letters(wikitext), expected, "{wikitext:?}");
    }
}
