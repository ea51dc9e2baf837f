"""Arrays in: what lies where, without a copy."""

import numpy as np

from . import _core, _dtypes, _lists, _protocols


def _as_is(array):
    return array


class Source:
    """Items in one piece or more, each perhaps with a mask that says which of its items there are.

    `like` makes an array of the caller's library from one of NumPy; `owner` is the caller's own of another library.
    """

    __slots__ = ("pieces", "shape", "code", "like", "owner", "place_of")

    def __init__(self, pieces, shape, code, like=_as_is):
        self.pieces, self.shape, self.code, self.like, self.owner = pieces, shape, code, like, None
        self.place_of = None  # where the items lay, of those that were brought together

    @property
    def items(self):
        return self.pieces[0][0]


def make(shape, code):
    """(a new NumPy array, its address)."""
    array = np.empty(shape, _dtypes.numpy_of(code))
    return array, _core.address_of(array)


def of_numpy(x):
    """A view of a NumPy array, for the core."""
    dtype = x.dtype
    code = _dtypes.code_of_numpy(dtype)
    return _core.array(x.__array_interface__["data"][0], code, not dtype.isnative, 0, x.shape, x.strides, x)


def _numpy_source(x):
    return Source([(of_numpy(x), None)], x.shape, _dtypes.code_of_numpy(x.dtype))


def as_source(x):
    """The items of an array of any library.

    Raises
    ------
    TypeError
        For what is no array, or one of items that are not reduced.
    """
    if type(x) is np.ndarray and (items := _core.of_buffer(x)) is not None:
        return Source([(items, None)], x.shape, items.dtype)
    made = None if x is None or isinstance(x, np.ndarray) else _protocols.source_of(x)
    if made is None:
        return _numpy_source(_lists.to_numpy(x))
    source = Source(*made)
    source.owner = x
    return source


def side_by_side(source, in_order=True):
    """The same items; those on a device that lie apart are copied there, by the library of their array.

    `in_order` : whether it matters which item comes first.
    """
    items = source.pieces[0][0]
    if items.place == 0 or (items if in_order else items.in_memory_order()).is_packed:
        return source
    return as_source(_protocols.contiguous(source.owner))


def as_source_of(x, code):
    """The items of an array of one type; lists of numbers take it where each of them has it."""
    if isinstance(x, (int, float)) or _lists.is_list(x):
        x = _lists.of_type(x, code)
    source = as_source(x)
    if source.code != code:
        raise TypeError(f"items of {_dtypes.NAMES[source.code]} for a state of {_dtypes.NAMES[code]}")
    return source


def mask_of(where, shape):
    """`where` as a NumPy array of the shape of the items; None where there is none."""
    if where is None or where is True:
        return None
    mask = _lists.to_numpy(where)
    if mask.dtype != bool:
        raise TypeError(f"where must be of bool, not {mask.dtype}")
    if mask.shape == shape:
        return mask
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"where has the shape {mask.shape}; the items have {tuple(shape)}") from None


def as_mask(where, shape):
    """The same as an array of the core."""
    if type(where) is np.ndarray and where.shape == shape and where.dtype == bool:
        mask = where
    elif (mask := mask_of(where, shape)) is None:
        return None
    marks = _core.of_buffer(mask)
    return of_numpy(mask) if marks is None else marks


def check_masked(items):
    """Raises where `where=` has items that the host does not read."""
    if items.place != 0:
        raise TypeError("where= needs an array on the host")


def with_mask(pieces, mask):
    """The pieces of an array, of whose present items only those are left that a mask of the array marks too."""
    check_masked(pieces[0][0])
    if len(pieces) == 1:
        return [(pieces[0][0], both(mask, pieces[0][1]))]
    marks, first, marked = np.asarray(_Seen(mask)).ravel(), 0, []
    for items, own in pieces:
        some = of_numpy(marks[first:first + items.count])
        marked.append((items, both(some, own)))
        first += items.count
    return marked


def both(mask, other):
    """What two masks of one shape mark; None: everything."""
    if mask is None or other is None:
        return mask if other is None else other
    return of_numpy(np.asarray(_Seen(mask)) & np.asarray(_Seen(other)))


class _Seen:
    """An array of the core as NumPy asks for one."""

    def __init__(self, items):
        self.items = items  # which keeps the memory
        dtype = _dtypes.numpy_of(items.dtype)
        dtype = np.dtype(np.uint16) if dtype.kind == "V" else dtype  # bfloat16 by its bits
        text = (dtype.newbyteorder() if items.swapped else dtype).str
        self.__array_interface__ = {"shape": tuple(items.extents), "strides": tuple(items.strides), "typestr": text,
                                    "data": (items.address, True), "version": 3}


def joined(source):
    """(the items of all pieces as a NumPy array of one axis, which of them there are or None)."""
    parts = [np.asarray(_Seen(items)).ravel() for items, _ in source.pieces]
    together = np.concatenate(parts)
    together = together.astype(together.dtype.newbyteorder("="), copy=False).view(_dtypes.numpy_of(source.code))
    if all(mask is None for _, mask in source.pieces):
        return together, None
    marks = [np.ones(part.size, bool) if mask is None else np.asarray(_Seen(mask)).ravel()
             for part, (_, mask) in zip(parts, source.pieces)]
    return together, np.concatenate(marks)


def in_one_piece(source):
    """The same items as one array, which those of several chunks are copied to, once; it may have a mask."""
    if len(source.pieces) == 1:
        return source
    items, there = joined(source)
    return _like(source, items, None if there is None else of_numpy(there))


def _like(source, items, mask=None):
    """A source of the items of a NumPy array, in the name of another one."""
    made = Source([(of_numpy(items), mask)], items.shape, source.code, source.like)
    made.owner = source.owner
    return made


def without_absent(source):
    """(the items that there are as one array, which they are of all or None), copied where some are absent."""
    if source.pieces[0][1] is None and len(source.pieces) == 1:
        return source, None
    items, there = joined(source)
    if there is None or there.all():
        return _like(source, items), None
    return _like(source, items[there]), there


def full(source, what):
    """The items as one array. Raises where some are absent, for `what` needs one at each place."""
    source, there = without_absent(source)
    if there is not None:
        raise TypeError(f"{what} need an item at each place, and here some are absent: fill the nulls, or drop them")
    return source


def numbers(values, code):
    """A NumPy array of a few numbers."""
    return np.array(values, _dtypes.numpy_of(code))


def moved(array, axis):
    """The last axis at another place."""
    return np.moveaxis(array, -1, axis)
