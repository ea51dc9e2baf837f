"""Reductions of arrays: exact, in order, the same bits everywhere."""

import numpy as _np

from . import _core, _dtypes, _extrema, _folds, _operations
from ._errors import DeviceUnavailable, EmptyInput, IntegerOverflow, MalformedState, NanFound
from ._folds import reduce
from ._groups import group_by
from ._info import info
from ._operations import Operation, set_threads
from ._progress import progress
from ._results import Stats, TopK
from ._rolling import rolling
from ._runs import reduce_by_key
from ._scan import cumulative_prod, cumulative_sum, scan
from ._segments import segmented_reduce
from ._state import State

_core.set_array_maker(_np.ndarray, _dtypes.NUMPY_TYPES, _dtypes.ARRAY_FUNCTIONS)
_core.set_best_type(TopK)
_core.set_double_type(_np.float64)
__version__ = _core.version()

# The one place that puts the names of operations here, so that they are what `from monofold import` sees.
sum = _operations.make("sum")
mean = _operations.make("mean")
mean_square = _operations.make("mean_square")
var = _operations.make("var")
std = _operations.make("std")
min = _operations.make("min")
max = _operations.make("max")
minmax = _operations.make("minmax")
argmin = _operations.make("argmin")
argmax = _operations.make("argmax")
top_k = _operations.make("top_k")
bottom_k = _operations.make("bottom_k")
any = _operations.make("any")
all = _operations.make("all")
count = _operations.make("count")
count_nonzero = _operations.make("count_nonzero")
count_nan = _operations.make("count_nan")
prod = _operations.make("prod")
norm = _operations.make("norm")
logsumexp = _operations.make("logsumexp")
softmax_denominator = _operations.make("softmax_denominator")
dot = _operations.make("dot")
bit_and = _operations.make("bit_and")
bit_or = _operations.make("bit_or")
bit_xor = _operations.make("bit_xor")
stats = _folds.StatsFold()

from . import plain  # noqa: E402

__all__ = [
    "DeviceUnavailable", "EmptyInput", "IntegerOverflow", "MalformedState", "NanFound", "Operation", "State", "Stats",
    "TopK", "all", "any", "argmax", "argmin", "bit_and", "bit_or", "bit_xor", "bottom_k", "count", "count_nan",
    "count_nonzero", "cumulative_prod", "cumulative_sum", "dot", "group_by", "info", "logsumexp", "max", "mean",
    "mean_square", "min", "minmax", "norm", "plain", "prod", "progress", "reduce", "reduce_by_key", "rolling", "scan",
    "segmented_reduce", "set_threads", "softmax_denominator", "stats", "std", "sum", "top_k", "var",
]
