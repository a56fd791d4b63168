"""Sessions of the Python package datafusion."""

from __future__ import annotations

import datafusion
import neardup
import pyarrow as pa
import pytest


@pytest.fixture
def context(documents) -> datafusion.SessionContext:
    context = datafusion.SessionContext()
    neardup.register(context)
    context.from_arrow(pa.table(documents), name="docs")
    return context


def rows(table: object) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for row in pa.table(table).to_pylist())


def test_functions_of_rows(context):
    counted = context.sql("SELECT cardinality(shingle_hashes(body, 'word:3')) AS n FROM docs WHERE page = 10")
    assert rows(counted) == [(14,)]
    similar = context.sql(
        "SELECT jaccard_similarity('the old mill burned down in 1896', 'the old mill burned down in 1898', 'word:2') AS s"
    )
    assert rows(similar) == [(5 / 7,)]


CALLS = [
    ("jaccard_join", ["docs"], {"threshold": 0.6}),
    ("jaccard_join", ["docs"], {"threshold": 0.6, "shingle": "char:5", "normalize": False}),
    ("jaccard_join", ["docs", "docs"], {"threshold": 0.6}),
    ("jaccard_join", ["docs"], {"threshold": 0.6, "copies": "linked"}),
    ("minhash_join", ["docs"], {"threshold": 0.6}),
    ("minhash_join", ["docs"], {"threshold": 0.6, "verify": "edit", "parts": 4}),
    ("minhash_join", ["docs"], {"scheme": "draws", "verify": "none", "max_bucket": 2}),
    ("minhash_join", ["docs"], {"threshold": 0.6, "across": "page", "verify": "estimate"}),
    ("minhash_buckets", ["docs"], {"threshold": 0.6}),
    ("near_duplicates", ["docs"], {"threshold": 0.6}),
    ("near_duplicates", ["docs"], {"threshold": 0.6, "keep": "longest", "resolution": "components"}),
    ("near_duplicates", ["docs"], {"threshold": 0.6, "method": "minhash", "keep_by": "page desc"}),
    ("near_duplicates", ["docs"], {"threshold": 0.6, "keep_by": "length(body) desc, page desc"}),
    ("deduplicate", ["docs"], {"threshold": 0.6}),
    ("sentences", ["docs"], {"min_length": 3, "carry": ["body"]}),
]


@pytest.mark.parametrize(("name", "relations", "arguments"), CALLS)
def test_table_functions_give_the_same_rows(context, session, documents, name, relations, arguments):
    arguments = {"id": "page", "text": "body", **arguments}
    session.register("docs", documents)
    expected = getattr(session, name)(*relations, **arguments)
    found = neardup.table(context, name, *relations, **arguments)
    assert rows(found) == rows(expected) != []
    assert found.schema().names == expected.columns


def test_functions_of_pairs(context, session, documents):
    pairs = pa.table(session.jaccard_join(documents, id="page", text="body", threshold=0.6))
    context.from_arrow(pairs, name="pairs")
    assert rows(neardup.table(context, "components", "pairs")) == rows(session.components(pairs))
    expected = session.pair_quality(pairs, pairs)
    assert rows(neardup.table(context, "pair_quality", "pairs", "pairs")) == rows(expected)
    assert rows(neardup.table(context, "lsh_plan", threshold=0.8)) == rows(session.lsh_plan(0.8))


def test_a_table_may_have_the_name_of_a_part(context, documents, session):
    """Names in templates do not shadow the session's tables."""
    for name in ["input", "sets", "keyed", "texts"]:
        context.from_arrow(pa.table(documents), name=name)
        found = neardup.table(context, "jaccard_join", name, id="page", text="body")
        assert rows(found) == [(10, 12, 1.0)]


def test_the_text_is_sql_of_any_session(context):
    text = neardup.expand("jaccard_join", "docs", id="page", text="body", threshold=0.9)
    assert "similar_pairs(" not in text and "exact_pairs(" not in text
    assert rows(context.sql(text)) == [(10, 12, 1.0)]
    assert "WITH" in neardup.expand("components", "pairs")
    with pytest.raises(ValueError, match="give schema="):
        neardup.expand("deduplicate", "docs")
    schema = pa.schema({"id": pa.int64(), "text": pa.string()})
    assert "removed" in neardup.expand("deduplicate", "docs", schema=schema)


def test_errors_are_reported(context):
    with pytest.raises(ValueError, match="no column 'text'; its columns are: page, body"):
        neardup.table(context, "jaccard_join", "docs", id="page")
    with pytest.raises(ValueError, match=r"threshold= must be a number in \(0, 1\]"):
        neardup.expand("jaccard_join", "docs", threshold=7)
    with pytest.raises(ValueError, match="there is no table function 'join'; there are: .*components"):
        neardup.expand("join", "docs")
    with pytest.raises(ValueError, match="wiki_pages"):
        neardup.expand("wiki_pages", files="dump.xml")
    with pytest.raises(TypeError):
        neardup.expand("jaccard_join", "docs", treshold=0.5)
    with pytest.raises(TypeError, match="datafusion.SessionContext"):
        neardup.register(object())


def test_another_version_of_datafusion_is_refused(context, monkeypatch):
    monkeypatch.setattr(datafusion, "__version__", "54.0.0")
    with pytest.raises(ImportError, match=r"datafusion 54.0.0: install datafusion==55\.\*"):
        neardup.register(context)


def test_functions_must_be_registered_first(documents):
    context = datafusion.SessionContext()
    context.from_arrow(pa.table(documents), name="docs")
    with pytest.raises(ValueError, match=r"call neardup.register\(context\) first"):
        neardup.table(context, "jaccard_join", "docs", id="page", text="body")


def test_tables_pass_between_both_sides(context, session):
    session.register("docs", context.table("docs"))
    pairs = session.jaccard_join("docs", id="page", text="body")
    context.from_arrow(pairs, name="pairs")
    assert rows(context.sql("SELECT id_a, id_b FROM pairs")) == [(10, 12)]
