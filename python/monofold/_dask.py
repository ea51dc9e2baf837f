"""How Dask arrays are reduced: a state a chunk, joined in the order of chunks."""

import functools
import math

import dask
import dask.array as da
import numpy as np

from . import _arrays, _core, _dtypes, _folds, _operations, _rows, _whole
from ._state import State

TILE = 4096  # states that begin at a multiple of so many items are merged without a change of bits


def joined(d, fold, nan, split_every):
    """An array of one object: the state of all items."""
    check(d)
    in_order = nan == "raise" or fold.plain or not all(kind.any_order for kind in fold.kinds)
    if d.ndim == 0:
        d = d.reshape((1,))
    if in_order:
        d = in_slabs(d)
    row_items = math.prod(d.shape[1:]) if in_order else 0
    nothing = np.empty((0,) * d.ndim, object)
    # Chunks may be of unknown sizes: only where the order matters is the place of a chunk asked for.
    make_state = functools.partial(placed_state_of if in_order else state_of, fold=fold, nan=nan)
    states = d.map_blocks(make_state, **{"row_items": row_items} if in_order else {}, dtype=object,
                          chunks=tuple((1,) * count for count in d.numblocks), meta=nothing)
    join = functools.partial(join_states, in_order=in_order)
    return da.reduction(states, chunk=as_they_are, combine=join, aggregate=join, dtype=object, keepdims=True,
                        split_every=split_every, meta=nothing)


def in_slabs(d):
    """The same items in chunks of whole rows that begin at a tile: chunks are then in the order of items."""
    row_items = math.prod(d.shape[1:])
    rows = TILE // math.gcd(TILE, row_items) if row_items else 1
    rows *= max(1, max(d.chunks[0]) // rows)
    return d.rechunk({0: min(rows, max(d.shape[0], 1))} | {axis: -1 for axis in range(1, d.ndim)})


def check(d):
    if not isinstance(d, da.Array):
        raise TypeError(f"monofold.dask takes Dask arrays, not {type(d).__name__}")


def placed_state_of(block, fold, nan, row_items, block_info=None):
    return state_of(block, fold, nan, block_info[0]["array-location"][0][0] * row_items)


def state_of(block, fold, nan, first=0):
    return as_array(State(fold, block.dtype, first, nan=nan).push(block), block.ndim)


def as_array(state, rank):
    out = np.empty((1,) * rank, object)
    out.flat[0] = state
    return out


def as_they_are(states, axis, keepdims):
    return states


def join_states(states, axis, keepdims, in_order):
    first, *others = states.ravel()
    total = first.copy()
    for other in others:
        (total.merge if in_order else total.append)(other)
    return as_array(total, states.ndim)


def only(states):
    return states.flat[0]


def finish(state):
    return state.finish()


def state(d, fold, *, nan=None, split_every=None):
    """The state of a whole array, to be computed.

    Parameters
    ----------
    d : dask.array.Array
    fold : operation or fold
    nan : {"propagate", "omit", "raise"}, optional
    split_every : int, optional
        How many states are joined at once.

    Returns
    -------
    dask.delayed.Delayed
        It computes a `monofold.State`.
    """
    fold = _folds.as_fold(fold)
    return dask.delayed(only)(joined(d, fold, fold.nan if nan is None else nan, split_every))


def reduce(d, fold, *, nan=None, split_every=None):
    """The answer of an operation, or of several, for a whole array.

    Parameters
    ----------
    d : dask.array.Array
    fold : operation or fold
    nan : {"propagate", "omit", "raise"}, optional
    split_every : int, optional
        How many states are joined at once.

    Returns
    -------
    dask.delayed.Delayed
        It computes what ``State.finish`` gives.
    """
    return dask.delayed(finish)(state(d, fold, nan=nan, split_every=split_every))


def code_of_answers(operation, d, asked, widest):
    """The type of answers: the one asked for, else that of the rules, or for `widest` that of Python's numbers."""
    kind, item = operation.kind, _dtypes.code_of_numpy(d.dtype)
    how = operation.make_how(operation.nan)
    if widest and asked is None and kind.answer == "value":
        return _core.answer_dtype(kind.code, item, how)
    code = _rows.value_code(kind, _arrays.Source([], d.shape, item), how, asked)
    return _dtypes.INT64 if kind.answer == "index" else code


def whole(d, operation, asked, keepdims, widest, split_every):
    """A state a chunk; the answer of all of them together is rounded once, to its type."""
    states = joined(d, _folds.as_fold(operation), operation.nan, split_every)
    code = code_of_answers(operation, d, asked, widest and not keepdims)
    dtype = _dtypes.numpy_of(code)
    answer = states.map_blocks(answer_of, kind=operation.kind, code=code, dtype=dtype,
                               meta=np.empty((0,) * states.ndim, dtype))
    return answer.reshape((1,) * d.ndim if keepdims else ())


def answer_of(states, kind, code):
    state = only(states)
    value = state.finish() if kind.answer == "index" else _whole.rounded_of(state._core, kind, code)
    return np.full(states.shape, value, _dtypes.numpy_of(code))


def along(d, operation, axes, keepdims, asked):
    """One call for each block of rows, which are whole."""
    if d.size == 0:  # whose chunks Dask does not join
        d = da.empty(d.shape, dtype=d.dtype, chunks=-1)
    d = d.rechunk({axis: -1 for axis in axes})
    out = _dtypes.numpy_of(code_of_answers(operation, d, asked, widest=False))
    rows = functools.partial(rows_of, operation=operation, axes=tuple(axes), asked=asked)
    chunks = tuple((1,) if axis in axes else sizes for axis, sizes in enumerate(d.chunks))
    answer = d.map_blocks(rows, dtype=out, chunks=chunks, meta=np.empty((0,) * d.ndim, out))
    return answer if keepdims else answer.squeeze(axis=tuple(axes))


def rows_of(block, operation, axes, asked):
    return operation(block, axis=axes, keepdims=True, dtype=asked)


_DOC = """{about}

Parameters
----------
d : dask.array.Array
    In any chunks; for a whole array also of unknown sizes, where places do not matter.
axis : int or tuple of ints, optional
    The axes to reduce. None: all of them, by a state a chunk; so it is where all are named. Else chunks are first
    joined along these axes: a task holds whole rows.
keepdims : bool, optional
    Reduced axes stay, with one index.
dtype : str or dtype, optional
    The type of the answers, rounded once.
nan : {{"propagate", "omit", "raise"}}, optional
    NaN make the answer NaN, are left out, or raise `NanFound`.
split_every : int, optional
    How many states are joined at once, where all axes are reduced; there are none to be joined along some.
**options
    Those of the operation: `correction`.

Returns
-------
dask.array.Array
    To be computed: the bits of one call on all items.
"""


def make(name):
    """The function for Dask arrays of an operation of that name."""

    def function(d, axis=None, *, keepdims=False, dtype=None, nan=None, split_every=None, **options):
        if refused := {"where", "out"} & options.keys():
            raise TypeError(f"{name} of Dask arrays takes no {', '.join(sorted(refused))}")
        check(d)
        operation = _operations.make(name)(nan=nan, **options)
        axes = _rows.axes_of(axis, d.ndim)
        if len(axes) == d.ndim:
            return whole(d, operation, dtype, keepdims, axis is None, split_every)
        if split_every is not None:
            raise TypeError(f"{name} along some axes has no split_every: chunks are joined there, not states")
        return along(d, operation, axes, keepdims, dtype)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "monofold.dask"
    function.__doc__ = _DOC.format(about=_operations.make(name).kind.about)
    return function
