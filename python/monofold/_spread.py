"""Variances whose divisor n - c is no whole number: of items that are there several times, or from the bytes of states,
as fractions that are rounded once.

docs/format.md says what the bytes are.
"""

import math
import struct

import numpy as np

from . import _arrays, _core, _device_rows, _device_where, _dtypes, _rows
from ._errors import EMPTY_INPUT

# How often items are read for the sake of a correction that is no whole number, and of how long a row.
MOST_REPEATS, MOST_REPEATED = 64, 1024
# Where a saved state of a variance alone has the sum of its items: behind the file's head, the request and the run's.
_SUM_AT = 31 + 33 + 25
# Limbs and scale of the sum, for each type of items; scale of the sum of squares, which follows five counts.
_LAYOUT = {"float64": (34, -1074, -2148), "float32": (6, -178, -356), "bfloat16": (6, -178, -292),
           "float16": (3, -50, -100)}


def answer(operation, x, axis, correction, keepdims, dtype, out, where):
    """What a variance of an array on the host, or its root, gives its caller."""
    source = _arrays.as_source(x)
    if _device_rows.is_on_device(source):
        raise TypeError(f"correction: {float(correction)} of an array on a device: whole numbers have a kernel")
    if correction < 0:
        raise ValueError(f"correction: {float(correction)} is below 0")
    mask = _arrays.as_mask(where, source.shape)
    kind, how = operation.kind, operation.make_how()
    is_number = axis is None and not keepdims and out is None
    if out is not None and dtype is None:
        dtype = _dtypes.NAMES[_rows.code_of_out(_rows.outs_of(out, 1)[0])]
    if is_number and dtype is None:
        code = _dtypes.FLOAT64
    else:
        code = (_rows.value_code if out is None else _rows.ruled_code)(kind, source, how, dtype)
    axes = _rows.axes_of(axis, len(source.shape))
    found = reduce(source, mask, operation, axes, correction, code)
    found = found.reshape(_rows.answer_shape(source.shape, axes, keepdims))
    if out is not None:
        return _rows.into(out, [found])
    return found.item() if is_number else source.like(found)


def reduce(source, mask, operation, axes, correction, code):
    """A NumPy array of the variances along axes, or of their roots."""
    row_items = math.prod(source.shape[axis] for axis in axes)
    times = correction.denominator
    if times <= MOST_REPEATS and row_items <= MOST_REPEATED and 0 <= correction.numerator < 2**53:
        # For 1.5 the correction is 3, with every item twice. That changes no bit: the sum of squares over n - c is
        # twice the one over 2 n - 2 c.
        how = operation.with_options(correction=correction.numerator).make_how()
        repeated, marks = _repeated(source, mask, times)
        return _rows.reduce(repeated, marks, operation.kind, how, [*axes, len(source.shape)], code)[0]
    return _by_states(source, mask, operation, axes, correction, code)


def _repeated(source, mask, times):
    """Every item so often, along a last axis of no bytes, and its mark."""
    [(items, present)] = _arrays.in_one_piece(source).pieces
    marks = _arrays.both(mask, present)
    pieces = [(items.repeated(times), None)]
    repeated = _arrays.Source(pieces, (*source.shape, times), source.code, source.like)
    return repeated, None if marks is None else marks.repeated(times)


def _by_states(source, mask, operation, axes, correction, code):
    kept = [axis for axis in range(len(source.shape)) if axis not in axes]
    shape = [source.shape[axis] for axis in kept]
    items, present = _arrays.joined(_device_where.marked(source, mask))

    def rows_of(array):
        if not array.size:
            return np.zeros((math.prod(shape), 0), array.dtype)
        return array.reshape(source.shape).transpose(*kept, *axes).reshape(math.prod(shape), -1)

    rows, marks = rows_of(items), None if present is None else rows_of(present)
    own = _OfRows(operation, source.code, correction, code)
    answers = [own.answer(row if marks is None else row[marks[at]]) for at, row in enumerate(rows)]
    if None in answers:
        _rows.check_rows(operation.kind, source, axes, EMPTY_INPUT, answers.index(None))
    with np.errstate(over="ignore"):
        return np.array(answers, float).astype(_narrowed(code)).astype(_dtypes.numpy_of(code)).reshape(shape)


def _narrowed(code):
    return np.float32 if _dtypes.NAMES[code] == "bfloat16" else float


class _OfRows:
    """Answers as float64 that are rounded once more, to the type `code`, without a change of the answer."""

    def __init__(self, operation, item, correction, code):
        self.kind, self.item = operation.kind, item
        self.how = operation.make_how("propagate")  # whose states count NaN, and add others
        self.omits, self.correction, self.answer_name = operation.nan == "omit", correction, _dtypes.NAMES[code]

    def answer(self, row):
        """None where no more items are than `correction`."""
        count, bad, total, squares, scale = self._sums(row)
        if count <= self.correction or count == 0:
            return None
        deviations = count * squares - total * total
        if bad or deviations == 0:
            return math.nan if bad else 0.0
        freedom = count * self.correction.denominator - self.correction.numerator
        return _rounded(deviations * self.correction.denominator, count * freedom, 2 * scale, self.kind.name == "std",
                        self.answer_name)

    def _sums(self, row):
        """(how many items, how many without a variance, their sum, that of squares, scale): times 2^scale, its square."""
        if not row.size:
            return 0, 0, 0, 0, 0
        state = _core.state(self.item, [self.kind.code], 0, self.how)
        state.fill(_arrays.of_numpy(row), None)
        saved = state.save()
        if not _dtypes.is_floating(self.item):
            total = int.from_bytes(saved[_SUM_AT + 8:_SUM_AT + 24], "little", signed=True)
            return row.size, 0, total, int.from_bytes(saved[_SUM_AT + 24:_SUM_AT + 56], "little"), 0
        limbs, scale, squares_scale = _LAYOUT[_dtypes.NAMES[self.item]]
        counts_at = _SUM_AT + 8 * limbs
        count, nan, positive, negative, _ = struct.unpack_from("<5q", saved, counts_at)
        total = int.from_bytes(saved[_SUM_AT:counts_at], "little", signed=True)
        squares = int.from_bytes(saved[counts_at + 40:-20], "little", signed=True)  # before two counts and the checksum
        if self.omits:
            count, nan = count - nan, 0
        return count, nan + positive + negative, total, squares << squares_scale - 2 * scale, scale


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
