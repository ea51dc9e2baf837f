"""The operations: one line each. Everything that depends on which one it is, is read from here."""

from typing import NamedTuple

from . import _dtypes


class Kind(NamedTuple):
    """What is known about an operation.

    code : its number in the C interface
    any_order : the answer does not depend on the order of items, unless it is plain
    real : the answer for integers is a floating-point number
    answer : "value", "index", "pair" or "ranked"
    """

    name: str
    code: int
    about: str
    any_order: bool = True
    real: bool = False
    answer: str = "value"


KINDS = {kind.name: kind for kind in (
    Kind("count", 0, "How many items there are (under nan=\"omit\": that are not NaN)."),
    Kind("sum", 1, "The sum; floats exactly, rounded once."),
    Kind("prod", 2, "The product; of integers modulo 2^64.", any_order=False),
    Kind("mean", 3, "The arithmetic mean, exact and rounded once.", real=True),
    Kind("var", 4, "The variance, exact and rounded once.", real=True),
    Kind("std", 5, "The standard deviation: the root of the exact variance.", real=True),
    Kind("min", 6, "The smallest item."),
    Kind("max", 7, "The largest item."),
    Kind("minmax", 8, "The smallest and the largest item, in one pass.", answer="pair"),
    Kind("argmin", 9, "The index of the first smallest item.", any_order=False, answer="index"),
    Kind("argmax", 10, "The index of the first largest item.", any_order=False, answer="index"),
    Kind("top_k", 11, "The k largest items, best first; under nan=\"propagate\" NaN come last.",
         any_order=False, answer="ranked"),
    Kind("bottom_k", 12, "The k smallest items, best first; under nan=\"propagate\" NaN come last.",
         any_order=False, answer="ranked"),
    Kind("any", 13, "Whether an item is not zero."),
    Kind("all", 14, "Whether every item is not zero."),
    Kind("count_nonzero", 15, "How many items are not zero."),
    Kind("norm1", 16, "The sum of magnitudes."),
    Kind("norm", 17, "The Euclidean norm; `ord` 1 and inf: the sum of magnitudes, the largest one.", real=True),
    Kind("norminf", 18, "The largest magnitude."),
    Kind("dot", 19, "The inner product of two arrays, exact and rounded once."),
    Kind("bit_and", 20, "The bits that all items have."),
    Kind("bit_or", 21, "The bits that some item has."),
    Kind("bit_xor", 22, "The bits that an odd number of items have."),
    Kind("count_nan", 23, "How many items are NaN."),
    Kind("mean_square", 24, "The mean of squares, exact and rounded once: its root is what an RMS norm divides by.",
         real=True),
    Kind("logsumexp", 25, "The logarithm of the sum of exponentials of floats, in one pass; no scale overflows.",
         any_order=False, real=True),
    Kind("softmax_denominator", 26, "The largest item, and the sum of exp(x - largest), of floats, in one pass.",
         any_order=False, answer="pair"),
)}


def answer_code(kind, native, item):
    """The type of answers along axes: that of floats stays, integers widen, truth becomes int64.

    `native`: what the C interface would give.
    """
    if _dtypes.is_floating(native) and _dtypes.is_floating(item):
        return item
    if native == _dtypes.UINT64 and item == _dtypes.BOOL:
        return _dtypes.INT64
    return native
