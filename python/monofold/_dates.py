"""Dates and times of NumPy: their order and number; NaT is their NaN."""

import numpy as np

from . import _arrays, _lists, _rows
from ._errors import NanFound

ORDERED = ("min", "max", "minmax", "argmin", "argmax", "count")


def of_any(x):
    """(dates or times as a NumPy array, which of them there are or None for all); None for what is none.

    They come in arrays, scalars, lists, and columns of pandas, pyarrow and polars, whose nulls are absent.
    """
    if _is_column(x):
        array = np.asarray(x)  # where a null is NaT
        return (array, ~_lists.absent_in(x) if _lists.has_absent(x) else None) if array.dtype.kind in "mM" else None
    if not isinstance(x, (list, tuple)) and not isinstance(getattr(x, "dtype", None), np.dtype):
        return None
    try:
        array = _lists.to_numpy(x)
    except (TypeError, ValueError):
        return None
    return (array, None) if array.dtype.kind in "mM" else None


def _is_column(x):
    """Whether it is a column of pyarrow or polars that says it has dates, or times that count from a day."""
    name = str(getattr(x, "type", getattr(x, "dtype", ""))).lower()
    return hasattr(x, "null_count") and name.startswith(("date", "timestamp", "duration"))


def reduce(operation, dates, where=None, nan="propagate", axis=None, keepdims=False, dtype=None, out=None,
           global_index=False):
    """The answer of an operation for dates or times, which are int64 with the lowest one for NaT."""
    x, present = dates
    name = operation.kind.name
    if name not in ORDERED:
        raise TypeError(f"{name} of {x.dtype}: dates and times have {', '.join(ORDERED)}")
    if dtype is not None or out is not None:
        raise TypeError(f"{name} of {x.dtype} takes no dtype and no out")
    where = _arrays.mask_of(where, x.shape)
    if present is not None:
        where = present if where is None else where & present
    absent = np.isnat(x)
    if where is not None:
        absent &= where
    if nan == "raise" and absent.any():
        raise NanFound(f"{name}: there is a NaT", _first_in(absent, axis))
    if nan == "omit":
        where = ~absent & (True if where is None else where)
    numbers = x.astype(x.dtype.newbyteorder("="), copy=False).view(np.int64)
    options = {"where": where, "axis": axis, "keepdims": keepdims}
    if global_index and name in ("argmin", "argmax"):
        options["global_index"] = True
    answer = operation(numbers, **options)
    if nan == "propagate" and name in ("max", "minmax", "argmax") and absent.any():
        answer = _with_absent(name, answer, numbers, absent, options)
    if name in ("count", "argmin", "argmax"):
        return answer
    dates = tuple(np.asarray(one, np.int64).view(x.dtype.newbyteorder("="))[()]
                  for one in (answer if name == "minmax" else (answer,)))
    return dates if name == "minmax" else dates[0]


def _first_in(absent, axis):
    """The place of the first NaT; where rows along axes are reduced, its index: of the first row that has one."""
    if axis is None:
        return int(absent.ravel().argmax())
    axes = _rows.axes_of(axis, absent.ndim)
    order = [one for one in range(absent.ndim) if one not in axes] + axes
    rows = absent.transpose(order)
    index = np.unravel_index(rows.ravel().argmax(), rows.shape)
    return tuple(int(index[order.index(one)]) for one in range(absent.ndim))


def _with_absent(name, answer, numbers, absent, options):
    """NaT, or its place, for rows that have one: as a number it is the lowest, where it should be the highest."""
    from . import any, argmin, min  # noqa: A004, PLC0415: made after this module

    rows = any(absent, axis=options["axis"], keepdims=options["keepdims"])
    first = (argmin if name == "argmax" else min)(numbers, **options)
    highest = np.where(rows, first, answer[1] if name == "minmax" else answer)
    if options["axis"] is None and not options["keepdims"]:
        highest = highest.item()
    return (answer[0], highest) if name == "minmax" else highest
