"""The reductions of the Python array API standard: arrays in, arrays of their library out.

Every answer is an array (of no axes for the whole array), floats keep their type, and statistics of integers or
truth values are refused where the standard defines none. Beyond the standard's text:

- integer sums that do not fit raise `IntegerOverflow`; `min` and its like of no items raise `EmptyInput`;
- `correction` is any finite number, as the fraction that it is, since answers are exact. Whole numbers are as fast as
  none, and multiples of 1/64 nearly so for many short rows; others take tens of microseconds a row;
- an array on a GPU is reduced there, in its library; what has no kernel is refused, and nothing is copied to the host.
  `cumulative_sum` and `cumulative_prod` are for arrays on the host.
"""

import math

import numpy as np

from . import _arrays, _core, _device_rows, _dtypes, _gpus, _operations, _rows, _scan, _spread

__all__ = ["all", "any", "argmax", "argmin", "count_nonzero", "cumulative_prod", "cumulative_sum", "max", "mean", "min",
           "prod", "std", "sum", "var"]

_ANY, _NUMBERS, _FLOATS = "any type", "numbers", "floats"


@_gpus.on_its_gpu
def _reduced(name, x, of, axis, keepdims, dtype=None, correction=0):
    correction = correction if type(correction) is int else _operations.number_of(correction)
    is_whole = correction.denominator == 1 and 0 <= correction < 2**53
    operation = _operations.make(name)
    if correction and is_whole:
        operation = operation.with_options(correction=correction)
    source = _arrays.as_source(x)
    if of == _NUMBERS and source.code == _dtypes.BOOL or of == _FLOATS and not _dtypes.is_floating(source.code):
        raise TypeError(f"{name}: arrays of {_dtypes.NAMES[source.code]}; the standard defines it for {of}")
    axes = _rows.axes_of(axis, len(source.shape))
    how = operation.make_how(operation.nan)
    code = _rows.value_code(operation.kind, source, how, dtype)
    kept = tuple(1 if one in axes else n for one, n in enumerate(source.shape) if keepdims or one not in axes)
    is_far = _device_rows.is_on_device(source)
    if is_far:
        _device_rows.check_device()
    is_column = len(axes) == len(source.shape) == 1  # of which items may be absent
    row_items = _present_in(source) if is_column else math.prod(source.shape[one] for one in axes)
    if of == _FLOATS and (row_items == 0 or row_items <= correction):
        if is_far:
            return _device_rows.new_like(x, kept, code, math.nan)
        return source.like(np.full(kept, math.nan, _dtypes.numpy_of(code)))
    if is_far:
        if not is_whole:
            raise TypeError(f"correction: {float(correction)} of an array on a device: whole numbers have a kernel")
        return _device_rows.reduce(x, source, operation.kind, how, axes, code, keepdims)
    if not is_whole:
        return source.like(_spread.reduce(source, None, operation, axes, correction, code).reshape(kept))
    return source.like(_rows.reduce(source, None, operation.kind, how, axes, code)[0].reshape(kept))


def _present_in(source):
    counts = [items.count if mask is None else _core.count_marked(mask) for items, mask in source.pieces]
    return int(np.sum(counts))


_PARAMETER_DOCS = {
    "x": "array\n    An array of any library.",
    "axis": "int or tuple of ints, optional\n    The axes to reduce; None: all of them.",
    "dtype": "dtype, optional\n    The type of the answers, rounded once.",
    "correction": "float\n    Divides by the number of items less this, any finite number.",
    "keepdims": "bool\n    Reduced axes stay, with one index.",
    "include_initial": "bool\n    Along the axis there is one answer more, the first: that of no items.",
}


def _documented(function):
    """Appends to a docstring what the parameters are, which these functions share."""
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    parameters = "\n".join(f"{name} : {_PARAMETER_DOCS[name]}" for name in names)
    function.__doc__ += (f"\n\nParameters\n----------\n{parameters}\n\nReturns\n-------\n"
                         "array\n    An array of the library of `x`.")
    return function


@_documented
def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum: exact, rounded once."""
    return _reduced("sum", x, _NUMBERS, axis, keepdims, dtype)


@_documented
def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product; of integers modulo 2^64, and so with no `dtype` of floats."""
    return _reduced("prod", x, _NUMBERS, axis, keepdims, dtype)


@_documented
def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """The sum of the items up to each one. `axis` is one axis, and may be left out where there is no other."""
    return _cumulative(_scan.cumulative_sum, x, axis, dtype, include_initial)


@_documented
def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """The product of the items up to each one; of integers modulo 2^64. `axis` as of `cumulative_sum`."""
    return _cumulative(_scan.cumulative_prod, x, axis, dtype, include_initial)


def _cumulative(function, x, axis, dtype, include_initial):
    source = _arrays.as_source(x)
    if source.code == _dtypes.BOOL:
        raise TypeError(f"{function.__name__}: arrays of bool; the standard defines it for {_NUMBERS}")
    return function(x, axis, dtype=dtype, include_initial=include_initial)


@_documented
def mean(x, /, *, axis=None, keepdims=False):
    """The arithmetic mean; of no items NaN."""
    return _reduced("mean", x, _FLOATS, axis, keepdims)


@_documented
def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The variance; NaN where there are no more items than `correction`."""
    return _reduced("var", x, _FLOATS, axis, keepdims, correction=correction)


@_documented
def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard deviation; as `var`."""
    return _reduced("std", x, _FLOATS, axis, keepdims, correction=correction)


@_documented
def min(x, /, *, axis=None, keepdims=False):
    """The smallest item."""
    return _reduced("min", x, _NUMBERS, axis, keepdims)


@_documented
def max(x, /, *, axis=None, keepdims=False):
    """The largest item."""
    return _reduced("max", x, _NUMBERS, axis, keepdims)


@_documented
def argmin(x, /, *, axis=None, keepdims=False):
    """The place of the first smallest item."""
    return _reduced("argmin", x, _NUMBERS, _one_axis(axis), keepdims)


@_documented
def argmax(x, /, *, axis=None, keepdims=False):
    """The place of the first largest item."""
    return _reduced("argmax", x, _NUMBERS, _one_axis(axis), keepdims)


@_documented
def any(x, /, *, axis=None, keepdims=False):
    """Whether an item is not zero."""
    return _reduced("any", x, _ANY, axis, keepdims)


@_documented
def all(x, /, *, axis=None, keepdims=False):
    """Whether every item is not zero."""
    return _reduced("all", x, _ANY, axis, keepdims)


@_documented
def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many items are not zero."""
    return _reduced("count_nonzero", x, _ANY, axis, keepdims)


def _one_axis(axis):
    if isinstance(axis, tuple):
        raise TypeError("places are found along one axis, or in the whole array")
    return axis
