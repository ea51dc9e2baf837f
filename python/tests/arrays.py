"""Arrays that tests share, and what their answers are by slow and obvious ways."""

import math
from fractions import Fraction

import numpy as np

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def numbers(dtype, shape, seed=7):
    """Random numbers of mixed magnitude; integers over their whole range but for 64 bits."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        shift = 20 if dtype.itemsize == 8 else 0  # so that sums fit
        return rng.integers(limits.min >> shift, limits.max >> shift, shape, dtype, endpoint=True)
    with np.errstate(over="ignore"):
        spread = 4 if dtype.itemsize == 2 else 40
        return (rng.standard_normal(shape) * 2.0 ** rng.integers(-spread, spread, shape)).astype(dtype)


def exact_sum(items):
    return sum((Fraction(item) for item in np.asarray(items).ravel().tolist()), Fraction(0))


def rounded(value, dtype="float64"):
    """A fraction rounded once, ties to even: by trying the neighbours of a first guess."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        return float(value)  # Fraction rounds once
    guess = dtype.type(float(value))
    near = [guess, np.nextafter(guess, dtype.type(-np.inf)), np.nextafter(guess, dtype.type(np.inf))]
    near = [one for one in near if np.isfinite(one)]
    best = min(abs(Fraction(float(one)) - value) for one in near)
    ties = [one for one in near if abs(Fraction(float(one)) - value) == best]
    return min(ties, key=lambda one: int(one.view(f"u{dtype.itemsize}")) & 1)


def same(left, right):
    """Equal numbers or both NaN, zeros by sign, arrays by type and shape."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        left, right = np.asarray(left), np.asarray(right)
        return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right


def equal(found, expected):
    """The same of tuples and types too."""
    if type(found) is not type(expected):
        return False
    if isinstance(found, tuple):
        return len(found) == len(expected) and all(map(equal, found, expected))
    return found is expected if isinstance(found, type) else same(found, expected)


def answers_of(call):
    """What two calls give: answers, or what they raise; both the same."""
    found = []
    for _ in range(2):
        try:
            found.append(call())
        except (TypeError, ValueError, ArithmeticError) as raised:
            found.append((type(raised), str(raised)))
    assert equal(*found)
    return found[1]
