"""Reductions of Dask arrays: the bytes of one array, whatever its chunks, the scheduler and the tree."""

from . import _dask
from ._dask import reduce, state
from ._dask_several import minmax, stats, top_k

__all__ = ["all", "any", "argmax", "argmin", "count", "count_nonzero", "logsumexp", "max", "mean", "mean_square", "min",
           "minmax", "norm", "prod", "reduce", "state", "stats", "std", "sum", "top_k", "var"]

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
count_nonzero = _dask.make("count_nonzero")
prod = _dask.make("prod")
norm = _dask.make("norm")
logsumexp = _dask.make("logsumexp")
