"""Former names of parameters, which methods accept with a warning."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from . import _neardup

Class = TypeVar("Class", bound=type)


def accepts_former_names(cls: Class) -> Class:
    """Makes the methods of a class accept the former names of their parameters."""
    for name, method in list(vars(cls).items()):
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        known = inspect.signature(method).parameters
        former = {old: new for old, new in _neardup.former_names() if new in known}
        if former:
            setattr(cls, name, _with_former_names(method, former))
    return cls


def _with_former_names(method: Callable[..., Any], former: dict[str, str]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **arguments: Any) -> Any:
        for old, new in former.items():
            if old not in arguments:
                continue
            if new in arguments:
                raise TypeError(f"{method.__name__}: {new} is given twice, once as {old}")
            warnings.warn(
                f"{method.__name__}: {old} is the former name of {new}", DeprecationWarning, stacklevel=2
            )
            arguments[new] = arguments.pop(old)
        return method(*args, **arguments)

    return call
