"""Operations of several answers for Dask arrays: a Dask array for each, all from one pass."""

import functools
import itertools

import dask
import dask.array as da
import numpy as np

from . import _arrays, _dask, _dask_rows, _dtypes, _folds, _operations, _rows, _whole
from ._errors import without_places
from ._results import Stats, TopK


class _Part:
    """One of the arrays that operations give: of the operation at a place in the fold, its first or second."""

    def __init__(self, number, position, operation, which, code, room):
        self.number = number  # among all of them, in the order of operations
        self.position, self.kind, self.which, self.k = position, operation.kind, which, operation.k
        self.dtype, self.code = _dtypes.numpy_of(code), code
        self.room = room  # how many numbers there are for each row

    def of_state(self, states):
        """The answer of an array of one state, in as many axes."""
        core = _dask.only(states)._core
        shape = (1,) * (states.ndim - 1) + (self.room,)
        if self.kind.answer == "ranked":
            found = _whole.ranked(self.kind, _whole.answer_of(core, self.position, self.kind, self.k))
            return _arrays.numbers(found[self.which], self.code).reshape(shape)
        if self.kind.answer == "index":
            value = _whole.scalar(self.kind, _whole.answer_of(core, self.position, self.kind, self.k))
        else:
            value = _whole.rounded_of(core, self.kind, self.code, position=self.position)
        return np.full(shape, value[self.which] if self.kind.answer == "pair" else value, self.dtype)


def _parts_of(fold, codes):
    number = itertools.count()
    for position, (operation, code) in enumerate(zip(fold.operations, codes)):
        answer = operation.kind.answer
        yield _Part(next(number), position, operation, 0, code, operation.k if answer == "ranked" else 1)
        if answer == "pair":
            yield _Part(next(number), position, operation, 1, code, 1)
        if answer == "ranked":
            yield _Part(next(number), position, operation, 1, _dtypes.INT64, operation.k)


def _several(d, fold, axis, keepdims, split_every, where=None, in_order=tuple):
    """The arrays of a fold; `in_order` puts them into the order of what is returned."""
    fold.check_is_one_pass("a state")
    where = _dask.marks_for(d, where)
    axes = _rows.axes_of(axis, d.ndim)
    widest = axis is None and not keepdims
    codes = [_dask.code_of_answers(operation, d, None, widest) for operation in fold.operations]
    parts = in_order(tuple(_parts_of(fold, codes)))
    if not axes:  # each item is a row, along an axis of its own
        d, where = (None if one is None else one[..., np.newaxis] for one in (d, where))
        return _along(d, fold, (d.ndim - 1,), parts, codes, False, split_every, where)
    return _along(d, fold, axes, parts, codes, keepdims, split_every, where)


def _along(d, fold, axes, parts, codes, keepdims, split_every, where):
    """The same along axes, of which there are some."""
    if len(axes) == d.ndim:
        states = _dask.joined(d, fold, split_every, where=where)
        found = [states.map_blocks(part.of_state, dtype=part.dtype, chunks=(1,) * (states.ndim - 1) + (part.room,),
                                   meta=np.empty((0,) * states.ndim, part.dtype)) for part in parts]
        return [_shown(one.reshape(_kept(part, axes)), part, axes, keepdims) for one, part in zip(found, parts)]
    d, [where] = _dask.with_rows(d, [where])
    if _dask_rows.are_parts(d, fold, axes, where):
        rows, chunks = _dask_rows.answers(d, fold, axes, codes, split_every, where=where)
    else:
        d, others = _dask.whole_rows(d, [where], fold, axes, split_every)
        rows = da.map_blocks(functools.partial(_rows_of, fold=fold, axes=tuple(axes)), d, *others, dtype=object,
                             chunks=tuple((1,) * count for count in d.numblocks), meta=np.empty((0,) * d.ndim, object))
        chunks = d.chunks
    arrays = []
    for part in parts:
        array = rows.map_blocks(_dask.number_of, number=part.number, dtype=part.dtype,
                                chunks=_dask.answer_chunks(chunks, axes, part.room),
                                meta=np.empty((0,) * d.ndim, part.dtype))
        arrays.append(_shown(array, part, axes, keepdims))
    return arrays


def _kept(part, axes):
    return (1,) * (len(axes) - 1) + (part.room,)


def _shown(array, part, axes, keepdims):
    """An answer, whose reduced axes are all there, as the call without Dask has it."""
    if keepdims or part.kind.answer == "ranked" and len(axes) == 1:
        return array
    if part.kind.answer != "ranked":
        return array.squeeze(axis=tuple(axes))
    return da.moveaxis(array, axes[-1], -1).squeeze(axis=tuple(axes[:-1]))


@without_places
def _rows_of(block, *others, fold, axes):
    """An array of one tuple: all answers about the rows of a block, in the order of operations."""
    [where] = others or [None]
    found = _folds.reduce(block, _folds.Fold(fold.operations), axes, keepdims=True, where=where)
    flat = itertools.chain.from_iterable(one if isinstance(one, tuple) else (one,) for one in found)
    return _dask_rows.as_array(tuple(flat), block.ndim)


def minmax(d, axis=None, *, keepdims=False, where=None, nan=None, split_every=None):
    """The smallest and the largest item, in one pass.

    Parameters
    ----------
    d : dask.array.Array
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    where : array of bool, optional
        Which items there are.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make the answers NaN, are left out, or raise `NanFound`.
    split_every : int or dict of ints, optional
        How many states are joined at once.

    Returns
    -------
    tuple of two dask.array.Array
        To be computed together: ``dask.compute(*monofold.dask.minmax(d))``.
    """
    fold = _folds.as_fold(_operations.make("minmax").with_options(nan))
    return tuple(_several(d, fold, axis, keepdims, split_every, where))


_RANKED = """The k {which} items and their places, best first, in one pass.

Parameters
----------
d : dask.array.Array
k : int, optional
    How many.
axis : int or tuple of ints, optional
    The axes to reduce; None: all of them.
keepdims : bool, optional
    Reduced axes stay; the last one of them has the items.
where : array of bool, optional
    Which items there are; along some axes only.
nan : {{"propagate", "omit", "raise"}}, optional
    NaN come last, are left out, or raise `NanFound`.
split_every : int or dict of ints, optional
    How many states are joined at once.

Returns
-------
TopK
    Dask arrays, to be computed together: ``dask.compute(*monofold.dask.{name}(d, 3))``.
"""


def _make_ranked(name, which):
    def function(d, k=10, axis=None, *, keepdims=False, where=None, nan=None, split_every=None):
        fold = _folds.as_fold(_operations.make(name).with_options(nan, k=k))
        return TopK(*_several(d, fold, axis, keepdims, split_every, where))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _RANKED.format(which=which, name=name)
    return function


top_k = _make_ranked("top_k", "largest")
bottom_k = _make_ranked("bottom_k", "smallest")


def stats(d, axis=None, *, keepdims=False, where=None, nan=None, correction=0, split_every=None):
    """Eight statistics and two places, in one pass.

    Parameters
    ----------
    d : dask.array.Array
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    where : array of bool, optional
        Which items there are; along some axes only.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make answers NaN, are left out, or raise `NanFound`.
    correction : int or float, optional
        The variance divides by the number of items less this.
    split_every : int or dict of ints, optional
        How many states are joined at once.

    Returns
    -------
    Stats
        Dask arrays, to be computed together: ``dask.compute(*monofold.dask.stats(d))``. A statistic that too few
        items have raises `EmptyInput`; ``monofold.dask.reduce(d, monofold.stats)`` gives None for it.
    """
    fold = _folds.StatsFold(_operations.whole_correction(correction), "propagate" if nan is None else nan)
    return Stats(*_several(d, fold, axis, keepdims, split_every, where, _folds.in_stats_order))


def reduce(d, fold, axis=None, *, keepdims=False, where=None, nan=None, split_every=None):
    """The answer of an operation, or of several in one pass.

    Parameters
    ----------
    d : dask.array.Array
    fold : operation or fold
        Its operations agree in the options that matter to them.
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    where : array of bool, optional
        Which items there are; not of a whole array where places matter.
    nan : {"propagate", "omit", "raise"}, optional
    split_every : int or dict of ints, optional
        How many states are joined at once.

    Returns
    -------
    dask.delayed.Delayed, or dask.array.Array, or a tuple of them
        For a whole array what computes the answer of ``State.finish``. With `axis` or `keepdims` an array for each
        answer, as `monofold.reduce` has them.
    """
    fold = _folds.as_fold(fold).with_nan(nan)
    if axis is None and not keepdims:
        where = _dask.marks_for(d, where)
        states = _dask.joined(d, fold, split_every, where=where)
        return dask.delayed(_dask.finish)(dask.delayed(_dask.only)(states))
    if fold.kinds[0].name == "dot":
        raise TypeError("dot takes two arrays: monofold.dask.dot(x, y)")
    arrays = iter(_several(d, fold, axis, keepdims, split_every, where))
    return fold.pack(_like(kind.answer, arrays) for kind in fold.kinds)


def _like(answer, arrays):
    """What one operation gives, of the next arrays."""
    if answer == "ranked":
        return TopK(next(arrays), next(arrays))
    return (next(arrays), next(arrays)) if answer == "pair" else next(arrays)
