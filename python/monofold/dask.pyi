from typing import Any, Protocol, TypeAlias

from . import Axis, Fold, Nan, Operation, Stats, TopK

__all__ = ["all", "any", "argmax", "argmin", "bit_and", "bit_or", "bit_xor", "bottom_k", "count", "count_nan",
           "count_nonzero", "dot", "logsumexp", "max", "mean", "mean_square", "min", "minmax", "norm", "prod", "reduce",
           "state", "stats", "std", "sum", "top_k", "var"]

_Split: TypeAlias = int | dict[int, int] | None

class _Reduction(Protocol):
    def __call__(self, d: Any, axis: Axis | None = None, *, keepdims: bool = False, dtype: Any = None,
                 where: Any = None, nan: Nan | None = None, split_every: _Split = None, **options: Any) -> Any: ...

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
count_nan: _Reduction
count_nonzero: _Reduction
bit_and: _Reduction
bit_or: _Reduction
bit_xor: _Reduction
prod: _Reduction
norm: _Reduction
logsumexp: _Reduction

def dot(x: Any, y: Any, axis: Axis | None = None, *, keepdims: bool = False, dtype: Any = None,
        nan: Nan | None = None, split_every: _Split = None) -> Any: ...
def minmax(d: Any, axis: Axis | None = None, *, keepdims: bool = False, where: Any = None, nan: Nan | None = None,
           split_every: _Split = None) -> tuple[Any, Any]: ...
def top_k(d: Any, k: int = 10, axis: Axis | None = None, *, keepdims: bool = False, where: Any = None,
          nan: Nan | None = None, split_every: _Split = None) -> TopK: ...
def bottom_k(d: Any, k: int = 10, axis: Axis | None = None, *, keepdims: bool = False, where: Any = None,
             nan: Nan | None = None, split_every: _Split = None) -> TopK: ...
def stats(d: Any, axis: Axis | None = None, *, keepdims: bool = False, where: Any = None, nan: Nan | None = None,
          correction: float = 0, split_every: _Split = None) -> Stats: ...
def state(d: Any, fold: Operation[Any] | Fold, *, nan: Nan | None = None, split_every: _Split = None) -> Any: ...
def reduce(d: Any, fold: Operation[Any] | Fold, axis: Axis | None = None, *, keepdims: bool = False, where: Any = None,
           nan: Nan | None = None, split_every: _Split = None) -> Any: ...
