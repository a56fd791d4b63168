"""Progress bars with tqdm, in terminals and in notebooks."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

#: Queries that take less time show no progress bar.
DELAY_SECONDS = 1.0


class Progress:
    """A progress bar of the rows that a query has read."""

    def __init__(self, wanted: bool | None) -> None:
        self._wanted = _is_watched() if wanted is None else wanted
        self._begun = time.monotonic()
        self._bar: Any = None

    @property
    def callback(self) -> Callable[[int, int | None], object] | None:
        """A function of the rows read and of the total, None if that is unknown; None if no bar is wanted."""
        return self._show if self._wanted else None

    def _show(self, read: int, total: int | None) -> None:
        if time.monotonic() - self._begun < DELAY_SECONDS:
            return
        if self._bar is None:
            self._bar = _tqdm()(total=total, unit=" rows", unit_scale=True, desc="neardup", leave=False)
        self._bar.total = total
        self._bar.n = read
        self._bar.refresh()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def _tqdm() -> Any:
    """The tqdm class for a notebook with widgets, else that for a terminal."""
    if importlib.util.find_spec("ipywidgets") is not None:
        from tqdm.auto import tqdm
    else:
        from tqdm.std import tqdm
    return tqdm


def _is_watched() -> bool:
    """Whether standard error is a terminal, or the process is the kernel of a notebook."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell is not None else None
    return kernel is not None and type(kernel).__name__ == "ZMQInteractiveShell"
