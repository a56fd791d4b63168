"""Functions for sessions of the Python package datafusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

from . import _neardup
from ._calls import identifier, named_as_in_python, names_of, written_call
from ._table_functions import TableFunctions


def register(context: Any) -> None:
    """Adds the scalar functions and the aggregates to a `datafusion.SessionContext`.

    Args:
        context: A session of the Python package datafusion, of the same major version as the engine in this
            package (:data:`neardup.DATAFUSION_VERSION`).

    Raises:
        ImportError: If the package datafusion has another major version.
        TypeError: If `context` is not such a session.
    """
    datafusion = _package(context)
    for function in _neardup.scalar_functions():
        context.register_udf(datafusion.udf(function))
    for aggregate in _neardup.aggregate_functions():
        context.register_udaf(datafusion.udaf(aggregate))


def expand(
    name: str,
    /,
    *relations: str,
    schema: pyarrow.Schema | Sequence[pyarrow.Schema] | None = None,
    **arguments: object,
) -> str:
    """The SQL query that a table function expands to: standard operators over the functions that
    :func:`register` adds.

    >>> print(expand("components", "pairs"))  # doctest: +ELLIPSIS
    WITH neardup_1_input AS (...

    This query materialises all candidates before they are verified; a session of :func:`neardup.connect` streams
    them.

    Args:
        name: Name of the table function.
        relations: Names of its tables.
        schema: The columns of the tables, one schema for each. Without it the tables are assumed to have the
            columns that the call names: ids as 64-bit integers, all others as texts.
        arguments: The arguments of the function, as for the method of :class:`neardup.Session`.

    Raises:
        ValueError: If the call does not plan, or reads dumps.
    """
    return _Expanded(relations, schema).call(name, arguments)


def table(context: Any, name: str, /, *relations: str, **arguments: object) -> Any:
    """Plans a table function in a `datafusion.SessionContext` to which :func:`register` was applied.

    Args:
        context: The session.
        name: Name of the table function.
        relations: Names of tables of the session.
        arguments: The arguments of the function, as for the method of :class:`neardup.Session`.

    Returns:
        A `datafusion.DataFrame`.

    Raises:
        ImportError: If the package datafusion has another major version.
        ValueError: If :func:`register` was not applied, or if the call does not plan, or reads dumps.
    """
    _package(context)
    try:
        context.sql("SELECT same_text('id', 'a', 'a')")
    except Exception:
        raise ValueError("the session lacks the functions of neardup: call neardup.register(context) first") from None
    schemas = [context.table(relation).schema() for relation in relations]
    return context.sql(expand(name, *relations, schema=schemas, **arguments))


class _Expanded(TableFunctions):
    """Converts calls whose relations are table names to SQL."""

    def __init__(
        self, relations: Sequence[str], schema: pyarrow.Schema | Sequence[pyarrow.Schema] | None
    ) -> None:
        self._relations = relations
        self._schemas = [schema] if isinstance(schema, pyarrow.Schema) else schema
        self._text = ""

    def call(self, name: str, arguments: dict[str, object]) -> str:
        """The SQL of a call."""
        method = getattr(self, name, None) if not name.startswith("_") and name != "call" else None
        if method is None:
            known = [name for name in vars(TableFunctions) if not name.startswith("_")]
            raise ValueError(f"there is no table function {name!r}; there are: {', '.join(known)}")
        method(*self._relations, **arguments)
        return self._text

    def _call(
        self, function: str, relations: Sequence[Any], columns: Sequence[str], **arguments: object
    ) -> Any:
        names = [relation for relation in relations if relation is not None]
        schemas = self._schemas
        if schemas is None:
            if function == "deduplicate":
                raise ValueError("deduplicate: the result has the columns of the table: give schema=…")
            schemas = [_guessed(columns, arguments)] * len(names)
        if len(schemas) != len(names):
            raise ValueError(f"{function}: {len(names)} relations have {len(schemas)} schemas")
        call = written_call(function, [identifier(name) for name in names], columns, arguments)
        with named_as_in_python(function, arguments):
            self._text = _neardup.sql_text(call, list(zip(names, schemas)))


def _guessed(columns: Sequence[str], arguments: dict[str, object]) -> pyarrow.Schema:
    """The columns that a call names explicitly or by default, with assumed types."""
    fields: dict[str, pyarrow.DataType] = {}
    for column in [*columns, "id_a", "id_b", "id", "text"]:
        kind = pyarrow.int64() if column.startswith("id") else pyarrow.string()
        for name in names_of(arguments.get(column) or column):
            fields.setdefault(name, kind)
    return pyarrow.schema(fields.items())


def _package(context: Any) -> Any:
    """The package datafusion; an error if its version differs or the context is not one of its sessions."""
    import datafusion

    ours = _neardup.DATAFUSION_VERSION
    if datafusion.__version__.partition(".")[0] != ours.partition(".")[0]:
        raise ImportError(
            f"neardup {_neardup.VERSION} has DataFusion {ours} inside and cannot share functions with the "
            f"package datafusion {datafusion.__version__}: install datafusion=={ours.partition('.')[0]}.*"
        )
    if not isinstance(context, datafusion.SessionContext):
        raise TypeError(
            f"expected a datafusion.SessionContext, found {type(context).__module__}.{type(context).__qualname__}"
        )
    return datafusion
