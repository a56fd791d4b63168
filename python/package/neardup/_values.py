"""Checks of arguments, with errors that name the argument and its range."""

from __future__ import annotations

import math
import os
from typing import Any

import pyarrow

#: Maximum number of threads or tasks.
MAX_THREADS = 65_536

#: Upper bound of sizes in bytes.
MAX_BYTES = 10**18

#: Maximum number of seconds of a timeout.
MAX_SECONDS = 10**9


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number in a range, also of NumPy."""
    value = value.item() if hasattr(value, "item") else value
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or value < low or (high is not None and value > high):  # type: ignore[operator]
        range_ = f"in [{low}, {high}]" if high is not None else f"of {low} or more"
        raise ValueError(f"{name} must be a whole number {range_}, found {value!r}")
    return value  # type: ignore[return-value]


def size(name: str, value: int | str | None) -> str | None:
    """A size in bytes, as the engine reads it: a text is checked there."""
    if value is None or isinstance(value, str):
        return value
    return str(whole_number(name, value, 1, MAX_BYTES - 1))


def seconds(name: str, value: float) -> float:
    """A positive number of seconds."""
    number = value.item() if hasattr(value, "item") else value
    if (
        isinstance(number, bool)
        or not isinstance(number, (int, float))
        or math.isnan(number)
        or not 0 < number <= MAX_SECONDS
    ):
        raise ValueError(f"{name} must be a number of seconds in (0, {MAX_SECONDS}], found {value!r}")
    return float(number)


def path(value: str | os.PathLike[str]) -> str:
    """A path as text, with the home directory in place of a leading `~`."""
    return os.path.expanduser(os.fspath(value))


def table_of_value(name: str, value: Any) -> pyarrow.Table:
    """The value of an SQL parameter, as a table of one row."""
    if type(value).__name__ == "NAType":
        value = None
    is_large = isinstance(value, int) and value >= 2**63
    try:
        column = pyarrow.array([value], pyarrow.uint64() if is_large else None)
    except OverflowError:
        raise ValueError(
            f"parameter ${name}: a whole number must be in [-2**63, 2**64 - 1], found {value!r}"
        ) from None
    except (pyarrow.ArrowInvalid, UnicodeError) as error:
        raise ValueError(f"parameter ${name}: {error}") from None
    return pyarrow.table({"value": column})
