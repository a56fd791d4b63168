use super::*;
use crate::tests::Random;

#[test]
fn formulas_in_plain_characters() {
    for (tex, text) in [
        (r"x", "x"),
        (r"\bar x = 0", "x\u{304} = 0"),
        (r"a+b", "a + b"),
        (r"-x", "−x"),
        (r"x = -1", "x = −1"),
        (r"e^{-x}", "e^(−x)"),
        (r"x^2+y_1", "x^2 + y_1"),
        (r"e^x y", "e^x y"),
        (r"e^{xy}", "e^(xy)"),
        (r"10^3 5", "10^3 5"),
        (r"2\frac{1}{2}", "2 1/2"),
        (r"\frac{a}{b}c", "a/b c"),
        (r"\frac{a}{bc}", "a/(bc)"),
        (r"\frac{a}{b}^2", "(a/b)^2"),
        (r"\binom{n}{2}", "(n; 2)"),
        (r"\sqrt{2}3", "√2 3"),
        (r"1.2\overline{34}", "1.2 3\u{304}4\u{304}"),
        (r"\underline{x}", "x\u{332}"),
        (r"1{,}234{,}567", "1,234,567"),
        (r"x=.5", "x = .5"),
        (r"\sin -x", "sin −x"),
        (r"5~\text{kg}", "5 kg"),
        ("a\\hspace{1em\u{a0}}b", "a b"),
        (r"\begin{pmatrix}1&-2\\3&4\end{pmatrix}", "(1 −2; 3 4)"),
        (r"x_{i+1}^{n}", "x_(i + 1)^n"),
        (r"\frac{a+1}{b} \le x^2", "(a + 1)/b ≤ x^2"),
        (r"\frac12", "1/2"),
        (r"\sqrt{x}", "√x"),
        (r"\sqrt[3]{x + 1}", "∛(x + 1)"),
        (r"f(x) = \sin x", "f(x) = sin x"),
        (r"f'(x)", "f′(x)"),
        (r"x\in\mathbb{R}^n", "x ∈ ℝ^n"),
        (r"x \not= y", "x ≠ y"),
        (r"\alpha\beta", "αβ"),
        (r"\sum_{i=1}^n i", "∑_(i = 1)^n i"),
        (r"\left( a, b \right]", "(a, b]"),
        (
            r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
            "(a b; c d)",
        ),
        (r"\text{if } n \text{ is odd}", "if n is odd"),
        (r"\mathrm{kg}", "kg"),
        (r"\vec{v}\,\mathrm{d}t", "v\u{20d7} dt"),
        (r"\{1, 2\}", "{1, 2}"),
        (r"90^\circ", "90^∘"),
        (r"10\%", "10%"),
    ] {
        assert_eq!(mathematics(tex).as_deref(), Some(text), "{tex}");
    }
}

#[test]
fn arguments_that_are_texts() {
    for (tex, text) in [
        (r"\operatorname*{Res}_{z=0}f", "Res_(z = 0) f"),
        (r"\operatorname * {ess}_x f", "ess_x f"),
        (r"\operatorname{tr}(A)", "tr(A)"),
        (r"\operatorname x y z", "x yz"),
        (r"\mathop{tr} A", "tr A"),
        (r"\mathop x y z", "x yz"),
        (r"\mathop\sum_i i", "∑_i i"),
        (r"\text x y z", "xyz"),
        (r"\textbf xy", "xy"),
        (r"SS_\text{Error}+\frac\text{a}2", "SS_(Error) + a/2"),
        (r"\text{12}3\sin\text{0}", "12 3 sin 0"),
        (r"\operatorname*{arg\,max}_{x} f(x)", "arg max_x f(x)"),
        (r"\operatorname{ess\ sup} f", "ess sup f"),
        (r"\operatorname{arg\!max} f", "argmax f"),
        (r"\operatorname{\mathrm{tr}}(A)", "tr(A)"),
        (r"\operatorname\mathrm{tr}A", "tr A"),
        (r"\mathop{\rm tr} A", "tr A"),
        (r"\mathop{\mathrm{lim\,sup}}_n a_n", "lim sup_n a_n"),
        (r"\mathop{}\!\mathrm{d}x", "dx"),
        (r"\operatorname{\Gamma}(x)", "Γ(x)"),
        (r"\operatorname{arg\max}_{x} f", "arg max_x f"),
        (r"\mathop{\sum\sum}_{i,j} a", "∑ ∑_(i, j) a"),
        (r"\operatorname{Tr}_{A}", "Tr_A"),
        (r"\operatorname{O^{+1}}", "O^(+1)"),
        (r"5\text{10\%}", "5 10%"),
        (r"\text{a~b}", "a b"),
        (r"\text{a\_b\&\#\$c}", "a_b&#$c"),
        (r"\text{\bf a}\text{\textit{b} c}", "ab c"),
        (r"\text{a {b} c}", "a b c"),
        (r"[\mbox{H}^+]", "[H^+]"),
    ] {
        assert_eq!(mathematics(tex).as_deref(), Some(text), "{tex}");
    }
    for tex in [
        r"\operatorname",
        r"\operatorname^2",
        r"\operatorname{a $x$}",
        r"\operatorname{\nosuchcommand}",
        r"\mathop",
        r"\text",
        r"{\text}",
        r"\text{a",
        r"\text\foo",
        r"\text{a $x^2$ b}",
        r"\text{\{a\}}",
        r"\text{a\textbackslash b}",
        r"\text{a_{bc}}",
        r"\def\x{\text}\x{a}",
        r"\let\x\text\x{a}",
        r"\colorbox{red}{a}",
    ] {
        assert_eq!(mathematics(tex), None, "{tex}");
    }
}

#[test]
fn formulas_keep_their_meaning() {
    for (tex, text) in [
        (r"\underbrace{a+\cdots+a}_{n}", "a + ⋯ + a"),
        (r"\underbrace{1+1}_{2}+3", "1 + 1 + 3"),
        (r"\overbrace{a+b}^n", "a + b"),
        (r"\underbrace{\overbrace{x^2}^n}_my", "x^2 y"),
        (r"{\underbrace{a}}_n{}^2", "a^2"),
        (r"\underbrace{x}_{n}^{2}-\underbrace y", "x − y"),
        (r"\underbrace{a+b}_nc", "(a + b)c"),
        (r"2\cdot\underbrace{a+b}_n.", "2 ⋅ (a + b)."),
        (r"(\underbrace{a+b}_n)\,c", "(a + b) c"),
        (
            r"\frac{\underbrace{a+b}_n}2=\underbrace{c+d}_m\cdot2",
            "(a + b)/2 = (c + d) ⋅ 2",
        ),
        (r"{\underbrace{a+b}_n}^2", "(a + b)^2"),
        (r"\cancel{x}", "x"),
        (r"\cancel{abc}+d", "abc + d"),
        (r"\frac{\cancel x a}{\cancel{x}}", "(xa)/x"),
        (r"a\cancel{=}b\cancel\in c", "a ≠ b ∉ c"),
        (r"a\not\ll b\not\to c\not| d", "a ≪\u{338} b ↛ c∤d"),
        (r"\not\exists x", "∄x"),
        (r"{x^2}^3", "(x^2)^3"),
        (r"{x_1}^2", "(x_1)^2"),
        (r"{2x^2}^3", "(2x^2)^3"),
        (r"{2x^2}y", "2x^2 y"),
        (r"\sqrt{x}^2", "(√x)^2"),
        (r"{x^2}'", "x^2′"),
        (r"{f^2}^\prime", "(f^2)′"),
        (r"{\sin^2}^3 x", "(sin^2)^3 x"),
        (r"\sin^2 x", "sin^2 x"),
        (r"x^2.5", "x^2 .5"),
        (r"x^{2.5}", "x^2.5"),
        (r"x^2.", "x^2."),
        (r"\frac12.5", "1/2 .5"),
        (r"f\colon A\to B", "f: A → B"),
        (r"50%+x^%", "50% + x^%"),
        (r"A:=b", "A := b"),
        (r"\Delta\!G", "ΔG"),
    ] {
        assert_eq!(mathematics(tex).as_deref(), Some(text), "{tex}");
    }
    for tex in [r"\not x", r"\not\alpha", r"\cancel\alpha", r"\not{a=b}"] {
        assert_eq!(mathematics(tex), None, "{tex}");
    }
}

#[test]
fn what_cannot_be_read() {
    for tex in [
        "",
        " ",
        "{",
        "}",
        r"\nosuchcommand x",
        r"\frac{1}",
        "a & b",
        "x^",
        r"\def\x{\x\x}\x",
        r"\sqrt[n+1]{x}",
        r"\hat{x_1}",
        ",",
        r"\begin{alignat}{２}a\end{alignat}",
        r"\sideset{_1^2}{_3^4}\prod",
    ] {
        assert_eq!(mathematics(tex), None, "{tex}");
    }
    let deep = format!("{}x{}", "{".repeat(2000), "}".repeat(2000));
    assert_eq!(mathematics(&deep).as_deref(), Some("x"));
    assert_eq!(mathematics(&"x".repeat(MAX_BYTES + 1)), None);
}

#[test]
fn chemistry_is_nearly_plain() {
    assert_eq!(
        chemistry::in_characters("2H2 + O2 -> 2H2O").as_deref(),
        Some("2H2 + O2 → 2H2O")
    );
    for (source, text) in [
        ("A <=>> B", "A ⇌ B"),
        ("A <<=> B", "A ⇌ B"),
        ("A <=> B", "A ⇌ B"),
        ("A <--> B", "A ⇄ B"),
        ("A <-> B", "A ↔ B"),
        ("A --> B", "A → B"),
        ("A <-- B", "A ← B"),
        ("A <- B", "A ← B"),
    ] {
        assert_eq!(chemistry::in_characters(source).as_deref(), Some(text));
    }
    assert_eq!(chemistry::in_characters(r"\ce{H2O}"), None);
}

/// Parts of formulas, none of which is a brace in characters.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "x", "y", "é", "漢", "1", "23", ".", ",", "'", "+", "-", "=", ":", "<", "|", "(", ")", "[", "]", "^", "_", "^2",
    "_n", "{", "}", "{}", " ", "~", "%", "&", "$", "#", "\\ ", "\\,", "\\!", "\\%", "\\&", "\\_", "\\#", "\\$", "\\\\",
    "\\alpha", "\\sin", "\\sum", "\\int", "\\limits", "\\in", "\\to", "\\colon", "\\not", "\\cancel", "\\frac",
    "\\binom", "\\sqrt", "\\sqrt[3]", "\\bar", "\\vec", "\\underbrace", "\\overbrace", "\\underset", "\\overset",
    "\\stackrel", "\\xrightarrow", "\\substack", "\\operatorname", "\\operatorname*", "\\mathop", "\\mathrm",
    "\\mathbb", "\\rm", "\\bf ", "\\text", "\\textbf", "\\mbox", "\\textcolor{red}", "\\color{red}", "\\left(", "\\right)",
    "\\left.", "\\right|", "\\begin{matrix}", "\\end{matrix}", "\\begin{array}{lc}", "\\end{array}", "\\hspace{1em}", "\\foo",
    "\\def", "\\let", "\\char", "\\tag",
];

/// Writes random parts to `tex`, with groups that end.
fn write_random(random: &mut Random, depth: usize, tex: &mut String) {
    for _ in 0..1 + random.below(4) {
        tex.push_str(PARTS[random.below(PARTS.len())]);
        if depth > 0 && random.below(2) == 0 {
            tex.push('{');
            write_random(random, depth - 1, tex);
            tex.push('}');
        }
    }
}

#[test]
fn no_tex_is_left() {
    let mut random = Random(7);
    let mut read = 0;
    for _ in 0..200_000 {
        let mut tex = String::new();
        write_random(&mut random, 3, &mut tex);
        if let Some(text) = mathematics(&tex) {
            assert!(!text.contains(['\\', '{', '}']), "{tex:?} {text:?}");
            read += 1;
        }
    }
    assert!(read > 10_000, "{read}");
}
