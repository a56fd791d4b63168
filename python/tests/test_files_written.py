"""Files that results are written to."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

FORMATS = ["parquet", "csv", "json"]


@pytest.fixture
def result(session):
    session.register("rows", {"id": range(136), "text": ["it's, \"one\"\nline"] * 136})
    return session.sql("SELECT * FROM rows")


def write(result, format, path, **options):
    getattr(result, f"write_{format}")(path, **options)


def count(session, path) -> int:
    return session.sql(f"SELECT * FROM '{path}'").num_rows


@pytest.mark.parametrize("format", FORMATS)
def test_a_second_run_does_not_add_rows(session, result, format, tmp_path):
    for path in [tmp_path / "out", tmp_path / f"out.{format}"]:
        write(result, format, path)
        assert count(session, path) == 136
        with pytest.raises(FileExistsError, match="out.*: it exists; mode='overwrite' replaces it"):
            write(result, format, path)
        assert count(session, path) == 136
        write(session.sql("SELECT * FROM rows WHERE id < 5"), format, path, mode="overwrite")
        assert count(session, path) == 5
    write(result, format, tmp_path / "out", mode="append")
    assert count(session, tmp_path / "out") == 141
    with pytest.raises(ValueError, match="mode='append' adds files to a directory"):
        write(result, format, tmp_path / f"out.{format}", mode="append")


@pytest.mark.parametrize("format", FORMATS)
def test_other_files_of_a_directory_are_never_removed(session, result, format, tmp_path):
    (tmp_path / "empty").mkdir()
    write(result, format, tmp_path / "empty")
    assert count(session, tmp_path / "empty") == 136
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError):
        write(result, format, tmp_path / "mixed")
    with pytest.raises(ValueError, match=f"it has a file that is not .{format}: thesis.txt"):
        write(result, format, tmp_path / "mixed", mode="overwrite")
    assert [path.name for path in (tmp_path / "mixed").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_result_without_rows_is_written(session, result, format, tmp_path):
    empty = session.sql("SELECT * FROM rows WHERE id < 0")
    for path in [tmp_path / "out", tmp_path / f"out.{format}"]:
        for mode in ["error", "overwrite"]:
            write(empty, format, path, mode=mode)
            files = list(path.iterdir()) if path.is_dir() else [path]
            assert len(files) == 1 and files[0].suffix == f".{format}"
    if format == "parquet":
        assert session.sql(f"SELECT * FROM '{tmp_path}/out'").columns == ["id", "text"]
    write(result, format, tmp_path / "out", mode="append")
    write(empty, format, tmp_path / "out", mode="append")
    assert count(session, tmp_path / "out") == 136
    write(empty, format, tmp_path / "out", mode="overwrite")
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_file_is_not_replaced_by_a_directory(session, result, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(FileExistsError):
        result.write_parquet(tmp_path / "out")
    for mode, message in [("overwrite", "it is a file"), ("append", "and this is a file")]:
        with pytest.raises(ValueError, match=message):
            result.write_parquet(tmp_path / "out", mode=mode)
    assert (tmp_path / "out").read_text() == "a file"


def test_a_table_may_overwrite_its_own_files(session, result, tmp_path):
    result.write_parquet(tmp_path / "out")
    session.register("out", tmp_path / "out")
    session.sql("SELECT * FROM out WHERE id % 2 = 0").write_parquet(tmp_path / "out", mode="overwrite")
    assert count(session, tmp_path / "out") == 68


def test_an_error_leaves_what_is_there(session, result, tmp_path):
    for path in [tmp_path / "out", tmp_path / "out.parquet"]:
        result.write_parquet(path)
        failing = session.sql("SELECT 1 / (id - 100) AS n FROM rows")
        with pytest.raises(ValueError, match="Divide by zero"):
            failing.write_parquet(path, mode="overwrite")
        assert count(session, path) == 136


def test_files_are_those_of_other_libraries(session, result, tmp_path):
    result.write_parquet(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 136
    result.write_csv(tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv").equals(result.to_pandas())
    for name in ["out.json", "out.jsonl"]:
        result.write_json(tmp_path / name)
        rows = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        assert rows == result.to_arrow().to_pylist()
    result.write_csv(tmp_path / "out.csv.gz")
    assert pd.read_csv(tmp_path / "out.csv.gz").equals(result.to_pandas())


def test_a_tilde_is_the_home_directory(session, result, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    result.write_parquet("~/out.parquet")
    assert (tmp_path / "out.parquet").exists()
    session.register("out", "~/out.parquet")
    assert session.sql("SELECT * FROM out").num_rows == 136
    assert session.near_duplicates("~/out.parquet").num_rows == 136


@pytest.mark.parametrize("format", FORMATS)
def test_a_place_without_files_is_an_error(result, format):
    for path in ["/proc/x", "/proc/x/", f"/proc/x.{format}", f"/proc/none/out.{format}", "/sys/x"]:
        with pytest.raises((OSError, ValueError), match="proc|sys"):
            write(result, format, path)


def test_wrong_arguments_are_named(session, result, tmp_path):
    with pytest.raises(ValueError, match="mode must be one of error, overwrite, append, found 'w'"):
        result.write_parquet(tmp_path / "out", mode="w")
    with pytest.raises(ValueError, match="the path is empty"):
        result.write_parquet("")
    with pytest.raises(ValueError, match="the name is that of a csv file"):
        result.write_parquet(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
