"""Keys of groups: as int64 in the same order, and back."""

import functools
import math
from typing import NamedTuple

import numpy as np

from . import _arrays, _core, _dtypes, _lists, _protocols
from ._kinds import KINDS
from ._operations import make_how

LOWEST = np.int64(-(2**63))
MOST = 2**62  # combinations of keys that have a number
PACKED = 8  # characters of one byte that a number holds
ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads bits


class Column(NamedTuple):
    """An array of keys: those that there are, each as the caller has it, and which rows have one (None: all)."""

    there: np.ndarray
    marks: np.ndarray | None

    @property
    def num_rows(self):
        return self.there.size if self.marks is None else self.marks.size

    def of_rows(self, present):
        """The keys of some rows, all of which have one."""
        if present is None:
            return self.there
        return self.there[present if self.marks is None else present[self.marks]]


def columns_of(keys):
    """The columns of an array of keys, or of a tuple of them."""
    if isinstance(keys, tuple) and not keys:
        raise TypeError("a tuple of no keys")
    columns = [_column_of(one) for one in (keys if isinstance(keys, tuple) else (keys,))]
    if len({column.num_rows for column in columns}) > 1:
        raise ValueError("arrays of keys of different lengths")
    return columns


def _column_of(keys):
    if _protocols.lies_on_gpu(keys):
        raise TypeError("an array on the host needs keys on the host: copy those on a device there")
    marks = None
    if not hasattr(keys, "__array__") and (hasattr(keys, "__dlpack__") or hasattr(keys, "__arrow_c_stream__")):
        there, marks = _arrays.joined(_arrays.as_source(keys))
        return Column(there if marks is None else there[marks], marks)
    if _lists.has_absent(keys):
        marks, keys = ~_lists.absent_in(keys), _lists.without_absent(keys)
    return Column(_lists.to_numpy(keys, objects=True).ravel(), marks)


def rows_with_all(columns):
    """Which rows have all their keys; None: every one."""
    marks = [column.marks for column in columns if column.marks is not None]
    return np.logical_and.reduce(marks) if marks else None


def coded(array):
    """(int64 numbers in the order of the keys, what turns some of them back into keys).

    Equal keys have one number: all NaN, and -0 with +0, whose key is +0. NaN and NaT come last.
    """
    dtype = array.dtype
    native = array.astype(dtype.newbyteorder("="), copy=False) if dtype.kind in "iufmM" else array
    codes, names = _coded_by_kind(native)
    return _lists.packed_int64(codes), lambda found: names(found).astype(dtype, copy=False)


def _coded_by_kind(array):
    kind, dtype = array.dtype.kind, array.dtype
    if dtype == np.uint64:
        return array.view(np.int64) ^ LOWEST, lambda found: (found ^ LOWEST).view(np.uint64)
    if kind == "b":  # any byte but 0 is True
        return array.view(np.uint8) != 0, lambda found: found.astype(dtype)
    if kind in "iu":
        return array, lambda found: found.astype(dtype)
    if kind in "mM":  # NaT is the lowest number: it becomes the highest
        return array.view(np.int64) - 1, lambda found: (found + 1).view(dtype)
    if dtype.name == "bfloat16":
        codes, names = _coded_floats(array.astype(np.float32))
        return codes, lambda found: names(found).astype(dtype)
    if kind == "f" and dtype.itemsize <= 8:
        return _coded_floats(array)
    if kind in "US" and array.nbytes:
        return _coded_text(array)
    return _ranked(array)


def _coded_floats(array):
    """Their bits, where those of negative numbers turn round; every NaN is the highest number."""
    bits = np.dtype(f"i{array.itemsize}")
    limits = np.iinfo(bits)
    with np.errstate(invalid="ignore"):
        numbers = (array + array.dtype.type(0)).view(bits)  # -0 becomes +0
    numbers ^= (numbers >> bits.type(8 * array.itemsize - 1)) & limits.max
    numbers[np.isnan(array)] = limits.max

    def names(found):
        numbers = found.astype(bits)
        back = (numbers ^ ((numbers >> bits.type(8 * array.itemsize - 1)) & limits.max)).view(array.dtype)
        return np.where(numbers == limits.max, array.dtype.type(np.nan), back)

    return numbers, names


def _coded_text(array):
    letters = array.view(np.uint32 if array.dtype.kind == "U" else np.uint8).reshape(array.size, -1)
    if letters.itemsize > 1 and letters.max() < 256:
        letters = letters.astype(np.uint8)
    width = letters.shape[1]
    bytes_ = np.zeros((array.size, -(-width * letters.itemsize // PACKED) * PACKED), np.uint8)
    bytes_[:, :width * letters.itemsize] = letters.view(np.uint8)
    if letters.itemsize > 1 or width > PACKED:
        return _ranked_by_hash(array, bytes_.view(np.uint64))
    # The first character is the most significant.
    numbers = bytes_.view(">u8").ravel().astype(np.uint64).view(np.int64) ^ LOWEST
    return numbers, functools.partial(_unpacked, dtype=array.dtype, width=width)


def _unpacked(found, dtype, width):
    bytes_ = (found ^ LOWEST).view(np.uint64).astype(">u8").view(np.uint8).reshape(-1, PACKED)[:, :width]
    return np.ascontiguousarray(bytes_, np.uint32 if dtype.kind == "U" else np.uint8).view(dtype).ravel()


def _ranked_by_hash(array, words):
    """Its place among the others, where many rows have one of few texts: only these are sorted."""
    mixed = np.zeros(array.size, np.uint64)
    for column in words.T:
        mixed = (mixed ^ column) * ODD
        mixed ^= mixed >> np.uint64(29)
    mixed = mixed.view(np.int64)
    some = np.unique(mixed[:: max(1, array.size // 1024)])
    hashes, firsts = _first_rows(mixed) if some.size < 512 else (mixed, mixed)
    if hashes.size > array.size // 8:
        return _ranked(array)
    order = np.argsort(array[firsts])
    values = array[firsts[order]]
    ranks = np.empty_like(order)
    ranks[order] = np.arange(order.size)
    places = np.searchsorted(hashes, mixed)
    if not np.array_equal(words[firsts][places], words):  # two texts have one hash
        return _ranked(array)
    return ranks[places], lambda found: values[found]


def _first_rows(numbers):
    """(the numbers that there are, rising, and the first row of each)."""
    rows = np.arange(numbers.size)
    groups = _core.groups(_core.address_of(numbers), _core.of_buffer(rows), 0, KINDS["min"].code, make_how(),
                          _dtypes.INT64)
    found, firsts = np.empty(groups.count, np.int64), np.empty(groups.count, np.int64)
    groups.copy(_core.address_of(found), _core.address_of(firsts), 0, 0)
    return found, firsts


def _ranked(array):
    """Anything that NumPy sorts, by its place among the others; what does not equal itself is one key and comes last."""
    if array.dtype.names:
        return _coded_records(array)
    if array.dtype.kind in "fc":
        array = array + array.dtype.type(0)  # -0 becomes +0
    try:
        is_nan = np.asarray(np.isnan(array) if array.dtype.kind == "T" else array != array, bool)
        values, codes = np.unique(array[~is_nan], return_inverse=True)
    except TypeError:
        raise TypeError(f"keys of {array.dtype} that have no order among each other") from None
    if is_nan.any():
        ranks = np.full(array.size, values.size)
        ranks[~is_nan] = codes
        values, codes = np.concatenate([values, array[is_nan][:1]]), ranks
    return codes, lambda found: values[found]


def _coded_records(array):
    """Records by their fields, the first of which is the most significant."""
    names = array.dtype.names
    if any(array.dtype[name].shape for name in names):
        raise TypeError("keys of records whose fields are arrays")
    codes, columns_of = coded_together([array[name] for name in names])

    def back(found):
        out = np.empty(found.size, array.dtype)
        for name, column in zip(names, columns_of(found)):
            out[name] = column
        return out

    return codes, back


def coded_together(arrays):
    """The same of several keys a row as one number: the first is the most significant."""
    parts = [coded(array) for array in arrays]
    columns = [codes for codes, _ in parts]
    if not columns[0].size:
        return columns[0], lambda found: tuple(names(found) for _, names in parts)
    lows = [int(codes.min()) for codes in columns]
    sizes = [int(codes.max()) - low + 1 for codes, low in zip(columns, lows)]
    names = [names for _, names in parts]
    while math.prod(sizes) > MOST:  # what lies far apart is counted
        widest = max(range(len(sizes)), key=lambda i: sizes[i])
        values, codes = np.unique(columns[widest], return_inverse=True)
        if lows[widest] == 0 and sizes[widest] == values.size:
            raise ValueError("too many combinations of keys")
        columns[widest], lows[widest], sizes[widest] = codes, 0, values.size
        names[widest] = functools.partial(_named_through, values, names[widest])
    total = np.zeros(columns[0].size, np.int64)
    for codes, low, size in zip(columns, lows, sizes):
        total = total * size + (codes - low)

    def names_of(found):
        places = np.unravel_index(found, sizes)
        return tuple(name(place.astype(np.int64) + low) for name, place, low in zip(names, places, lows))

    return total, names_of


def _named_through(values, names, places):
    return names(values[places])
