"""How Dask arrays are reduced: whole ones by a state a chunk, joined in the order of chunks; rows likewise."""

import functools
import math

import dask
import dask.array as da
import numpy as np

from . import _arrays, _core, _dask_rows, _dtypes, _folds, _operations, _rows, _whole
from ._errors import without_places
from ._state import State

TILE = 4096  # states that begin at a multiple of so many items are merged without a change of bits


def joined(d, fold, split_every, right=None, where=None):
    """An array of one object: the state of all items; of pairs with `right`, of those that `where` marks."""
    check(d)
    fold.check_is_one_pass("a state")
    in_order = fold.nan == "raise" or fold.plain or not all(kind.any_order for kind in fold.kinds)
    if in_order and where is not None:
        raise TypeError(f"{fold!r} of a whole Dask array takes no where: its answer depends on places")
    d, right, where = (one if one is None or one.ndim else one.reshape((1,)) for one in (d, right, where))
    if in_order:
        d = in_slabs(d)
    others = [one.rechunk(d.chunks) for one in (right, where) if one is not None]
    row_items = math.prod(d.shape[1:]) if in_order else 0
    nothing = np.empty((0,) * d.ndim, object)
    # Chunks may be of unknown sizes: only where the order matters is the place of a chunk asked for.
    make_state = functools.partial(placed_state_of if in_order else state_of, fold=fold, is_marked=where is not None)
    states = da.map_blocks(make_state, d, *others, **{"row_items": row_items} if in_order else {}, dtype=object,
                           chunks=tuple((1,) * count for count in d.numblocks), meta=nothing)
    join = functools.partial(join_states, in_order=in_order)
    return _dask_rows.in_a_tree(states, join, split_every)


def in_slabs(d):
    """The same items in chunks of whole rows that begin at a tile: chunks are then in the order of items."""
    row_items = math.prod(d.shape[1:])
    rows = TILE // math.gcd(TILE, row_items) if row_items else 1
    rows *= max(1, max(d.chunks[0]) // rows)
    return d.rechunk({0: min(rows, max(d.shape[0], 1))} | {axis: -1 for axis in range(1, d.ndim)})


def check(d):
    if not isinstance(d, da.Array):
        raise TypeError(f"monofold.dask takes Dask arrays, not {type(d).__name__}")


def marks_for(d, where):
    """`where` as a Dask array of the shape and in the chunks of `d`; None where there is none."""
    check(d)
    if where is None or where is True:
        return None
    if not hasattr(where, "dask"):
        where = da.from_array(np.asarray(where), chunks=-1)
    if where.dtype != bool:
        raise TypeError(f"where must be of bool, not {where.dtype}")
    if not are_alike(where, d):
        try:
            where = da.broadcast_to(where.rechunk(-1), d.shape)
        except ValueError:
            raise ValueError(f"where has the shape {where.shape}; the items have {d.shape}") from None
    return where if where.chunks == d.chunks or has_unknown_sizes(d) else where.rechunk(d.chunks)


def has_unknown_sizes(d):
    return any(math.isnan(extent) for extent in d.shape)


def are_alike(x, y):
    """Whether two arrays have one shape, as far as that is known; where sizes are unknown, as many chunks."""
    return len(x.shape) == len(y.shape) and all(
        i == k or math.isnan(i) and math.isnan(k) and m == n
        for i, k, m, n in zip(x.shape, y.shape, x.numblocks, y.numblocks))


def placed_state_of(block, *others, row_items, block_info=None, **options):
    return state_of(block, *others, first=block_info[0]["array-location"][0][0] * row_items, **options)


def state_of(block, *others, fold, is_marked, first=0):
    state = State(fold, block.dtype, first)
    if is_marked:
        [marks] = others
        pieces = _arrays.with_mask(_arrays.as_source(block).pieces, _arrays.as_mask(marks, block.shape))
        state._core.push(pieces)
    else:
        state.push(block, *others)
    return _dask_rows.as_array(state, block.ndim)


def join_states(states, axis, keepdims, in_order):
    first, *others = states.ravel()
    total = first.copy()
    for other in others:
        (total.merge if in_order else total.append)(other)
    return _dask_rows.as_array(total, states.ndim)


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
    return dask.delayed(only)(joined(d, _folds.as_fold(fold).with_nan(nan), split_every))


def code_of_answers(operation, d, asked, widest):
    """The type of answers: the one asked for, else that of the rules, or for `widest` that of Python's numbers."""
    kind, item = operation.kind, _dtypes.code_of_numpy(d.dtype)
    how = operation.make_how(operation.nan)
    if widest and asked is None and kind.answer == "value":
        return _core.answer_dtype(kind.code, item, how)
    code = _rows.value_code(kind, _arrays.Source([], d.shape, item), how, asked)
    return _dtypes.INT64 if kind.answer == "index" else code


def whole(d, operation, asked, keepdims, widest, split_every, right=None, where=None):
    """A state a chunk; the answer of all of them together is rounded once, to its type."""
    states = joined(d, _folds.as_fold(operation), split_every, right, where)
    code = code_of_answers(operation, d, asked, widest and not keepdims)
    dtype = _dtypes.numpy_of(code)
    answer = states.map_blocks(answer_of, kind=operation.kind, code=code, dtype=dtype,
                               meta=np.empty((0,) * states.ndim, dtype))
    return answer.reshape((1,) * d.ndim if keepdims else ())


def answer_of(states, kind, code):
    state = only(states)
    value = state.finish() if kind.answer == "index" else _whole.rounded_of(state._core, kind, code)
    return np.full(states.shape, value, _dtypes.numpy_of(code))


def along(d, operation, axes, keepdims, asked, split_every, right=None, where=None):
    """One call for each block of rows, where those are whole; else the answers of states, which parts of rows have."""
    d, others = with_rows(d, [right, where])
    right, where = others
    code = code_of_answers(operation, d, asked, widest=False)
    out = _dtypes.numpy_of(code)
    nothing = np.empty((0,) * d.ndim, out)
    fold = _folds.as_fold(operation)
    if _dask_rows.are_parts(d, fold, axes, where):
        rows, chunks = _dask_rows.answers(d, fold, axes, [code], split_every, right, where)
        answer = rows.map_blocks(number_of, number=0, dtype=out, chunks=answer_chunks(chunks, axes), meta=nothing)
    else:
        d, others = whole_rows(d, others, fold, axes, split_every)
        rows = functools.partial(rows_of, operation=operation, axes=tuple(axes), asked=asked,
                                 has_right=right is not None)
        answer = da.map_blocks(rows, d, *others, dtype=out, chunks=answer_chunks(d.chunks, axes), meta=nothing)
    return answer if keepdims else answer.squeeze(axis=tuple(axes))


def with_rows(d, others):
    """The arrays of a call, all in one chunk where they have no items: Dask joins no empty chunks."""
    if d.size != 0:
        return d, others
    return da.empty(d.shape, dtype=d.dtype, chunks=-1), [
        None if one is None else da.empty(one.shape, dtype=one.dtype, chunks=-1) for one in others]


def whole_rows(d, others, fold, axes, split_every):
    """The arrays in chunks of whole rows, and those of them that there are."""
    apart = {axis: -1 for axis in axes if d.numblocks[axis] > 1}
    if apart and split_every is not None:
        raise TypeError(f"{fold!r} of {d.dtype} along some axes has no split_every: chunks are joined there, "
                        "not states")
    d = d.rechunk(apart) if apart else d
    return d, [one.rechunk(d.chunks) for one in others if one is not None]


def answer_chunks(chunks, axes, room=1):
    """Those of answers whose reduced axes are all there; the last one of them has so many numbers."""
    found = [(1,) if axis in axes else sizes for axis, sizes in enumerate(chunks)]
    if axes:
        found[axes[-1]] = (room,)
    return tuple(found)


@without_places
def rows_of(block, *others, operation, axes, asked, has_right):
    if has_right:
        return operation(block, *others, axis=axes, keepdims=True, dtype=asked)
    [where] = others or [None]
    return operation(block, axis=axes, keepdims=True, dtype=asked, where=where)


def number_of(block, number):
    return only(block)[number]


_DOC = """{about}

Parameters
----------
d : dask.array.Array
    In any chunks; of unknown sizes too, where places do not matter.
axis : int or tuple of ints, optional
    The axes to reduce; None: all of them. Chunks become states of their rows, or of all items, and those are joined.
    Products and logsumexp of floats along some axes need whole rows, and so do places under `where`: there chunks are
    joined first. Places along several axes have chunks joined along all of those but the first.
keepdims : bool, optional
    Reduced axes stay, with one index.
dtype : str or dtype, optional
    The type of the answers, rounded once.
where : array of bool, optional
    Which items there are: a Dask array, or what becomes one. Not of a whole array where places matter, such as those
    of `argmax` and of ``nan="raise"``.
nan : {{"propagate", "omit", "raise"}}, optional
    NaN make the answer NaN, are left out, or raise `NanFound`.
split_every : int or dict of ints, optional
    How many states are joined at once; not where chunks are joined first.
**options
    Those of the operation: `correction`, `ord`.

Returns
-------
dask.array.Array
    To be computed: the bits of one call on all items.
"""


def make(name):
    """The function for Dask arrays of an operation of that name."""

    def function(d, axis=None, *, keepdims=False, dtype=None, where=None, nan=None, split_every=None, **options):
        if "out" in options:
            raise TypeError(f"{name} of Dask arrays takes no out")
        where = marks_for(d, where)
        operation = _operations.make(name)(nan=nan, **options)
        axes = _rows.axes_of(axis, d.ndim)
        if len(axes) == d.ndim:
            return whole(d, operation, dtype, keepdims, axis is None, split_every, where=where)
        return along(d, operation, axes, keepdims, dtype, split_every, where=where)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "monofold.dask"
    function.__doc__ = _DOC.format(about=_operations.make(name).kind.about)
    return function


def dot(x, y, axis=None, *, keepdims=False, dtype=None, nan=None, split_every=None):
    """The inner product of two arrays of one shape and type, exact and rounded once.

    Parameters
    ----------
    x, y : dask.array.Array
        In any chunks: those of `y` become those of `x`.
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make the answer NaN, are left out, or raise `NanFound`.
    split_every : int or dict of ints, optional
        How many states are joined at once.

    Returns
    -------
    dask.array.Array
        To be computed: the bits of one call on all items.
    """
    check(x)
    check(y)
    if not are_alike(x, y) or x.dtype != y.dtype:
        raise ValueError(f"dot takes two arrays of one shape and type, not {x.shape} of {x.dtype} and {y.shape} of "
                         f"{y.dtype}")
    operation = _operations.make("dot").with_options(nan)
    axes = _rows.axes_of(axis, x.ndim)
    if len(axes) == x.ndim:
        return whole(x, operation, dtype, keepdims, axis is None, split_every, right=y)
    return along(x, operation, axes, keepdims, dtype, split_every, right=y)
