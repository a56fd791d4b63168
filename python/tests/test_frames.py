"""Frames as users have them: without ids, columns of texts, repeated names, and results that are aligned with them."""

from __future__ import annotations

import warnings

import neardup
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

TEXTS = ["one two three four", "five six seven", "One two three four!", "five six seven", None]
PAIRS = [(0, 2), (1, 3)]


def pairs(result: neardup.Result) -> list[tuple[int, int]]:
    return sorted(zip(result["id_a"].to_pylist(), result["id_b"].to_pylist()))


KINDS = {
    "list": lambda: TEXTS,
    "tuple": lambda: tuple(TEXTS),
    "generator": lambda: (text for text in TEXTS),
    "pandas Series": lambda: pd.Series(TEXTS, index=list("abcde"), name="body"),
    "pandas Index": lambda: pd.Index(TEXTS),
    "Polars Series": lambda: pl.Series("body", TEXTS),
    "NumPy": lambda: np.array(TEXTS, dtype=object),
    "PyArrow array": lambda: pa.array(TEXTS),
    "PyArrow chunks": lambda: pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
    "dictionary": lambda: {"text": TEXTS},
    "pandas": lambda: pd.DataFrame({"text": TEXTS}),
    "Polars": lambda: pl.DataFrame({"text": TEXTS}),
    "LazyFrame": lambda: pl.LazyFrame({"text": TEXTS}),
    "rows": lambda: [{"text": text} for text in TEXTS],
    "dataset": lambda: pa.dataset.dataset(pa.table({"text": TEXTS})),
    "scanner": lambda: pa.dataset.dataset(pa.table({"text": TEXTS})).scanner(),
    "batches": lambda: iter(pa.table({"text": TEXTS}).to_batches(max_chunksize=2)),
    "tables": lambda: iter([pa.table({"text": TEXTS[:2]}), pa.table({"text": TEXTS[2:]})]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_without_an_id_rows_have_their_number(session, kind):
    make = KINDS[kind]
    assert pairs(session.jaccard_join(make())) == PAIRS
    both_ways = {pair for a, b in PAIRS for pair in [(a, a), (a, b), (b, a), (b, b)]}
    assert pairs(session.jaccard_join(make(), TEXTS)) == sorted(both_ways)
    mask = session.keep_mask(make())
    values = mask.to_list() if isinstance(mask, (pd.Series, pl.Series)) else mask.to_pylist()
    assert values == [True, True, False, False, True]


def test_records_of_several_fields(session):
    frame = pd.DataFrame({"title": ["one two three", "One two three!", "four"], "body": [None, "x", "x y"]})
    arguments = {"weights": [0.6, 0.4], "measures": ["jaccard", "containment"], "shingle": "word:1"}
    found = session.field_join(frame, fields=["title", "body"], threshold=0.5, **arguments)
    assert found.columns == ["id_a", "id_b", "similarity", "title_similarity", "body_similarity"]
    assert pairs(found) == [(0, 1)]
    renamed = frame.rename(columns={"title": "name"})
    found = session.field_join(frame, renamed, fields=["title", "body"], fields_b=["name", "body"], **arguments)
    assert pairs(found) == [(1, 1), (2, 2)]
    with pytest.raises(ValueError, match="no column 'head'"):
        session.field_join(frame, fields=["title", "head"])


def test_a_list_takes_the_name_of_the_column_that_is_given(session):
    assert pairs(session.jaccard_join(TEXTS, text="body")) == PAIRS
    assert pairs(session.cosine_join(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))) == [(0, 2)]
    assert pairs(session.cosine_join({"id": [5, 6], "vector": np.ones((2, 3))})) == [(5, 6)]
    assert session.jaccard_join([]).num_rows == 0
    session.register("values", TEXTS)
    assert session.sql("SELECT value FROM values").num_rows == 5


def test_an_id_that_is_named_must_be_there(session):
    with pytest.raises(ValueError, match="no column 'page'; its columns are: text"):
        session.jaccard_join(TEXTS, id="page")
    session.register("docs", {"text": TEXTS})
    with pytest.raises(ValueError, match=r"no column 'id' \(id=column .*\); its columns are: text"):
        session.jaccard_join("docs")


def test_masks_are_of_the_kind_of_the_frame(session):
    frame = pd.DataFrame({"body": TEXTS, "n": range(5)}, index=list("abcde"))
    mask = session.keep_mask(frame, text="body")
    assert isinstance(mask, pd.Series) and mask.dtype == bool
    assert frame[mask].index.tolist() == ["a", "b", "e"]
    assert frame.loc[session.keep_mask(frame["body"]), "n"].tolist() == [0, 1, 4]
    polar = pl.DataFrame({"body": TEXTS})
    assert polar.filter(session.keep_mask(polar, text="body")).height == 3
    table = pa.table({"body": TEXTS})
    assert table.filter(session.keep_mask(table, text="body")).num_rows == 3
    longest = session.keep_mask(table, text="body", keep="longest")
    assert longest.to_pylist() == [False, True, True, False, True]
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    assert session.keep_mask(vectors, method="projection").to_pylist() == [True, True, False]
    repeated = {"id": [1, 1, 2, None], "text": ["one two three", "one two three", "four five six", "one two three"]}
    expected = session.deduplicate(repeated).to_arrow()["id"].to_pylist()
    assert [id for id, keep in zip(repeated["id"], session.keep_mask(repeated).to_pylist()) if keep] == expected
    assert session.keep_mask([]).to_pylist() == []
    collected = session.sql("SELECT 1 AS id, 'one two three' AS text").collect()
    assert session.keep_mask(collected).to_pylist() == [True]


def test_masks_need_rows_with_an_order(session):
    for name in ["docs", "docs.parquet"]:
        with pytest.raises(TypeError, match="the rows of tables and files have no order"):
            session.keep_mask(name)
    with pytest.raises(TypeError, match="kep"):
        session.keep_mask(TEXTS, kep="longest")
    with pytest.raises(ValueError, match="no column 'text'; its columns are: body"):
        session.keep_mask({"body": ["x"]})
    for name in ["id", "keep_by"]:
        with pytest.raises(ValueError, match="no column 'page'; its columns are: text$"):
            session.near_duplicates({"text": ["x"]}, **{name: "page"})
    assert session.tables() == []


def test_several_columns_are_one_text(session):
    frame = {"id": [1, 2, 3], "title": ["one two", None, "two"], "body": ["three", "one two three", "three"]}
    assert pairs(session.jaccard_join(frame, text=["title", "body"], threshold=1)) == [(1, 2)]
    assert pairs(session.jaccard_join(frame, text="body", threshold=1)) == [(1, 3)]
    kept = session.deduplicate(frame, text=["title", "body"], keep_by="length(title), id desc").to_arrow()
    assert kept.column("id").to_pylist() == [1, 3]
    with pytest.raises(ValueError, match="no column 'bdy'"):
        session.jaccard_join(frame, text=["title", "bdy"])
    assert session.keep_mask(frame, text=["title", "body"]).to_pylist() == [True, False, True]


def test_similarities_of_two_columns_are_in_their_order(session):
    a = [f"one two three {number}" for number in range(20_000)]
    b = [text.upper() if number % 2 else "nothing like it" for number, text in enumerate(a)]
    found = session.pairwise_similarity(a, b)
    assert found.to_pylist() == [float(number % 2) for number in range(20_000)]
    frame = pd.DataFrame({"a": ["abc", "abd", None], "b": ["abc", "abx", "x"]}, index=[7, 8, 9])
    edit = session.pairwise_similarity(frame["a"], frame["b"], measure="edit")
    assert edit.index.tolist() == [7, 8, 9]
    assert edit[7] == 1 and edit[8] == pytest.approx(2 / 3) and np.isnan(edit[9])
    cosine = session.pairwise_similarity(pl.Series([[1.0, 0.0]]), pl.Series([[1.0, 1.0]]), measure="cosine")
    assert isinstance(cosine, pl.Series) and cosine[0] == pytest.approx(0.5**0.5)
    assert session.pairwise_similarity(["A B"], ["a b"], shingle="word:1", normalize=False).to_pylist() == [0.0]
    assert session.pairwise_similarity([], []).to_pylist() == []
    with pytest.raises(ValueError, match="a and b must have the same length, found 1 and 2 values"):
        session.pairwise_similarity(["a"], ["b", "c"])
    with pytest.raises(ValueError, match="measure must be one of jaccard, edit, cosine, found 'dice'"):
        session.pairwise_similarity(["a"], ["b"], measure="dice")
    with pytest.raises(ValueError, match="a must be one column, found 3 columns"):
        session.pairwise_similarity(frame, frame)
    assert session.tables() == []


def test_results_have_a_length_and_columns(session):
    result = session.sql("SELECT value AS n, 'x' AS letter FROM generate_series(1, 3)")
    assert len(result) == 3
    assert result["n"].to_pylist() == [1, 2, 3]
    assert "collected" in repr(result)
    assert "n" in result and "m" not in result
    with pytest.raises(KeyError, match="no column 'm'; the columns are: n, letter"):
        result["m"]
    assert sum(batch.num_rows for batch in list(session.sql("SELECT 1"))) == 1
    assert bool(session.sql("SELECT 1 WHERE false"))


def test_an_index_becomes_columns_as_in_pandas(session):
    def columns(frame: pd.DataFrame) -> list[str]:
        session.register("frame", frame)
        return session.sql("SELECT * FROM frame").columns

    filtered = pd.DataFrame({"index": [1, 2], "text": ["a", "b"]}, index=[4, 5])
    named = pd.DataFrame({"n": [1, 2]}, index=pd.Index([3, 4], name="id"))
    deep = pd.DataFrame({"n": [1]}, index=pd.MultiIndex.from_tuples([(1, 2)], names=["a", None]))
    for frame in [filtered, named, deep]:
        assert columns(frame) == frame.reset_index().columns.tolist()
    both = pd.DataFrame({"id": [1, 2]}, index=pd.Index([3, 4], name="id"))
    with pytest.raises(ValueError, match="cannot insert id, already exists; rename the index"):
        session.register("frame", both)


def test_unused_columns_may_have_the_same_name(session):
    columns = ["id", "text", "x", "x", "x.1"]
    rows = [[1, "one two three", "a", "b", "c"], [2, "one two three", "d", "e", "f"]]
    for frame in [
        pd.DataFrame(rows, columns=columns),
        pa.Table.from_arrays([pa.array(column) for column in zip(*rows)], names=columns),
    ]:
        assert pairs(session.jaccard_join(frame)) == [(1, 2)]
        assert session.deduplicate(frame).columns == ["id", "text", "x", "x.2", "x.1"]
        with pytest.raises(ValueError, match="several columns of the frame are called 'x'"):
            session.jaccard_join(frame, text="x")
        with pytest.raises(ValueError, match="several columns of the frame are called 'x'"):
            session.deduplicate(frame, keep_by="x desc")
        with pytest.raises(ValueError, match="several columns of the frame are called 'x'"):
            session.deduplicate(frame, keep_by="id, length(x)")


def test_unused_columns_may_have_values_that_arrow_has_no_type_for(session):
    frame = pd.DataFrame({"id": [1, 2], "text": ["one two three"] * 2, "mixed": [1, "x"]})
    assert pairs(session.jaccard_join(frame)) == [(1, 2)]
    assert session.keep_mask(frame).tolist() == [True, False]
    with pytest.raises(ValueError, match="mixed"):
        session.deduplicate(frame)
    with pytest.raises(ValueError, match="mixed"):
        session.jaccard_join(frame, across="mixed")


def test_former_names_are_accepted_with_a_warning(session):
    with pytest.warns(DeprecationWarning, match="bucket_pairs is the former name of max_bucket_pairwise") as seen:
        assert session.near_duplicates(TEXTS, bucket_pairs=5).num_rows == 5
    assert seen[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="bucket_pairs"):
        assert session.keep_mask(TEXTS, bucket_pairs=5).to_pylist().count(True) == 3
    with pytest.warns(DeprecationWarning, match="bucket_pairs"):
        expanded = neardup.expand("minhash_join", "docs", copies="linked", bucket_pairs=5)
    assert expanded == neardup.expand("minhash_join", "docs", copies="linked", max_bucket_pairwise=5)
    with pytest.raises(TypeError, match="max_bucket_pairwise is given twice, once as bucket_pairs"):
        session.near_duplicates(TEXTS, bucket_pairs=5, max_bucket_pairwise=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert session.near_duplicates(TEXTS, max_bucket_pairwise=5).num_rows == 5
    with pytest.raises(TypeError, match="bucket_pairs"):
        session.components({"id_a": [1], "id_b": [2]}, bucket_pairs=5)
