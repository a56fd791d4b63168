"""The types of the public interface: mypy checks this file, and it is never run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import neardup

if TYPE_CHECKING:
    import pandas
    import polars


def typed(frame: pandas.DataFrame, other: polars.DataFrame) -> neardup.Result:
    session = neardup.connect(threads=2, memory_limit="1G")
    session.register("docs", frame)
    session.register("other", other)
    session.register("dump", "enwiki.xml.bz2")
    pairs: neardup.Result = session.minhash_join(frame, other, text="body", threshold=0.8, verify="exact")
    back: pandas.DataFrame = pairs.to_pandas()
    polar: polars.DataFrame = pairs.to_polars()
    count: int = pairs.num_rows + len(back) + polar.height
    session.sql("SELECT $n", n=count)
    session.jaccard_join(["one two", "three four"], (text for text in ["five"]))
    session.jaccard_join(frame["body"], other.lazy(), text="body")
    kept = frame[session.keep_mask(frame, text="body")]
    frame["same"] = session.pairwise_similarity(frame["a"], frame["b"], measure="edit")
    pairs.write_csv("pairs.csv", mode="overwrite")
    pairs.write_csv("pairs.csv", mode="replace")  # type: ignore[arg-type]
    with neardup.connect() as other_session:
        count += len(other_session.sql("SELECT 1")) + len(pairs["id_a"]) + len(kept)
    session.minhash_join(frame, verify="exakt")  # type: ignore[arg-type]
    session.minhash_join(frame, treshold=0.8)  # type: ignore[call-arg]
    session.minhash_join(3)  # type: ignore[arg-type]
    return session.deduplicate(pairs, keep="longest")
