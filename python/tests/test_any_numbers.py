"""Arrays that nobody thought of, beside arithmetic of fractions."""

import math
from fractions import Fraction

import hypothesis.extra.numpy as hnp
import monofold as mf
import numpy as np
from arrays import exact_sum, rounded, same
from hypothesis import given
from hypothesis import strategies as st

FINITE = {"allow_nan": False, "allow_infinity": False}
FLOATS = st.sampled_from(("float16", "float32", "float64"))
SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=7)


def arrays_of(dtypes, **elements):
    return dtypes.flatmap(lambda dtype: hnp.arrays(dtype, SHAPES, elements=hnp.from_dtype(np.dtype(dtype), **elements)))


def double(value):
    """A fraction as a float64, past the largest one infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@given(arrays_of(FLOATS, **FINITE))
def test_sums_and_means(x):
    total = exact_sum(x)
    assert mf.sum(x) == double(total) and mf.mean(x) == double(total / x.size)
    square = sum((Fraction(item) ** 2 for item in x.ravel().tolist()), Fraction(0))
    assert mf.var(x) == double(square / x.size - (total / x.size) ** 2)
    assert mf.dot(x, x) == double(square)
    for axis in range(x.ndim):
        rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        means = [exact_sum(row) / x.shape[axis] for row in rows]  # which are in the range of the type
        expected = np.array([rounded(mean, x.dtype) for mean in means], x.dtype)
        assert np.array_equal(mf.mean(x, axis=axis).ravel(), expected)


@given(arrays_of(st.sampled_from(("int8", "uint16", "int32", "uint64", "int64", "bool"))))
def test_integers(x):
    items = x.ravel().tolist()
    total, limits = sum(items), np.iinfo("uint64" if x.dtype.kind in "ub" else "int64")
    if limits.min <= total <= limits.max:
        assert same(mf.sum(x), total)
    else:
        try:
            raise AssertionError(mf.sum(x))
        except mf.IntegerOverflow:
            pass
    assert mf.mean(x) == float(Fraction(total, x.size))
    assert mf.min(x) == min(items) and mf.argmax(x) == items.index(max(items))


@given(arrays_of(FLOATS), st.data())
def test_layout_and_pieces_change_nothing(x, data):
    order = data.draw(st.permutations(range(x.ndim)))
    turned = x.transpose(order)
    steps = tuple(slice(None, None, data.draw(st.sampled_from((1, -1, 2)))) for _ in range(x.ndim))
    view = turned[steps]
    packed = np.ascontiguousarray(view)
    for operation in (mf.sum, mf.argmin, mf.plain.sum, mf.prod, mf.max, mf.count_nan):
        assert same(operation(view), operation(packed))
        assert same(operation(view.astype(view.dtype.newbyteorder())), operation(packed))
    cut = data.draw(st.integers(0, packed.size))
    flat = packed.ravel()
    fold = mf.all(mf.sum, mf.argmax, mf.count_nan)
    assert mf.State(fold, x.dtype).push(flat[:cut]).push(flat[cut:]) == mf.State(fold, x.dtype).push(view)
    mask = data.draw(hnp.arrays(bool, view.shape))
    assert same(mf.sum(view, where=mask), mf.sum(packed[mask]))
    axis = data.draw(st.integers(0, view.ndim - 1))
    assert same(mf.sum(view, axis=axis), mf.sum(packed, axis=axis))
    rows, marks = (np.moveaxis(one, axis, -1).reshape(-1, view.shape[axis]) for one in (packed, mask))
    expected = [mf.sum(row[mark], dtype=x.dtype) for row, mark in zip(rows, marks)]
    assert same(mf.sum(view, axis=axis, where=mask).ravel(), np.array(expected, x.dtype))
