from collections.abc import Iterable
from typing import Any, Generic, Literal, NamedTuple, Self, TextIO, TypeAlias, TypeVar

from . import plain as plain

Nan: TypeAlias = Literal["propagate", "omit", "raise"]
Array: TypeAlias = Any  # of any library
Axis: TypeAlias = int | tuple[int, ...]
Answer = TypeVar("Answer")

class EmptyInput(ValueError): ...
class IntegerOverflow(OverflowError): ...
class DeviceUnavailable(RuntimeError): ...
class MalformedState(ValueError): ...

class NanFound(ValueError):
    index: int | tuple[int, ...] | None
    def __init__(self, message: str, index: int | tuple[int, ...] | None = None) -> None: ...

class TopK(NamedTuple):
    values: Array
    indices: Array

class Stats(NamedTuple):
    count: Any
    nan: Any
    sum: Any
    mean: Any
    var: Any
    std: Any
    min: Any
    argmin: Any
    max: Any
    argmax: Any

class Fold:
    operations: tuple[Operation[Any], ...]

class Operation(Generic[Answer]):
    def __call__(self, x: Array = ..., axis: Axis | None = None, *, keepdims: bool = False, dtype: Any = None,
                 out: Any = None, where: Any = None, nan: Nan | None = None, correction: float = ..., ord: float = ...,
                 ) -> Any: ...
    def with_options(self, nan: Nan | None = None, correction: float | None = None, k: int | None = None) -> Self: ...

class _Extremum(Operation[int]):
    def __call__(self, x: Array = ..., axis: Axis | None = None, *, keepdims: bool = False,  # type: ignore[override]
                 dtype: Any = None, out: Any = None, where: Any = None, nan: Nan | None = None,
                 global_index: bool = False) -> Any: ...

class _Ranking(Operation[TopK]):
    def __call__(self, x: Array = ..., k: int | None = None, axis: Axis | None = None, *,  # type: ignore[override]
                 keepdims: bool = False, dtype: Any = None, out: Any = None, where: Any = None,
                 nan: Nan | None = None, global_index: bool = False) -> Any: ...

class _Dot(Operation[float]):
    def __call__(self, x: Array = ..., y: Array = ..., axis: Axis | None = None, *,  # type: ignore[override]
                 keepdims: bool = False, dtype: Any = None, out: Any = None, where: Any = None,
                 nan: Nan | None = None) -> Any: ...

class _All(Operation[bool]):
    def __call__(self, x: Any = ..., *others: Any, **options: Any) -> Any: ...

class _Stats(Fold):
    def __call__(self, x: Array = ..., axis: Axis | None = None, *, keepdims: bool = False, where: Any = None,
                 nan: Nan | None = None, correction: float | None = None, global_index: bool = False) -> Stats: ...

class State:
    def __init__(self, fold: Operation[Any] | Fold, dtype: Any, first_index: int = 0, *, nan: Nan | None = None) -> None: ...
    @classmethod
    def load(cls, data: bytes) -> State: ...
    @property
    def dtype(self) -> str: ...
    @property
    def fold(self) -> Operation[Any] | Fold: ...
    @property
    def count(self) -> int: ...
    def push(self, x: Array, other: Array | None = None) -> State: ...
    def merge(self, other: State) -> State: ...
    def subtract(self, other: State) -> State: ...
    def append(self, other: State) -> State: ...
    def finish(self) -> Any: ...
    def digest(self) -> bytes: ...
    def copy(self) -> State: ...
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> State: ...
    def __bytes__(self) -> bytes: ...
    def __eq__(self, other: object) -> bool: ...

def reduce(x: Array, fold: Operation[Any] | Fold, axis: Axis | None = None, *, keepdims: bool = False,
           dtype: Any = None, out: Any = None, where: Any = None, nan: Nan | None = None,
           global_index: bool = False) -> Any: ...
def segmented_reduce(x: Array, fold: Operation[Any] | Fold, offsets: Iterable[int] | None = None, *,
                     starts: Iterable[int] | None = None, stops: Iterable[int] | None = None, dtype: Any = None,
                     nan: Nan | None = None, global_index: bool = False) -> Any: ...
def rolling(x: Array, window: int, fold: Operation[Any] | Fold, axis: int = -1, *, dtype: Any = None,
            nan: Nan | None = None, global_index: bool = False) -> Any: ...
def scan(x: Array, fold: Operation[Any] | Fold, axis: int | None = None, *, dtype: Any = None, nan: Nan | None = None,
         include_initial: bool = False) -> Any: ...
def cumulative_sum(x: Array, axis: int | None = None, *, dtype: Any = None, nan: Nan | None = None,
                   include_initial: bool = False) -> Any: ...
def cumulative_prod(x: Array, axis: int | None = None, *, dtype: Any = None, nan: Nan | None = None,
                    include_initial: bool = False) -> Any: ...
def group_by(keys: Any, x: Array, fold: Operation[Any] | Fold, *, order: Literal["key", "first"] = "key",
             dtype: Any = None, nan: Nan | None = None, global_index: bool = False) -> tuple[Any, Any]: ...
def reduce_by_key(keys: Any, x: Array, fold: Operation[Any] | Fold, *, dtype: Any = None,
                  nan: Nan | None = None, global_index: bool = False) -> tuple[Any, Any]: ...
class progress:
    def __init__(self, total: Array | int | None = None, *, file: TextIO | None = None) -> None: ...
    def __enter__(self) -> progress: ...
    def __exit__(self, *failure: object) -> None: ...

def set_threads(count: int) -> None: ...
def info() -> dict[str, Any]: ...

__version__: str
sum: Operation[Any]
mean: Operation[float]
mean_square: Operation[float]
var: Operation[float]
std: Operation[float]
min: Operation[Any]
max: Operation[Any]
minmax: Operation[tuple[Any, Any]]
argmin: _Extremum
argmax: _Extremum
top_k: _Ranking
bottom_k: _Ranking
any: Operation[bool]
all: _All
count: Operation[int]
count_nonzero: Operation[int]
count_nan: Operation[int]
prod: Operation[Any]
norm: Operation[Any]
logsumexp: Operation[float]
softmax_denominator: Operation[tuple[float, float]]
dot: _Dot
bit_and: Operation[int]
bit_or: Operation[int]
bit_xor: Operation[int]
stats: _Stats
