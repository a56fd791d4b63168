"""Large frames: text is not copied, and Ctrl-C ends a running query."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import neardup
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

ROWS = 1_000_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """A million texts of about 100 characters."""
    text = " ".join(["lorem ipsum dolor sit amet consectetur adipiscing elit sed do"] * 2)
    texts = pa.array((f"{number} {text[: 60 + number % 60]}" for number in range(ROWS)), pa.string())
    return pa.table({"id": pa.array(range(ROWS)), "text": texts})


def peak_of(code: str) -> int:
    """Growth of the peak memory in bytes while `code` runs in a process that holds a million texts."""
    script = f"""
import resource, neardup, pyarrow as pa, pandas as pd
text = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor " * 4
table = pa.table({{"id": range({ROWS}), "text": pa.array([text] * {ROWS})}})
frame = table.to_pandas(types_mapper=pd.ArrowDtype)
assert table["text"].nbytes > 300_000_000
session = neardup.connect(threads=2)
session.sql("SELECT 1").collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{code}
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.parametrize("data", ["table", "frame"])
def test_a_large_column_is_not_copied(data):
    grown = peak_of(
        f"""
session.register("docs", {data})
count = session.sql("SELECT count(*) AS n, max(length(text)) AS m FROM docs").to_arrow().to_pylist()
assert count[0]["n"] == {ROWS}
back = session.sql("SELECT id, text FROM docs").to_arrow()
assert back.num_rows == {ROWS}
"""
    )
    # The column alone takes more than 300 MB.
    assert grown < 100_000_000


@pytest.fixture
def interruptible():
    """Installs Python's handler of Ctrl-C, also if the tests run in the background, where SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_query(table, interruptible):
    session = neardup.connect(threads=2)
    session.register("docs", table)
    # The join computes for seconds before it waits for anything; the session must not wait for it.
    # Batches that are ready sooner than a wait checks for signals.
    quick = "SELECT length(md5(docs.text)) AS n FROM docs CROSS JOIN (SELECT id AS n FROM docs LIMIT 1000) AS other"
    stubborn = "SELECT a.id FROM docs a JOIN (SELECT id FROM docs LIMIT 20000) b ON a.id + b.id < 0"
    for call in [
        lambda: session.jaccard_join("docs", threshold=0.3, shingle="char:3").collect(),
        lambda: session.near_duplicates("docs", threshold=0.8).collect(),
        lambda: [batch.num_rows for batch in session.sql("SELECT a.id, b.id FROM docs a CROSS JOIN docs b")],
        lambda: list(session.sql(stubborn)),
        lambda: pa.table(session.sql(quick)),
        lambda: pl.DataFrame(session.sql(quick)),
        lambda: [batch.num_rows for batch in session.sql(quick)],
    ]:
        sent: list[float] = []

        def interrupt() -> None:
            time.sleep(1.0)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            try:
                call()
            except (pa.ArrowException, pl.exceptions.PolarsError):
                # A reader of the stream ends with an error of its own; Python handles the interrupt in the next loop.
                for _ in range(1000):
                    pass
                raise
        ended = time.monotonic()
        thread.join()
        # A bound for a busy machine; on an idle one it is less than half a second.
        assert ended - sent[0] < 5
        begun = time.monotonic()
        assert session.sql("SELECT 1").num_rows == 1
        assert time.monotonic() - begun < 5


def test_other_threads_run_meanwhile(table):
    session = neardup.connect(threads=1)
    session.register("docs", table)
    ticks = 0
    done = threading.Event()

    def query() -> None:
        session.sql("SELECT count(DISTINCT normalize_text(text)) FROM docs").collect()
        done.set()

    thread = threading.Thread(target=query)
    thread.start()
    while not done.wait(0.01):
        ticks += 1
    thread.join()
    assert ticks > 5


def test_progress_is_shown_as_tqdm_does(table, capsys, monkeypatch):
    monkeypatch.setattr("neardup._progress.DELAY_SECONDS", 0.0)
    session = neardup.connect(threads=1, progress=True)
    session.register("docs", table)
    session.sql("SELECT count(DISTINCT normalize_text(text)) FROM docs").collect()
    shown = capsys.readouterr().err
    assert "neardup" in shown and "rows" in shown and "1.00M" in shown
    quiet = neardup.connect(threads=1, progress=False)
    quiet.register("docs", table)
    quiet.sql("SELECT count(DISTINCT normalize_text(text)) FROM docs").collect()
    assert capsys.readouterr().err == ""


def test_arrow_backed_frames_of_pandas(table):
    frame = table.slice(0, 1000).to_pandas(types_mapper=pd.ArrowDtype)
    session = neardup.connect(threads=2)
    found = session.near_duplicates(frame, threshold=0.9)
    assert found.num_rows == 1000
