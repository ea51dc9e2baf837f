from typing import Any, Protocol

from . import Axis, Fold, Nan, Operation, Stats, TopK

__all__ = ["all", "any", "argmax", "argmin", "count", "count_nonzero", "logsumexp", "max", "mean", "mean_square", "min",
           "minmax", "norm", "prod", "reduce", "state", "stats", "std", "sum", "top_k", "var"]

class _Reduction(Protocol):
    def __call__(self, d: Any, axis: Axis | None = None, *, keepdims: bool = False, dtype: Any = None,
                 nan: Nan | None = None, split_every: int | None = None, **options: Any) -> Any: ...

sum: _Reduction
mean: _Reduction
mean_square: _Reduction
var: _Reduction
std: _Reduction
min: _Reduction
max: _Reduction
argmin: _Reduction
argmax: _Reduction
any: _Reduction
all: _Reduction
count: _Reduction
count_nonzero: _Reduction
prod: _Reduction
norm: _Reduction
logsumexp: _Reduction

def minmax(d: Any, axis: Axis | None = None, *, keepdims: bool = False, nan: Nan | None = None,
           split_every: int | None = None) -> tuple[Any, Any]: ...
def top_k(d: Any, k: int = 10, axis: Axis | None = None, *, keepdims: bool = False, nan: Nan | None = None,
          split_every: int | None = None) -> TopK: ...
def stats(d: Any, axis: Axis | None = None, *, keepdims: bool = False, nan: Nan | None = None, correction: int = 0,
          split_every: int | None = None) -> Stats: ...
def state(d: Any, fold: Operation[Any] | Fold, *, nan: Nan | None = None, split_every: int | None = None) -> Any: ...
def reduce(d: Any, fold: Operation[Any] | Fold, *, nan: Nan | None = None, split_every: int | None = None) -> Any: ...
