"""Sessions on a cluster of processes, and files in a bucket of a server with the S3 protocol."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import neardup
import pytest

KEYS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


@contextlib.contextmanager
def role(*command: str, env: dict[str, str]) -> Iterator[str]:
    """A role of a cluster, and the line that it prints when it is ready."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    assert process.stderr is not None
    try:
        yield process.stderr.readline()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """A server with the bucket `texts`, as the environment variables that point to it."""
    from moto.server import ThreadedMotoServer

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/texts", method="PUT")
    urllib.request.urlopen(request).close()
    old = dict(os.environ)
    os.environ.update(KEYS, AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    yield dict(os.environ)
    os.environ.clear()
    os.environ.update(old)
    server.stop()


@pytest.fixture(scope="module")
def cluster(bucket: dict[str, str], binary: str, tmp_path_factory) -> Iterator[str]:
    """The address of a scheduler with two executors."""
    with contextlib.ExitStack() as roles:
        line = roles.enter_context(role(binary, "scheduler", "--bind", "127.0.0.1:0", env=bucket))
        address = line.split()[-1]
        for number in range(2):
            work = tmp_path_factory.mktemp(f"executor-{number}")
            line = roles.enter_context(
                role(
                    binary, "executor", "--scheduler", address.removeprefix("df://"),
                    "--slots", "2", "--work-dir", str(work), env=bucket,
                )
            )
            assert line.startswith("executor at"), line
        yield address


def sorted_rows(result: neardup.Result) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for row in result.to_arrow().to_pylist())


def test_a_session_on_a_cluster(cluster, documents, session):
    remote = neardup.connect(cluster, threads=4)
    remote.register("docs", documents)
    session.register("docs", documents)
    for call in [
        lambda s: s.jaccard_join("docs", id="page", text="body", threshold=0.6),
        lambda s: s.near_duplicates("docs", id="page", text="body", keep="longest"),
        lambda s: s.minhash_join(documents, id="page", text="body"),
        lambda s: s.components(s.jaccard_join("docs", id="page", text="body", threshold=0.6)),
    ]:
        assert sorted_rows(call(remote)) == sorted_rows(call(session)) != []
    assert "<del" in remote.jaccard_join("docs", id="page", text="body", threshold=0.6)._repr_html_()


def test_large_tables_need_a_scratch_directory(cluster, tmp_path):
    texts = {"id": list(range(700_000)), "text": [f"{n} " + "word " * 20 for n in range(700_000)]}
    remote = neardup.connect(cluster, threads=4)
    remote.register("docs", texts)
    with pytest.raises(ValueError, match="scratch"):
        remote.sql("SELECT count(*) FROM docs").collect()
    remote = neardup.connect(cluster, threads=4, scratch=tmp_path)
    remote.register("docs", texts)
    assert sorted_rows(remote.sql("SELECT count(*), max(id) FROM docs")) == [(700_000, 699_999)]


def test_a_cluster_that_asks_for_a_token(bucket, binary, tmp_path):
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text("the-token-of-these-tests\n")
    secret = ("--token-file", str(token))
    with contextlib.ExitStack() as roles:
        line = roles.enter_context(role(binary, "scheduler", "--bind", "127.0.0.1:0", *secret, env=bucket))
        url = line.split()[-1]
        address = url.removeprefix("df://")
        roles.enter_context(role(binary, "executor", "--scheduler", address, *secret, env=bucket))
        with pytest.raises(Exception, match="a token is required"):
            neardup.connect(url, threads=2).sql("SELECT 1").collect()
        remote = neardup.connect(url, threads=2, token_file=token)
        assert sorted_rows(remote.sql("SELECT 1")) == [(1,)]
        token.chmod(0o644)
        with pytest.raises(ValueError, match="mode 0644"):
            neardup.connect(url, token_file=token)


def test_nobody_there(bucket):
    remote = neardup.connect("df://127.0.0.1:1", threads=2)
    # The cluster is at fault, and not an argument.
    with pytest.raises(RuntimeError, match="127.0.0.1:1"):
        remote.sql("SELECT 1").collect()


def run(binary: str, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, *arguments], env=env, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("where", ["in one process", "on a cluster"])
def test_a_job_in_a_bucket(where, bucket, cluster, binary, sample, tmp_path):
    dump = sample / "samplewiki-pages-articles.xml.bz2"
    name = where.replace(" ", "-")
    key = f"s3://texts/{name}/dumps/{dump.name}"
    put(bucket, key, dump)
    more = ["--cluster", cluster, "--threads", "4"] if where == "on a cluster" else []
    local = run(binary, bucket, "dedup", str(dump), "-o", str(tmp_path / "out"))
    assert local.returncode == 0, local.stderr
    output = f"s3://texts/{name}/out"
    for attempt in range(2):
        remote = run(binary, bucket, "dedup", f"s3://texts/{name}/dumps/", "-o", output, *more)
        assert remote.returncode == 0, remote.stderr
        assert ("steps done before" in remote.stdout) == (attempt == 1)
    session = neardup.connect(threads=2)
    for table in ["pairs", "clusters", "kept"]:
        found = session.sql(f"SELECT * FROM '{output}/{table}.parquet'")
        expected = session.sql(f"SELECT * FROM '{tmp_path}/out/{table}.parquet'")
        assert sorted_rows(found) == sorted_rows(expected)
    shown = run(binary, bucket, "show", output, "--clusters", "1")
    assert shown.returncode == 0 and "rows" in shown.stdout, shown.stderr


def put(env: dict[str, str], key: str, file: Path) -> None:
    url = env["AWS_ENDPOINT_URL"] + "/" + key.removeprefix("s3://")
    request = urllib.request.Request(url, data=file.read_bytes(), method="PUT")
    # Without a content type the server would parse the body as a form.
    request.add_header("Content-Type", "application/octet-stream")
    urllib.request.urlopen(request).close()


def test_files_of_a_bucket(bucket, cluster, sample, session):
    put(bucket, "s3://texts/tables/documents.jsonl", sample / "documents.jsonl")
    for each in (session, neardup.connect(cluster, threads=4)):
        each.register("docs", "s3://texts/tables/*.jsonl")
        pairs = each.jaccard_join("docs", text="body", threshold=0.9)
        assert len(sorted_rows(pairs)) == 3
        each.sql("COPY (SELECT id, body FROM docs) TO 's3://texts/tables/copy.parquet'")
        assert sorted_rows(each.sql("SELECT count(*) FROM 's3://texts/tables/copy.parquet'")) == [(33,)]
        each.sql("SELECT id FROM docs").write_parquet(
            "s3://texts/tables/ids.parquet", mode="overwrite"
        )
        assert sorted_rows(each.sql("SELECT count(*) FROM 's3://texts/tables/ids.parquet'")) == [(33,)]
        with pytest.raises(FileExistsError, match="s3://texts/tables/ids.parquet: it exists"):
            each.sql("SELECT 1").write_parquet("s3://texts/tables/ids.parquet")
        for mode in ["overwrite", "overwrite", "append"]:
            each.sql("SELECT id FROM docs").write_parquet("s3://texts/tables/all/", mode=mode)
        assert sorted_rows(each.sql("SELECT count(*) FROM 's3://texts/tables/all/'")) == [(66,)]


def test_errors_of_a_bucket_are_reported(bucket, binary, session):
    with pytest.raises(FileNotFoundError, match="s3://texts/none.parquet"):
        session.register("docs", "s3://texts/none.parquet")
    for arguments in [["s3://nobodys/dump.xml"], ["s3://texts/none.xml"]]:
        failed = run(binary, bucket, "dedup", *arguments, "-o", "s3://texts/faults")
        assert failed.returncode == 1 and arguments[0] in failed.stderr
    without_keys = {name: value for name, value in bucket.items() if not name.startswith("AWS_ACCESS")}
    failed = run(binary, without_keys | {"AWS_EC2_METADATA_DISABLED": "true"}, "sql", "-c", "SELECT 1")
    assert failed.returncode == 0
