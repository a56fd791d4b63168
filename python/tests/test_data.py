"""Exchange of tables: every kind of frame and of text column gives the same pairs."""

from __future__ import annotations

import json
import subprocess

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PAIR = [{"id_a": 10, "id_b": 12, "similarity": 1.0}]


def frames() -> dict[str, object]:
    def table(documents: dict, kind: pa.DataType) -> pa.Table:
        body = pa.array(documents["body"]).cast(pa.string())
        body = body.dictionary_encode() if pa.types.is_dictionary(kind) else body.cast(kind)
        return pa.table({"page": documents["page"], "body": body})

    return {
        "dictionary of columns": lambda d: d,
        "pandas": lambda d: pd.DataFrame(d),
        "pandas of Arrow": lambda d: pd.DataFrame(d).astype(
            {"page": "int64[pyarrow]", "body": pd.ArrowDtype(pa.string())}
        ),
        "pandas categories": lambda d: pd.DataFrame(d).astype({"body": "category"}),
        "Polars": lambda d: pl.DataFrame(d),
        "Polars categories": lambda d: pl.DataFrame(d, schema_overrides={"body": pl.Categorical}),
        "PyArrow": lambda d: pa.table(d),
        "string views": lambda d: table(d, pa.string_view()),
        "large strings": lambda d: table(d, pa.large_string()),
        "dictionaries": lambda d: table(d, pa.dictionary(pa.int32(), pa.string())),
        "batch": lambda d: pa.RecordBatch.from_pydict(d),
        "reader": lambda d: pa.RecordBatchReader.from_batches(
            pa.table(d).schema, pa.table(d).to_batches(max_chunksize=1)
        ),
    }


@pytest.mark.parametrize("kind", frames())
def test_every_kind_of_frame(session, documents, kind):
    data = frames()[kind](documents)
    found = session.jaccard_join(data, id="page", text="body").to_arrow().to_pylist()
    assert found == PAIR
    kept = session.deduplicate(frames()[kind](documents), id="page", text="body").to_arrow()
    assert kept.column_names == ["page", "body"]
    assert sorted(kept["page"].to_pylist()) == [10, 11, 13]


def test_small_indices_of_dictionaries(session):
    """Each batch has a dictionary of its own, with fewer values than its indices can count; all together have more."""
    kinds = [f"kind {number * 37 % 120}" for number in range(3000)]
    small = lambda values: pa.array(values).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    chunks = [small(kinds[start : start + 300]) for start in range(0, 3000, 300)]
    session.register("docs", pa.table({"id": range(3000), "kind": pa.chunked_array(chunks)}))
    for query in [
        "SELECT id, first_value(kind) OVER (PARTITION BY kind ORDER BY id) AS kind FROM docs ORDER BY id",
        "SELECT a.id, b.kind FROM docs a JOIN docs b ON a.id = b.id AND a.kind = b.kind ORDER BY a.id",
        "SELECT id, kind FROM docs WHERE kind LIKE 'kind%' ORDER BY id",
    ]:
        assert session.sql(query).to_arrow()["kind"].to_pylist() == kinds


@pytest.mark.parametrize("kind", ["pandas", "Polars", "PyArrow", "string views", "dictionaries"])
def test_nulls_pair_with_nothing(session, documents, kind):
    documents["body"] = [None, documents["body"][0], None, documents["body"][2]]
    found = session.jaccard_join(frames()[kind](documents), id="page", text="body")
    assert found.to_arrow().to_pylist() == [{"id_a": 11, "id_b": 13, "similarity": 1.0}]
    assert session.near_duplicates(frames()[kind](documents), id="page", text="body").num_rows == 4


def test_the_index_of_pandas_becomes_columns(session, documents):
    frame = pd.DataFrame(documents)
    session.register("counted", frame)
    session.register("named", frame.set_index("page"))
    session.register("filtered", frame[frame["page"] != 11])
    session.register("deep", frame.set_index([[2, 4, 6, 8], [1, 1, 2, 2]]))
    columns = lambda name: session.sql(f"SELECT * FROM {name}").columns
    assert columns("counted") == ["page", "body"]
    assert columns("named") == ["page", "body"]
    assert columns("filtered") == ["index", "page", "body"]
    assert columns("deep") == ["level_0", "level_1", "page", "body"]
    found = session.jaccard_join("filtered", id="index", text="body").to_arrow().to_pylist()
    assert found == [{"id_a": 0, "id_b": 2, "similarity": 1.0}]
    assert session.jaccard_join("named", id="page", text="body").to_arrow().to_pylist() == PAIR


def test_files_globs_and_directories(session, documents, tmp_path):
    for part in range(2):
        pq.write_table(pa.table(documents).slice(2 * part, 2), tmp_path / f"part-{part}.parquet")
    pd.DataFrame(documents).to_csv(tmp_path / "documents.csv", index=False)
    for path in [tmp_path / "*.parquet", tmp_path / "documents.csv", str(tmp_path / "part-?.parquet")]:
        session.register("docs", path)
        assert session.jaccard_join("docs", id="page", text="body").to_arrow().to_pylist() == PAIR
        found = session.jaccard_join(path, id="page", text="body")
        assert found.to_arrow().to_pylist() == PAIR


def test_texts_of_files_are_strings(session, documents, tmp_path):
    """PyArrow cannot sort string views."""
    session.register("docs", documents)
    session.sql(f"COPY docs TO '{tmp_path}/docs.parquet'")
    found = session.sql(f"SELECT body, CAST(page AS VARCHAR) AS p FROM '{tmp_path}/docs.parquet'").to_arrow()
    assert found.schema.types == [pa.string(), pa.string()]
    assert found.sort_by("p")["p"].to_pylist() == ["10", "11", "12", "13"]
    normal = session.sql("SELECT normalize_text(body) AS body FROM docs")
    assert normal.schema.types == [pa.string_view()]
    assert normal.to_arrow().sort_by("body").schema.types == [pa.string()]
    kept = session.deduplicate(tmp_path / "docs.parquet", id="page", text="body").to_pandas()
    assert kept.groupby("body").size().sum() == 3


def test_results_are_relations(session, documents):
    pairs = session.jaccard_join(documents, id="page", text="body", threshold=0.5)
    components = session.components(pairs).to_arrow().to_pylist()
    pairs.collect()
    assert session.components(pairs).to_arrow().to_pylist() == components
    assert {row["cluster_id"] for row in components} == {10}
    session.register("pairs", pairs)
    assert session.sql("SELECT * FROM pairs").num_rows == pairs.num_rows
    other = pa.table(pairs)
    assert session.pair_quality(other, pairs).to_arrow().to_pylist()[0]["recall"] == 1.0


def test_rows_come_out_as_every_kind(session, documents, tmp_path):
    result = session.near_duplicates(documents, id="page", text="body")
    arrow = result.to_arrow().sort_by("id")
    assert isinstance(result.to_pandas(), pd.DataFrame)
    assert isinstance(result.to_polars(), pl.DataFrame)
    assert result.to_polars().sort("id")["kept"].to_list() == arrow["kept"].to_pylist()
    assert result.to_pandas().sort_values("id")["kept"].tolist() == arrow["kept"].to_pylist()
    assert pl.DataFrame(result).height == pd.DataFrame.from_records(arrow.to_pylist()).shape[0] == 4
    assert pa.schema(result) == result.schema == pa.table(result).schema
    # Options of pandas are passed on.
    assert result.to_pandas(strings_to_categorical=True).shape == (4, 6)
    fresh = session.near_duplicates(documents, id="page", text="body")
    assert sum(batch.num_rows for batch in fresh) == 4
    assert "not run yet" in repr(fresh)
    fresh.write_parquet(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 4
    assert "not run yet" in repr(fresh)


def test_results_equal_those_of_sql(session, documents):
    session.register("docs", documents)
    by_sql = session.sql(
        "SELECT * FROM minhash_join(docs, id => page, text => body, threshold => 0.6, shingle => 'char:4')"
    )
    by_method = session.minhash_join("docs", id="page", text="body", threshold=0.6, shingle="char:4")
    order = [("id_a", "ascending"), ("id_b", "ascending")]
    assert by_sql.to_arrow().sort_by(order) == by_method.to_arrow().sort_by(order)
    assert by_sql.num_rows == 3


def test_an_empty_table_has_columns(session):
    empty = pa.table({"id": pa.array([], pa.int64()), "text": pa.array([], pa.string())})
    assert session.jaccard_join(empty).num_rows == 0
    assert session.near_duplicates(empty).to_arrow().column_names[:2] == ["id", "cluster_id"]
    assert session.jaccard_join(empty).to_pandas().columns.tolist() == ["id_a", "id_b", "similarity"]


def test_results_equal_those_of_the_command(session, binary, sample):
    path = sample / "documents.jsonl"
    for call, found in [
        (f"jaccard_join('{path}', text => body, threshold => 0.5)",
         session.jaccard_join(path, text="body", threshold=0.5)),
        (f"near_duplicates('{path}', text => body, keep => 'longest')",
         session.near_duplicates(path, text="body", keep="longest")),
    ]:
        command = [binary, "sql", "--format", "json", "-c", f"SELECT * FROM {call} ORDER BY 1, 2"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        expected = [json.loads(line) for line in printed.splitlines()]
        rows = found.to_arrow().to_pylist()
        rows.sort(key=lambda row: list(row.values())[:2])
        assert rows == expected != []
