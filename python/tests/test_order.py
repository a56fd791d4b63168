"""The order of rows: scans keep that of their frame, and what was collected stays as it is."""

from __future__ import annotations

import neardup
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 200_000


@pytest.fixture
def numbers() -> neardup.Session:
    """A session with a frame of several batches of different lengths."""
    session = neardup.connect(threads=4)
    table = pa.table({"i": range(ROWS), "text": [f"text {number % 7}" for number in range(ROWS)]})
    lengths = [1, 100_000, 10, 60_000, 39_989]
    batches = [
        batch
        for number, length in enumerate(lengths)
        for batch in table.slice(sum(lengths[:number]), length).to_batches()
    ]
    session.register("frame", pa.Table.from_batches(batches))
    return session


QUERIES = {
    "SELECT i FROM frame": list(range(ROWS)),
    "SELECT * FROM frame": list(range(ROWS)),
    "SELECT i, upper(text) AS text FROM frame WHERE i % 3 = 0": list(range(0, ROWS, 3)),
    "SELECT i FROM (SELECT i, length(text) AS n FROM frame) WHERE n > 1 AND i > 50000": list(range(50_001, ROWS)),
    "SELECT i FROM frame WHERE i >= 20000 LIMIT 30000": list(range(20_000, 50_000)),
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_scan_of_a_frame_keeps_its_order(numbers, query, tmp_path):
    expected = QUERIES[query]
    assert numbers.sql(query).to_arrow()["i"].to_pylist() == expected
    assert pa.table(numbers.sql(query))["i"].to_pylist() == expected
    assert pl.DataFrame(numbers.sql(query))["i"].to_list() == expected
    assert [i for batch in numbers.sql(query) for i in batch["i"].to_pylist()] == expected
    assert numbers.sql(query).head(9_000)["i"].to_pylist() == expected[:9_000]
    numbers.sql(query).write_parquet(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["i"].to_pylist() == expected
    collected = numbers.sql(query).collect()
    numbers.register("again", collected)
    assert numbers.sql("SELECT i FROM again WHERE i >= 0").to_arrow()["i"].to_pylist() == expected
    collected.write_parquet(tmp_path / "again.parquet")
    assert pq.read_table(tmp_path / "again.parquet")["i"].to_pylist() == expected


def test_small_frames_and_small_batches_keep_their_order():
    for rows in [1, 255, 257, 5000, 8193]:
        # So little memory makes batches of 256 rows.
        session = neardup.connect(threads=3, memory_limit="192M")
        session.register("frame", {"i": range(rows)})
        found = session.sql("SELECT i, md5(i::text) AS m FROM frame WHERE i >= 0")
        assert found.to_arrow()["i"].to_pylist() == list(range(rows))


def test_a_table_of_a_scan_keeps_its_order(numbers):
    numbers.sql("CREATE TABLE made AS SELECT i FROM frame WHERE i % 2 = 0")
    assert numbers.sql("SELECT i FROM made").to_arrow()["i"].to_pylist() == list(range(0, ROWS, 2))


def test_the_first_rows_are_those_of_what_was_collected(session):
    texts = [f"number {number // 2} of many" for number in range(20_000)]
    pairs = session.jaccard_join(texts, shingle="word:1", threshold=1.0).collect()
    rows = pairs.to_arrow().to_pylist()
    assert len(rows) == 10_000
    for count in [0, 1, 5, 9_000, 20_000]:
        assert pairs.head(count).to_arrow().to_pylist() == rows[:count]
    assert pairs.head(100).head(3).to_arrow().to_pylist() == rows[:3]
    shown = pairs.with_texts().to_arrow().to_pylist()
    assert [{name: row[name] for name in pairs.columns} for row in shown] == rows
    assert all(row["text_a"] == texts[row["id_a"]] and row["text_b"] == texts[row["id_b"]] for row in shown)
    assert [row["id_a"] for row in pairs.with_texts().head(5).to_arrow().to_pylist()] == [
        row["id_a"] for row in rows[:5]
    ]


@pytest.mark.parametrize("rows", [-1, 1.5, True, "5", 2**64])
def test_a_number_of_rows_has_a_range(session, rows):
    with pytest.raises(ValueError, match=r"rows must be a whole number in \[0, .*found "):
        session.sql("SELECT 1").head(rows)


def test_rows_of_a_frame_are_decided_in_its_order(session):
    texts = [f"{number} {number * 7} {number * number} x y" for number in range(10_000)]
    ids = list(range(20_000))
    ids.sort(key=lambda id: id * 7919 % 20_011)
    frame = pl.DataFrame({"id": ids, "text": [texts[id // 2] for id in ids], "more": ids})
    kept = session.deduplicate(frame).to_polars()
    assert kept.columns == ["id", "text", "more"]
    assert kept["id"].to_list() == [id for id in ids if id % 2 == 0]
    decided = session.near_duplicates(frame).to_polars()
    assert decided["id"].to_list() == ids
    assert session.keep_mask(frame).to_list() == [id % 2 == 0 for id in ids] == decided["kept"].to_list()
    assert frame.filter(session.keep_mask(frame)).equals(kept)
    numbered = frame.select("text")
    assert session.near_duplicates(numbered).to_polars()["id"].to_list() == list(range(20_000))
    assert session.deduplicate(numbered).columns == ["text"]
