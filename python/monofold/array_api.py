"""The reductions of the Python array API standard, as strict as its text: arrays in, arrays of their library out.

Every answer is an array (of no axes for the whole array), floats keep their type, and statistics of integers or
truth values are refused where the standard defines none. Integer sums that do not fit raise `IntegerOverflow`.
"""

import math

import numpy as np

from . import _arrays, _dtypes, _operations, _rows

__all__ = ["all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "prod", "std", "sum", "var"]

_ANY, _NUMBERS, _FLOATS = "any type", "numbers", "floats"


def _reduced(name, x, of, axis, keepdims, dtype=None, correction=0):
    operation = _operations.make(name)
    if not (0 <= correction < 2**63 and int(correction) == correction):
        raise ValueError(f"correction: {correction} is no whole number from 0 to {2**63 - 1}")
    if correction:
        operation = operation.with_options(correction=int(correction))
    source = _arrays.as_source(x)
    if of == _NUMBERS and source.code == _dtypes.BOOL or of == _FLOATS and not _dtypes.is_floating(source.code):
        raise TypeError(f"{name}: arrays of {_dtypes.NAMES[source.code]}; the standard defines it for {of}")
    axes = _rows.axes_of(axis, len(source.shape))
    how = operation.make_how(operation.nan)
    code = _rows.value_code(operation.kind, source, how, dtype)
    if of == _FLOATS and math.prod(source.shape[one] for one in axes) <= correction:
        kept = [1 if one in axes else n for one, n in enumerate(source.shape) if keepdims or one not in axes]
        return source.like(np.full(kept, math.nan, _dtypes.numpy_of(code)))
    return source.like(_rows.reduce(source, None, operation.kind, how, axes, code, keepdims)[0])


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum: exact, rounded once."""
    return _reduced("sum", x, _NUMBERS, axis, keepdims, dtype)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product; of integers modulo 2^64, and so with no `dtype` of floats."""
    return _reduced("prod", x, _NUMBERS, axis, keepdims, dtype)


def mean(x, /, *, axis=None, keepdims=False):
    """The arithmetic mean; of no items NaN."""
    return _reduced("mean", x, _FLOATS, axis, keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The variance; NaN where there are no more items than `correction`, which must be a whole number."""
    return _reduced("var", x, _FLOATS, axis, keepdims, correction=correction)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard deviation; as `var`."""
    return _reduced("std", x, _FLOATS, axis, keepdims, correction=correction)


def min(x, /, *, axis=None, keepdims=False):
    """The smallest item."""
    return _reduced("min", x, _NUMBERS, axis, keepdims)


def max(x, /, *, axis=None, keepdims=False):
    """The largest item."""
    return _reduced("max", x, _NUMBERS, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """The place of the first smallest item."""
    return _reduced("argmin", x, _NUMBERS, _one_axis(axis), keepdims)


def argmax(x, /, *, axis=None, keepdims=False):
    """The place of the first largest item."""
    return _reduced("argmax", x, _NUMBERS, _one_axis(axis), keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Whether an item is not zero."""
    return _reduced("any", x, _ANY, axis, keepdims)


def all(x, /, *, axis=None, keepdims=False):
    """Whether every item is not zero."""
    return _reduced("all", x, _ANY, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many items are not zero."""
    return _reduced("count_nonzero", x, _ANY, axis, keepdims)


def _one_axis(axis):
    if isinstance(axis, tuple):
        raise TypeError("places are found along one axis, or in the whole array")
    return axis
