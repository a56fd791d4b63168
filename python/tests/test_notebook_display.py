"""What a notebook shows."""

from __future__ import annotations

import re

import pytest

from neardup import _html


def test_pairs_show_what_differs(session, documents):
    pairs = session.jaccard_join(documents, id="page", text="body", threshold=0.6)
    shown = pairs._repr_html_()
    assert shown.count("<tr>") == 1 + 3
    assert re.search(r"<del [^>]*>1896</del>", shown)
    assert re.search(r"<ins [^>]*>1898</ins>", shown)
    assert "not run yet" in repr(pairs)
    texts = pairs.with_texts().to_arrow()
    assert texts.column_names == ["id_a", "id_b", "similarity", "text_a", "text_b"]
    assert set(texts["text_a"].to_pylist()) <= set(documents["body"])


def test_two_relations_show_their_own_texts(session, documents):
    other = {"key": ["x"], "words": [documents["body"][1]]}
    pairs = session.jaccard_join(
        documents, other, id="page", text="body", id_b="key", text_b="words", threshold=0.6
    )
    texts = pairs.with_texts().to_arrow().to_pylist()
    assert {(row["id_a"], row["text_b"]) for row in texts} == {
        (page, documents["body"][1]) for page in (10, 11, 12)
    }


def test_files_show_their_texts(session, sample):
    pairs = session.jaccard_join(sample / "documents.jsonl", text="body", threshold=0.9)
    assert "<ins" in pairs._repr_html_()


def test_other_results_have_no_texts(session):
    with pytest.raises(ValueError, match="with_texts"):
        session.sql("SELECT 1").with_texts()


def test_clusters_show_their_texts(session, documents):
    found = session.near_duplicates(documents, id="page", text="body", threshold=0.6)
    texts = found.with_texts()
    rows = texts.to_arrow().to_pylist()
    assert texts.columns == [*found.columns, "text"]
    bodies = dict(zip(documents["page"], documents["body"]))
    assert {row["id"]: row["text"] for row in rows} == bodies
    # The cluster first, in it the kept row, then the least similar one.
    assert [row["id"] for row in rows] == [10, 11, 12, 13]
    assert [row["kept"] for row in rows] == [True, False, False, True]
    shown = texts._repr_html_()
    assert re.findall(r"<ins [^>]*>([^<]*)</ins>", shown) == ["1898"]
    # Rows without ids have those of their places, and their own order is that of the frame.
    found = session.near_duplicates(documents["body"], threshold=0.6)
    assert [row["text"] for row in found.with_texts().to_arrow().to_pylist()] == documents["body"]
    assert len(found.head(2).with_texts()) == 2
    vectors = session.near_duplicates({"vector": [[1.0, 2.0], [1.0, 2.0]]}, method="projection")
    assert len(vectors) == 2
    with pytest.raises(ValueError, match="with_texts"):
        vectors.with_texts()


def test_words_are_compared_as_the_join_compares_them(session):
    text = "The old mill by the river burned down in the winter of"
    documents = [f"{text} 1896", f"{text.upper()} 1898"]
    shown = session.jaccard_join(documents, threshold=0.5)._repr_html_()
    assert re.findall(r"<ins [^>]*>([^<]*)</ins>", shown) == ["1898"] and "THE OLD MILL" in shown
    shown = session.jaccard_join(documents, threshold=0.05, shingle="char:1", normalize=False)._repr_html_()
    assert ">THE</ins>" in shown or ">THE OLD MILL" in shown


def test_hidden_characters_are_visible(session):
    hidden = "\u202emirrored \x00 \x07 \x1b[31m \x7f \x9b \u2066 \u200f מילים"
    shown = session.sql("SELECT $text AS text", text=hidden)._repr_html_()
    assert "&lt;U+202E&gt;mirrored ␀ ␇ ␛[31m ␡ &lt;U+009B&gt; &lt;U+2066&gt; &lt;U+200F&gt; מילים" in shown
    assert '<td dir="auto"' in shown
    names = session.sql('SELECT 1 AS "a\u202eb"')._repr_html_()
    assert "a&lt;U+202E&gt;b" in names
    a, b = _html.difference("one \u202etwo", "one two")
    assert "&lt;U+202E&gt;</del>two" in a and "\u202e" not in a + b
    # What separates lines and columns stays.
    assert _html._cell("a\n\tb") == "a\n\tb"


def test_a_table_says_how_much_of_it_is_shown(session):
    many = session.sql("SELECT value AS n, '<b>' AS tag FROM generate_series(1, 100)")
    shown = many._repr_html_()
    assert "first 20 rows</p>" in shown and "&lt;b&gt;" in shown and "<b>" not in shown
    many.collect()
    assert "first 20 rows of 100</p>" in many._repr_html_()
    assert str(many).endswith("first 20 rows")
    one = session.sql("SELECT CAST(NULL AS INT) AS n, 0.123456789 AS f")
    assert "1 row</p>" in one._repr_html_() and "<i>NULL</i>" in one._repr_html_()
    assert "0.1235" in one._repr_html_()


def test_long_texts_are_shortened():
    long = "word " * 1000
    assert len(_html._cell(long)) < 320
    a, b = _html.difference(long + "one end", long + "another end")
    assert "one</del>" in a and "another</ins>" in b and len(a) < 500
    assert _html.difference(None, "x") == ("<i>NULL</i>", "x")
    a, b = _html.difference("x" * 5000, "y" * 5000)
    assert len(a) < 700 and len(b) < 700
    # Texts that are too long to compare are shown without marks.
    a, _ = _html.difference("a " * 20_000, "b " * 20_000)
    assert "<del" not in a
