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
    session.minhash_join(frame, verify="exakt")  # type: ignore[arg-type]
    session.minhash_join(frame, treshold=0.8)  # type: ignore[call-arg]
    session.minhash_join(3)  # type: ignore[arg-type]
    return session.deduplicate(pairs, keep="longest")
