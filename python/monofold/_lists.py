"""Lists of numbers: what NumPy would round or drop on the way into an array is refused."""

import array
from collections.abc import Mapping, Sequence
from os import PathLike

import numpy as np

from . import _dtypes

LONG = 200  # from here on a look at the array is quicker than one at the types of a list's items
_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2}  # V: bfloat16
_NO_LISTS = str, bytes, bytearray, memoryview, array.array


def is_list(x):
    return type(x) is list or isinstance(x, Sequence) and not isinstance(x, _NO_LISTS)


def to_numpy(x, objects=False):
    """An array of what NumPy can see, with every item as the caller has it; `objects`: of any, not of numbers only.

    Raises
    ------
    TypeError
        For what is no array of numbers, masked arrays, and integers that have no common type.
    ValueError
        For an integer among floats that is no float64.
    """
    if type(x) is list:
        if len(x) > LONG and isinstance(x[0], float) and _is_of_exact_floats(made := _as_array(x)):
            return made
    elif isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8)
    elif isinstance(x, (str, PathLike)):
        raise TypeError(f"{type(x).__name__} is no array; a file is one by numpy.load(path, mmap_mode='r')")
    elif isinstance(x, (Mapping, set)) or x is None:
        raise TypeError(f"{type(x).__name__} is no array")
    types = _types_in(x) if is_list(x) else {type(x)}
    if types == {float}:
        return np.asarray(x)
    if any(issubclass(one, np.ma.MaskedArray) for one in types):
        raise TypeError("masked arrays are not reduced: give x.data and where=~x.mask")
    made = _as_array(x)
    if made.dtype == object and not objects and not hasattr(x, "dtype"):
        raise TypeError(f"{type(x).__name__} is no array of numbers, or one of its numbers does not fit 64 bits")
    if made.dtype.kind in "US" and is_list(x):
        text = str if made.dtype.kind == "U" else bytes
        if not all(issubclass(one, text) for one in types):
            raise TypeError(f"{text.__name__} and other types together")
    if made.dtype.kind == "f" and any(issubclass(one, (int, np.integer)) for one in types):
        return _with_integers(x, made, types)
    return made


def _as_array(x):
    try:
        return np.asarray(x)
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise ValueError("lists of different lengths are no array: give them one by one, or as segments") from None
        raise


def packed_int64(numbers):
    """An array of numbers as int64, aligned and next to each other."""
    return np.require(numbers, np.int64, "CA") if numbers.size else np.empty(numbers.shape, np.int64)


def has_absent(x):
    """Whether an array of a library that knows absent items has some."""
    if hasattr(x, "null_count"):  # of Arrow's libraries
        return bool(x.null_count() if callable(x.null_count) else x.null_count)
    return hasattr(x, "isna") and not isinstance(x.dtype, np.dtype) and bool(x.isna().any())


def absent_in(x):
    """Which items of such an array are absent, as NumPy's bool."""
    return np.asarray(x.is_null() if hasattr(x, "null_count") else x.isna(), bool)


def without_absent(x):
    """The others."""
    for name in ("drop_null", "drop_nulls"):  # of pyarrow, of polars
        if hasattr(x, name):
            return getattr(x, name)()
    return x[~absent_in(x)]


def _is_of_exact_floats(made):
    """Whether an array of a list can only be one of numbers that float64 has all: nothing more is to be looked at."""
    return made.ndim == 1 and made.dtype == np.float64 and made.min() > -2**53 and made.max() < 2**53


def _types_in(x):
    """The types of the numbers of nested lists; of an array among them that of its items too."""
    types = set(map(type, x))
    if all(issubclass(one, (int, float, np.generic)) for one in types):
        return types
    for one in x:
        if is_list(one):
            types |= _types_in(one)
        elif hasattr(one, "__array__") and not isinstance(one, (np.generic, np.ma.MaskedArray)):
            if has_absent(one):
                raise TypeError("an array with absent items does not go into a list")
            types.add(np.asarray(one).dtype.type)
    return types


def _with_integers(x, made, types):
    """The array of floats that NumPy makes of integers, if each is one; of Python's alone uint64, which it does not."""
    if not any(issubclass(one, (float, np.floating)) for one in types):
        items = np.array(x, object)
        if types != {int} or not all(0 <= item < 1 << 64 for item in items.ravel()):
            raise TypeError("these integers fit no type of 64 bits together")
        return items.astype(np.uint64)
    for item, kept in zip(np.array(x, object).ravel(), made.ravel().tolist()):
        if isinstance(item, (int, np.integer)) and int(item) != kept:
            raise ValueError(f"{item} among floats is no {made.dtype}")
    return made


def of_type(x, code):
    """A list or a number as an array of one type, which each item must have a value of."""
    made, dtype = to_numpy(x), _dtypes.numpy_of(code)
    if made.dtype == dtype or made.size == 0:
        return made.astype(dtype, copy=False)
    if made.dtype.kind not in _ORDER or _ORDER[made.dtype.kind] > _ORDER[dtype.kind] or made.dtype.itemsize > 8:
        raise TypeError(f"items of {made.dtype} for a state of {dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        cast = made.astype(dtype)
    wrong = _differ(made, cast)
    if wrong.any():
        raise ValueError(f"{made[wrong].ravel()[0]} is no {dtype}: it would be rounded")
    return cast


def _differ(made, cast):
    """Where items are not those of the cast, which is of the same kind or a higher one."""
    if _ORDER[made.dtype.kind] == 2:
        made, cast = made.astype(np.float64), cast.astype(np.float64)
        return (made != cast) & ~(np.isnan(made) & np.isnan(cast))
    if _ORDER[cast.dtype.kind] == 2:
        cast = cast.astype(np.float64)
    return np.asarray(made.astype(object) != cast.astype(object), bool)  # as Python compares: exactly
