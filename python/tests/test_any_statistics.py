"""Deviations, norms, rows with kept axes, segments and bfloat16 of arrays that nobody thought of, beside fractions."""

import math
from fractions import Fraction

import hypothesis.extra.numpy as hnp
import monofold as mf
import numpy as np
import pytest
from arrays import exact_sum, rounded
from hypothesis import given
from hypothesis import strategies as st

FINITE = {"allow_nan": False, "allow_infinity": False}
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6)
FLOATS = st.sampled_from(("float16", "float32", "float64"))


@st.composite
def arrays(draw, shapes=SHAPES):
    dtype = draw(FLOATS)
    return draw(hnp.arrays(dtype, shapes, elements=hnp.from_dtype(np.dtype(dtype), **FINITE)))


@st.composite
def axes_of(draw, x):
    return tuple(draw(st.lists(st.integers(0, x.ndim - 1), unique=True, max_size=x.ndim)))


def fractions(items):
    return [Fraction(item) for item in np.asarray(items).ravel().tolist()]


def squares(items):
    return sum((item * item for item in fractions(items)), Fraction(0))


def spread(items, correction):
    """The variance of some items."""
    return (squares(items) - exact_sum(items) ** 2 / items.size) / (items.size - correction)


def beyond(dtype):
    """The least magnitude that is rounded to infinity."""
    largest, before = dtype.type(np.inf), dtype.type(-np.inf)
    last = np.nextafter(largest, before)
    return Fraction(float(last)) + (Fraction(float(last)) - Fraction(float(np.nextafter(last, before)))) / 2


def of_type(value, dtype):
    """A fraction rounded once."""
    if abs(value) >= beyond(dtype):
        return dtype.type(math.inf if value > 0 else -math.inf)
    with np.errstate(over="ignore"):  # a first guess may be infinity
        return dtype.type(float(value)) if dtype == np.float64 else rounded(value, dtype)


def is_root(found, value, dtype):
    """Whether a number is the root of a fraction, rounded once: the root lies between the middles to its neighbours."""
    dtype = np.dtype(dtype)
    found = dtype.type(found)
    if value == 0 or np.isinf(found):
        return found == 0 if value == 0 else value >= beyond(dtype) ** 2
    with np.errstate(over="ignore"):
        down, up = (np.nextafter(found, dtype.type(to)) for to in (-np.inf, np.inf))
    upper = (Fraction(float(found)) + Fraction(float(up))) / 2 if np.isfinite(up) else beyond(dtype)
    lower = max((Fraction(float(found)) + Fraction(float(down))) / 2, Fraction(0))
    return lower**2 <= value <= upper**2


def rows_of(x, axes):
    """The items that each answer is about, in the order of the answers."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    return x.transpose(*kept, *axes).reshape(math.prod(x.shape[axis] for axis in kept), -1)


@given(arrays(), st.integers(0, 2))
def test_deviations_and_norms(x, correction):
    assert is_root(mf.norm(x), squares(x), "float64")
    total = sum(map(abs, fractions(x)), Fraction(0))
    assert mf.norm(x, ord=1) == of_type(total, np.dtype("float64"))
    assert mf.mean_square(x) == of_type(squares(x) / x.size, np.dtype("float64"))
    assert mf.norm(x, ord=np.inf) == max(map(abs, fractions(x)))
    if x.size > correction:
        value = spread(x, correction)
        assert is_root(mf.std(x, correction=correction), value, "float64")
        assert mf.var(x, correction=correction) == of_type(value, np.dtype("float64"))
    else:
        with pytest.raises(mf.EmptyInput):
            mf.std(x, correction=correction)


def place_of(row, best):
    """The first of the smallest or largest items; -0 lies below +0, which NumPy takes for equal."""
    return best(range(row.size), key=lambda i: (row[i], math.copysign(1, row[i])))


@given(arrays(), st.data())
def test_rows_with_kept_axes(x, data):
    axes = data.draw(axes_of(x))
    shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(x.shape))
    rows = rows_of(x, tuple(sorted(axis % x.ndim for axis in axes)))  # in index order
    for operation in (mf.sum, mf.mean, mf.var, mf.std, mf.norm, mf.mean_square, mf.min):
        found = operation(x, axis=axes, keepdims=True)
        assert found.shape == shape and found.dtype == x.dtype
        assert found.tobytes() == operation(x, axis=axes).tobytes()
        for own, row in zip(found.ravel(), rows, strict=True):
            if operation in (mf.std, mf.norm):
                assert is_root(own, spread(row, 0) if operation is mf.std else squares(row), x.dtype)
                continue
            total = exact_sum(row)
            value = {"sum": total, "mean": total / row.size, "min": min(fractions(row)), "var": spread(row, 0),
                     "mean_square": squares(row) / row.size}[operation.kind.name]
            assert own == of_type(value, x.dtype), operation
    assert mf.argmax(x, axis=axes, keepdims=True).ravel().tolist() == [place_of(row, max) for row in rows]


@given(arrays(hnp.array_shapes(max_dims=1, max_side=60)), st.data())
def test_segments(x, data):
    place = st.integers(0, x.size)
    bounds = [sorted(pair) for pair in data.draw(st.lists(st.tuples(place, place), max_size=6))]
    starts, stops = np.array(bounds, int).reshape(-1, 2).T
    full = starts < stops
    parts = [x[start:stop] for start, stop in bounds]
    found = mf.segmented_reduce(x, mf.all(mf.sum, mf.count, mf.norm), starts=starts, stops=stops)
    assert [one.dtype for one in found] == [x.dtype, np.dtype("int64"), x.dtype] or not x.size
    for total, count, norm, part in zip(*found, parts, strict=True):
        assert total == of_type(exact_sum(part), x.dtype) and count == part.size
        assert is_root(norm, squares(part), x.dtype)
    means, spreads, places = mf.segmented_reduce(
        x, mf.all(mf.mean, mf.std, mf.argmin), starts=starts[full], stops=stops[full])
    for mean, deviation, at, part in zip(means, spreads, places, [part for part in parts if part.size], strict=True):
        assert mean == of_type(exact_sum(part) / part.size, x.dtype) and at == place_of(part, min)
        assert is_root(deviation, spread(part, 0), x.dtype)


@given(hnp.arrays("uint16", SHAPES), st.data())
def test_bfloat16(bits, data):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    bits[bits & 0x7F80 == 0x7F80] &= 0xBFFF  # no infinity and no NaN
    x = bits.view(ml_dtypes.bfloat16)
    double, total = np.dtype("float64"), exact_sum(x.astype(float))
    items = x.astype(float)
    assert mf.sum(x) == of_type(total, double) and mf.mean(x) == of_type(total / x.size, double)
    assert mf.var(x) == of_type(spread(items, 0), double) and mf.dot(x, x) == of_type(squares(items), double)
    assert is_root(mf.std(x), spread(items, 0), double) and is_root(mf.norm(x), squares(items), double)
    axes = data.draw(axes_of(x))
    found = [one(x, axis=axes, keepdims=True) for one in (mf.sum, mf.mean, mf.std, mf.max)]
    assert all(one.dtype == x.dtype for one in found)
    for total, mean, deviation, largest, row in zip(*map(np.ravel, found), rows_of(items, axes), strict=True):
        assert total == of_type(exact_sum(row), x.dtype) and mean == of_type(exact_sum(row) / row.size, x.dtype)
        assert is_root(deviation, spread(row, 0), x.dtype) and largest == row.max()
    flat, cut = x.ravel(), data.draw(st.integers(0, x.size))
    sums = mf.segmented_reduce(flat, mf.sum, [0, cut, x.size])
    assert sums.dtype == x.dtype
    assert sums.tolist() == [of_type(exact_sum(part), x.dtype) for part in (items.ravel()[:cut], items.ravel()[cut:])]
