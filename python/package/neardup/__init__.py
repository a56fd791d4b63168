"""Near-duplicate text at scale, over a DataFusion session.

>>> import neardup
>>> session = neardup.connect()
>>> pairs = session.jaccard_join({"id": [1, 2, 3], "text": ["one two three four", "One two three four!", "five"]})
>>> pairs.to_arrow().to_pylist()
[{'id_a': 1, 'id_b': 2, 'similarity': 1.0}]
"""

from ._datafusion import expand, register, table
from ._neardup import DATAFUSION_VERSION
from ._neardup import VERSION as __version__
from ._result import Result
from ._session import Data, Session, connect

__all__ = [
    "DATAFUSION_VERSION",
    "Data",
    "Result",
    "Session",
    "__version__",
    "connect",
    "expand",
    "register",
    "table",
]
