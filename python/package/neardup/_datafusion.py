"""For sessions of the Python package datafusion."""

from __future__ import annotations

from typing import Any

from . import _neardup


def register(context: Any) -> None:
    """Adds the scalar functions to a `datafusion.SessionContext`.

    Args:
        context: A session of the Python package datafusion, of the major version that this package has
            inside (:data:`neardup.DATAFUSION_VERSION`).

    Raises:
        ImportError: If the package datafusion has another major version.
        TypeError: If it is no such session.
    """
    datafusion = _package(context)
    for function in _neardup.scalar_functions():
        context.register_udf(datafusion.udf(function))


def _package(context: Any) -> Any:
    """The package datafusion, if the context is one of its sessions and both sides fit together."""
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
