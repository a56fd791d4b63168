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
