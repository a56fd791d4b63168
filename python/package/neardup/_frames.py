"""Data of other libraries as Arrow tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import pyarrow


@runtime_checkable
class ArrowStream(Protocol):
    """An object with the Arrow C stream interface: Polars, PyArrow, DuckDB, datafusion and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@dataclass(frozen=True)
class Frame:
    """A table with the rows of a data frame, in its order."""

    table: pyarrow.Table
    #: Names that several columns of the frame have; the table has numbers after all but the first.
    repeated: frozenset[str]
    #: Converts an array with a value for each row to the kind of the frame.
    like: Callable[[pyarrow.Array], Any]


def frame(data: Any, column: str, used: frozenset[str] | None = None) -> Frame:
    """Data as a table; values without a name, such as a list of texts, become a column of the given name.

    If only the columns `used` are needed, those of a pandas frame that Arrow has no type for are left out.
    """
    if _is(data, "polars", "LazyFrame"):
        data = data.collect()
    if _is(data, "pandas", "DataFrame"):
        return _named(_of_pandas(data, used), [str(name) for name in data.columns], _series(data))
    if _is(data, "pandas", "Series") or _is(data, "pandas", "Index"):
        values = pyarrow.Array.from_pandas(data)
        like = _series(data) if _is(data, "pandas", "Series") else _same
        return Frame(pyarrow.table({column: values}), frozenset(), like)
    like = _polars if type(data).__module__.partition(".")[0] == "polars" else _same
    if _is(data, "polars", "Series"):
        return Frame(pyarrow.table({column: data.to_arrow()}), frozenset(), like)
    table = _table(data, column)
    return _named(table, table.column_names, like)


def _table(data: Any, column: str) -> pyarrow.Table:
    if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
        return pyarrow.table({column: data})
    if isinstance(data, ArrowStream):
        return pyarrow.table(data)
    if hasattr(data, "__arrow_c_array__"):
        return pyarrow.Table.from_batches([pyarrow.record_batch(data)])
    if isinstance(data, Mapping):
        return pyarrow.table({name: _values(values) for name, values in data.items()})
    if _is(data, "pyarrow", "Dataset") or _is(data, "pyarrow", "Scanner"):
        return data.to_table()
    if _is(data, "numpy", "ndarray"):
        return pyarrow.table({column: _values(data)})
    if isinstance(data, Iterator):
        data = list(data)
        if any(isinstance(part, ArrowStream) or hasattr(part, "__arrow_c_array__") for part in data):
            return pyarrow.concat_tables([_table(part, column) for part in data])
    if isinstance(data, (list, tuple)):
        if data and all(isinstance(row, Mapping) for row in data):
            return pyarrow.Table.from_pylist(list(data))
        kind = None if data else pyarrow.string()
        return pyarrow.table({column: pyarrow.array(data, kind, from_pandas=True)})
    kind = type(data)
    raise TypeError(
        "expected a data frame, an Arrow table, a dictionary of columns, a column or a list of values, an iterator "
        "of batches, a result, the name of a table or a path, "
        f"found {kind.__module__}.{kind.__qualname__}"
    )


def _named(table: pyarrow.Table, names: list[str], like: Callable[[pyarrow.Array], Any]) -> Frame:
    repeated = frozenset(name for name in names if names.count(name) > 1)
    return Frame(table.rename_columns(distinct(table.column_names)), repeated, like)


def distinct(names: list[str]) -> list[str]:
    """The names with numbers after those that have occurred before, as `pandas.read_csv` does."""
    taken = set(names)
    seen: set[str] = set()
    found = []
    for name in names:
        new = name
        if name in seen:
            numbers = itertools.count(1)
            new = next(f"{name}.{number}" for number in numbers if f"{name}.{number}" not in taken)
            taken.add(new)
        seen.add(name)
        found.append(new)
    return found


def _is(data: object, package: str, name: str) -> bool:
    """Whether data is of a class of a package, which need not be installed."""
    return any(
        kind.__name__ == name and kind.__module__.partition(".")[0] == package for kind in type(data).__mro__
    )


def _values(values: Any) -> Any:
    """Values of a column, as PyArrow takes them; the rows of a matrix are lists."""
    if _is(values, "numpy", "ndarray") and values.ndim == 2:
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.reshape(-1)), values.shape[1])
    return values


def _of_pandas(data: Any, used: frozenset[str] | None) -> pyarrow.Table:
    index = data.index
    counts = type(index).__name__ == "RangeIndex" and index.name is None and index.start == 0
    if not (counts and index.step == 1):
        try:
            data = data.reset_index()
        except ValueError as error:
            raise ValueError(
                f"the index of the frame becomes a column: {error}; rename the index, or drop it with "
                "reset_index(drop=True)"
            ) from None
    named = data.set_axis(distinct([str(name) for name in data.columns]), axis=1)
    try:
        table = pyarrow.Table.from_pandas(named, preserve_index=False)
    except (pyarrow.ArrowException, TypeError):
        if used is None:
            raise
        needed = [name for name in named.columns if name in used]
        table = pyarrow.Table.from_pandas(named[needed], preserve_index=False)
    # The engine does not use the metadata of pandas.
    return table.replace_schema_metadata(None)


def _same(values: pyarrow.Array) -> pyarrow.Array:
    return values


def _series(data: Any) -> Callable[[pyarrow.Array], Any]:
    def like(values: pyarrow.Array) -> Any:
        import pandas

        return pandas.Series(values.to_numpy(zero_copy_only=False), index=data.index)

    return like


def _polars(values: pyarrow.Array) -> Any:
    import polars

    return polars.from_arrow(values)
