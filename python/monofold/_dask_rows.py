"""How rows of Dask arrays are reduced that lie in several chunks: a part a chunk, joined in the order of chunks."""

import functools
import itertools
import math
from typing import NamedTuple

import dask.array as da
import numpy as np

from . import _arrays, _core, _dtypes, _operations, _rows
from ._errors import without_places

FEW_ITEMS = 512  # of a row: up to here they are joined as they are, since a state costs more than they do
MOST_BYTES = 128 << 20  # of arrays that are so joined; Dask's own bound for a chunk


class Pass(NamedTuple):
    """What all tasks of a call share: `axes` of each block are reduced, `codes` are the types of answers, `row_items`
    how many items a whole row has, infinity where nobody knows."""

    fold: object
    axes: tuple
    codes: tuple
    row_items: float
    has_right: bool = False
    has_where: bool = False

    @property
    def how(self):
        return self.fold.make_how()

    def split(self, arrays):
        """(items, right side or None, mask or None)"""
        items, *others = arrays
        return items, others.pop(0) if self.has_right else None, others.pop(0) if self.has_where else None


class Part(NamedTuple):
    """Some items of each row of a block: arrays that have them along their last axis, or else their states.

    `kept`: the shape of the rows; `first`: the place of the first item in its row.
    """

    kept: tuple
    first: int
    arrays: tuple = ()
    states: bytes = b""

    @property
    def row_items(self):
        return self.arrays[0].shape[-1]


def are_parts(d, fold, axes, where=None):
    """Whether rows lie in several chunks, and states of their parts give the bits of their answers.

    Those of plain sums, and of products and logsumexp of floats, do not; nor do places count what `where` leaves out.
    """
    if all(d.numblocks[axis] == 1 for axis in axes) or (where is not None and gives_places(fold)):
        return False
    if type(d._meta) is not np.ndarray:  # an array on a device
        return False
    return not _core.depends_on_tree(_dtypes.code_of_numpy(d.dtype), list(fold.codes), fold.make_how())


def gives_places(fold):
    return any(kind.answer in ("index", "ranked") for kind in fold.kinds)


def answers(d, fold, axes, codes, split_every, right=None, where=None):
    """(an array of one tuple a block of rows: all answers about them, in as many axes as `d`, and the chunks of those).

    Parameters
    ----------
    codes : list of int
        The type of the values of each operation.
    right, where : dask.array.Array, optional
        In the chunks of `d`: what pairs of dot have besides its items; which items there are.
    """
    if gives_places(fold):
        d = in_row_order(d, axes)
        before = math.prod(d.shape[axis] for axis in axes[1:])
    others = [one.rechunk(d.chunks) for one in (right, where) if one is not None]
    item = _dtypes.code_of_numpy(d.dtype)
    codes = tuple(item if kind.answer == "index" else code for kind, code in zip(fold.kinds, codes))
    row_items = math.prod(d.shape[axis] for axis in axes)
    what = Pass(fold, tuple(axes), codes, math.inf if math.isnan(row_items) else row_items, right is not None,
                where is not None)
    options = {"before": before} if gives_places(fold) else {}
    nothing = np.empty((0,) * d.ndim, object)
    make_part = functools.partial(placed_part_of if options else part_of, what=what)
    parts = da.map_blocks(make_part, d, *others, **options, dtype=object, meta=nothing,
                          chunks=tuple((1,) * count for count in d.numblocks))
    join = functools.partial(join_parts, what=what)
    joined = in_a_tree(parts, join, split_every, what.axes)
    return joined.map_blocks(functools.partial(answers_of, what=what), dtype=object, meta=nothing), d.chunks


def in_row_order(d, axes):
    """The same items in chunks along the first of the axes only: chunks are then in the order of rows' items."""
    if any(map(math.isnan, d.chunks[axes[0]])):
        raise ValueError(f"places along axis {axes[0]}, whose chunks are of unknown sizes: compute_chunk_sizes() "
                         "finds them")
    apart = {axis: -1 for axis in axes[1:] if d.numblocks[axis] > 1}
    return d.rechunk(apart) if apart else d


def in_a_tree(parts, join, split_every, axes=None):
    """The objects of blocks, joined along axes: so many at once as `split_every` says."""
    for count in split_every.values() if isinstance(split_every, dict) else [split_every] if split_every else []:
        _operations.whole("split_every", count, 2)
    return da.reduction(parts, chunk=as_they_are, combine=join, aggregate=join, axis=axes, keepdims=True, dtype=object,
                        split_every=split_every, meta=np.empty((0,) * parts.ndim, object))


def as_they_are(parts, axis, keepdims):
    return parts


def as_array(one, rank):
    out = np.empty((1,) * rank, object)
    out.flat[0] = one
    return out


def placed_part_of(*arrays, what, before, block_info=None):
    return part_of(*arrays, what=what, first=block_info[0]["array-location"][what.axes[0]][0] * before)


def part_of(*arrays, what, first=0):
    shape = arrays[0].shape
    kept = tuple(extent for axis, extent in enumerate(shape) if axis not in what.axes)
    row_items = math.prod(shape[axis] for axis in what.axes)
    if row_items > FEW_ITEMS:
        part = Part(kept, first, states=states_of(arrays, what.axes, first, what))
    else:
        back = range(-len(what.axes), 0)
        part = Part(kept, first, tuple(np.moveaxis(one, what.axes, back).reshape((*kept, row_items)) for one in arrays))
    return as_array(part, len(shape))


def states_of(arrays, axes, first, what):
    """The states of rows, as bytes."""
    sources = [None if one is None else _arrays.as_source(one) for one in what.split(arrays)]
    for source in sources:
        if source is not None and (len(source.pieces) > 1 or source.pieces[0][1] is not None):
            raise TypeError("an axis needs one array without absent items")
    items, right, mask = (None if source is None else source.items for source in sources)
    return _core.row_states(items, right, mask, list(axes), list(what.fold.codes), what.how, first)


def folded(part, what):
    """The states of a part."""
    return part.states or states_of(part.arrays, (len(part.kept),), part.first, what)


def join_parts(parts, axis, keepdims, what):
    """The part of all items: arrays as long as they are small."""
    joined = [joined_items(list(some)) if has_items else list(some)
              for has_items, some in itertools.groupby(parts.ravel(), lambda part: bool(part.arrays))]
    [first, *others] = itertools.chain.from_iterable(joined)
    if others:
        states = _core.merge_row_states([folded(part, what) for part in (first, *others)])
        first = Part(first.kept, first.first, states=states)
    elif first.arrays and (first.row_items > FEW_ITEMS or sum(one.nbytes for one in first.arrays) > MOST_BYTES):
        first = Part(first.kept, first.first, states=folded(first, what))
    return as_array(first, parts.ndim)


def joined_items(parts):
    """Neighbours that have items, as one."""
    if len(parts) == 1:
        return parts
    arrays = tuple(np.concatenate(some, axis=-1) for some in zip(*(part.arrays for part in parts)))
    return [parts[0]._replace(arrays=arrays)]


@without_places
def answers_of(parts, what):
    """An array of one tuple: for each operation its arrays, in as many axes as the block had."""
    part = parts.flat[0]
    found = answers_of_items(part, what) if len(part.arrays) == 1 else answers_of_states(part, what)
    kinds = what.fold.kinds
    flat = [spread(array, what.axes, kind.answer == "ranked") for kind, some in zip(kinds, found) for array in some]
    return as_array(tuple(flat), parts.ndim)


def answers_of_items(part, what):
    source = _arrays.as_source(part.arrays[0])
    axes = [len(part.kept)]
    return [_rows.reduce(source, None, kind, what.how, axes, code) for kind, code in zip(what.fold.kinds, what.codes)]


def answers_of_states(part, what):
    new = [_rows.Answers(kind, part.kept, code, what.how.k, what.row_items) for kind, code in zip(what.fold.kinds, what.codes)]
    outputs = [(code, one.width, *one.addresses) for code, one in zip(what.codes, new)]
    statuses = _core.answer_rows(folded(part, what), math.prod(part.kept), outputs)
    for kind, (status, row) in zip(what.fold.kinds, statuses):
        _rows.check_kept(kind, part.kept, status, row)
    return [one.arrays for one in new]


def spread(array, axes, is_ranked):
    """An array of answers with the reduced axes in it; the last of them has what is ranked."""
    rank = array.ndim + len(axes) - is_ranked
    kept = iter(array.shape)
    shape = [1 if axis in axes else next(kept) for axis in range(rank)]
    if is_ranked:
        shape[axes[-1]] = array.shape[-1]
        array = np.moveaxis(array, -1, axes[-1] - len(axes) + 1)
    return array.reshape(shape)
