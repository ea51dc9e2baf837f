"""Variances whose divisor n - c is no whole number: from the bytes of states, as fractions that are rounded once.

docs/format.md says what the bytes are.
"""

import math
import struct
from fractions import Fraction

import numpy as np

from . import _arrays, _dtypes, _operations
from ._state import State

# Where a saved state of a variance alone has the sum of its items: behind the file's head, the request and the run's.
_SUM_AT = 31 + 33 + 25
# Limbs and scale of the sum, for each type of items; scale of the sum of squares, which follows five counts.
_LAYOUT = {"float64": (34, -1074, -2148), "float32": (6, -178, -356), "bfloat16": (6, -178, -292),
           "float16": (3, -50, -100)}


def fraction_of(correction):
    """A correction as the number that it is.

    Raises
    ------
    ValueError
        For an infinite one and NaN.
    """
    try:
        return Fraction(correction if isinstance(correction, int) else float(correction))
    except (OverflowError, ValueError):
        raise ValueError(f"correction: {correction} is no number of items") from None


def reduce(source, axes, correction, is_root, code):
    """A NumPy array of the variances along axes, or of their roots; NaN where no more items are than `correction`."""
    shape = [extent for axis, extent in enumerate(source.shape) if axis not in axes]
    items, marks = _arrays.joined(source)
    if marks is not None:
        items = items[marks]
    else:
        kept = [axis for axis in range(len(source.shape)) if axis not in axes]
        items = items.reshape(source.shape).transpose(*kept, *axes)
    rows = items.reshape(math.prod(shape), -1) if items.size else np.zeros((math.prod(shape), 0), items.dtype)
    answers = [_of_row(row, source.code, correction, is_root, code) for row in rows]
    with np.errstate(over="ignore"):
        return np.array(answers, float).astype(_narrowed(code)).astype(_dtypes.numpy_of(code)).reshape(shape)


def _narrowed(code):
    return np.float32 if _dtypes.NAMES[code] == "bfloat16" else float


def _of_row(row, item, correction, is_root, code):
    """The answer as a float64 that is rounded once more, to the type `code`, without a change of the answer."""
    limbs, scale, squares_scale = _LAYOUT[_dtypes.NAMES[item]]
    saved = bytes(State(_operations.make("var"), _dtypes.NAMES[item]).push(row))
    counts_at = _SUM_AT + 8 * limbs
    count, nan, positive, negative, _ = struct.unpack_from("<5q", saved, counts_at) if len(row) else (0,) * 5
    if count <= correction or count == 0 or nan or positive or negative:
        return math.nan
    total = int.from_bytes(saved[_SUM_AT:counts_at], "little", signed=True)
    squares = int.from_bytes(saved[counts_at + 40:-20], "little", signed=True)  # before two counts and the checksum
    deviations = count * (squares << squares_scale - 2 * scale) - total * total
    if deviations == 0:
        return 0.0
    freedom = count * correction.denominator - correction.numerator
    return _rounded(deviations * correction.denominator, count * freedom, 2 * scale, is_root, _dtypes.NAMES[code])


# How many bits are kept before the answer is rounded to its type, and the least of them: two more than it has.
_KEPT = {"float64": (64, 1200), "float32": (53, 1074), "float16": (53, 1074), "bfloat16": (24, 149)}


def _rounded(numerator, denominator, scale, is_root, name):
    """A ratio times 2^scale, or the root of that: the leading bits, the last one odd where others follow, so that
    rounding is done once."""
    bits, least = _KEPT[name]
    magnitude = numerator.bit_length() - denominator.bit_length() + scale
    places = min(bits - (magnitude // 2 if is_root else magnitude) + 1, least)
    while True:
        shift = scale + (2 * places if is_root else places)
        top, bottom = (numerator << shift, denominator) if shift >= 0 else (numerator, denominator << -shift)
        whole, rest = divmod(top, bottom)
        if is_root:
            root = math.isqrt(whole)
            whole, rest = root, rest or whole - root * root
        if whole.bit_length() <= bits:
            break
        places -= 1
    whole |= rest != 0
    try:
        return whole / (1 << places) if places >= 0 else float(whole << -places)
    except OverflowError:
        return math.inf
