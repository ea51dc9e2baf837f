"""Reductions of Dask arrays: the bytes of one array, whatever its chunks, the scheduler and the tree."""

from . import _dask
from ._dask import dot, state
from ._dask_several import bottom_k, minmax, reduce, stats, top_k

__all__ = ["all", "any", "argmax", "argmin", "bit_and", "bit_or", "bit_xor", "bottom_k", "count", "count_nan",
           "count_nonzero", "dot", "logsumexp", "max", "mean", "mean_square", "min", "minmax", "norm", "prod", "reduce",
           "state", "stats", "std", "sum", "top_k", "var"]

sum = _dask.make("sum")
mean = _dask.make("mean")
mean_square = _dask.make("mean_square")
var = _dask.make("var")
std = _dask.make("std")
min = _dask.make("min")
max = _dask.make("max")
argmin = _dask.make("argmin")
argmax = _dask.make("argmax")
any = _dask.make("any")
all = _dask.make("all")
count = _dask.make("count")
count_nan = _dask.make("count_nan")
count_nonzero = _dask.make("count_nonzero")
bit_and = _dask.make("bit_and")
bit_or = _dask.make("bit_or")
bit_xor = _dask.make("bit_xor")
prod = _dask.make("prod")
norm = _dask.make("norm")
logsumexp = _dask.make("logsumexp")
