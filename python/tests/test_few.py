"""Calls on few items have the answers of all others."""

import fractions
import math

import monofold as mf
import numpy as np
import pytest
from arrays import same


# Few items have ways of their own: sums, of squares and of products too, in two doubles a lane, the best by keys.
def test_few_pairs_are_exact():
    random = np.random.default_rng(3)
    for scale in (1.0, 2.0**-300, 2.0**-460, 2.0**-530, 2.0**440, 2.0**500):
        for count in (1, 2, 10, 129, 1000, 4095):
            x, y = random.standard_normal((2, count)) * scale
            y[count // 2:] *= 2.0**-40
            x[:count // 3] = x[0]
            exact = sum((fractions.Fraction(a) * fractions.Fraction(b) for a, b in zip(x.tolist(), y.tolist())),
                        fractions.Fraction(0))
            assert mf.dot(x, y) == float(exact)
            assert mf.dot(np.append(x, x), np.append(y, -y)) == 0.0
            near = np.append(y, np.nextafter(-y, 0))  # what is left is small beside the products
            rest = sum((fractions.Fraction(a) * fractions.Fraction(b)
                        for a, b in zip(np.append(x, x).tolist(), near.tolist())), fractions.Fraction(0))
            assert mf.dot(np.append(x, x), near) == float(rest)
    assert math.copysign(1, mf.dot(np.array([-0.0]), np.array([1.0]))) == -1
    assert math.isnan(mf.dot(np.array([np.inf, 1.0]), np.array([0.0, 1.0])))
    assert mf.dot(np.array([1e200, 1.0]), np.array([1e200, 1.0])) == math.inf
    with pytest.raises(mf.NanFound):
        mf.dot(np.array([np.nan, 1.0]), np.array([1.0, 1.0]), nan="raise")


@pytest.mark.parametrize("dtype", ("float64", "float32"))
def test_few_spreads_are_exact(dtype):
    random = np.random.default_rng(5)
    for scale, center in ((1.0, 0.0), (1.0, 3.0), (1.0, 1e6), (1e-9, 1e9), (2.0**-60, 0.0), (2.0**60, 1e20), (0.0, 7.0)):
        for count in (2, 3, 10, 64, 65, 1001):
            x = (random.standard_normal(count) * scale + center).astype(dtype)
            items = [fractions.Fraction(item) for item in x.tolist()]
            squares = sum((item * item for item in items), fractions.Fraction(0)) - sum(items) ** 2 / count
            for correction in (0, 1):
                exact = squares / (count - correction)
                assert mf.var(x, correction=correction) == float(exact)
                root = mf.std(x, correction=correction)
                below, above = (fractions.Fraction(math.nextafter(root, end)) for end in (-math.inf, math.inf))
                least, most = (below + fractions.Fraction(root)) / 2, (above + fractions.Fraction(root)) / 2
                assert (root == 0) == (exact == 0) and (root == 0 or least**2 <= exact <= most**2)


def test_few_spreads_at_the_limits():
    for scale in (2.0**-530, 2.0**-500, 2.0**-440, 2.0**440, 2.0**500):
        x = np.array([1.0, 2.0, 4.0, 8.5]) * scale
        items = [fractions.Fraction(item) for item in x.tolist()]
        assert mf.var(x) == float(sum(item * item for item in items) / 4 - (sum(items) / 4) ** 2)
    for special in (math.inf, -math.inf, math.nan):
        assert math.isnan(mf.var(np.array([1.0, special, 2.0]))) and math.isnan(mf.std(np.array([special, special])))
    assert mf.var(np.array([1.0, math.nan, 2.0]), nan="omit") == 0.25
    with pytest.raises(mf.NanFound):
        mf.var(np.array([1.0, math.nan]), nan="raise")
    for few in ([], [1.0]):
        with pytest.raises(mf.EmptyInput):
            mf.var(np.array(few, float), correction=1)
    zeros = mf.std(np.array([-0.0, -0.0]))
    assert zeros == 0 and math.copysign(1, zeros) == 1


@pytest.mark.parametrize("dtype", ("float64", "float32", "int16"))
@pytest.mark.parametrize("special", (None, math.nan, math.inf))
def test_few_statistics(dtype, special):
    """Those together are those of one operation at a time, by its longest way; each about none that it needs is None."""
    if special is not None and dtype == "int16":
        pytest.skip("no such integer")
    random = np.random.default_rng(6)
    for count in (1, 2, 7, 64, 128, 255, 256, 257, 1003, 4095):
        for x in (random.standard_normal(count) * 50, random.integers(-2, 2, count), np.zeros(count) * -1,
                  np.maximum(random.integers(-1, 2, count), -0.0)):
            x = x.astype(dtype)
            if special is not None:
                x[count // 3] = special
            for correction in (0, 1, 7):
                found = mf.stats(x, correction=correction)
                assert type(found) is mf.Stats
                for name in mf.Stats._fields:
                    operation = getattr(mf, {"nan": "count_nan"}.get(name, name))
                    options = {"correction": correction} if name in ("var", "std") else {}
                    try:
                        expected = operation(x, where=True, **options)
                    except mf.EmptyInput:
                        expected = None
                    assert same(getattr(found, name), expected), (name, count)


@pytest.mark.parametrize("count", (1, 10, 300))
def test_few_sums_that_more_than_two_doubles_hold(count):
    x = np.array([2.0**60, 2.0**-60, -(2.0**60)] * count)
    assert mf.sum(x) == mf.stats(x).sum == count * 2.0**-60
    assert mf.reduce(x, mf.all(mf.mean, mf.max)) == (2.0**-60 / 3, 2.0**60)


@pytest.mark.parametrize("dtype", ("float64", "float32", "float16", "int8", "uint64", "bool"))
def test_the_best_of_few(dtype):
    random = np.random.default_rng(4)
    for count in (1, 3, 10, 500, 1000):
        x = (random.integers(-20, 20, count) if count < 500 else random.standard_normal(count) * 50).astype(dtype)
        for k in (1, 3, 10, 500):
            if k > count:
                continue
            for operation, sign in ((mf.top_k(k=k), -1), (mf.bottom_k(k=k), 1)):
                order = np.argsort(sign * x.astype(object), kind="stable")[:k]
                found = operation(x)
                assert found.indices.tolist() == order.tolist() and same(found.values, x[order])
    steps = np.arange(1000.0)  # each of which is better than those before
    assert mf.top_k(steps, 9).indices.tolist() == list(range(999, 990, -1))
    assert mf.bottom_k(steps[::-1].copy(), 9).indices.tolist() == list(range(999, 990, -1))
    zeros = mf.top_k(np.array([-0.0, 0.0, -0.0]), 2)
    assert zeros.indices.tolist() == [1, 0] and np.signbit(zeros.values).tolist() == [False, True]
    last = mf.top_k(np.array([np.nan, 1.0, 2.0]), 3)
    assert last.indices.tolist() == [2, 1, 0]


@pytest.mark.parametrize("dtype", ("float64", "float32"))
@pytest.mark.parametrize("odd", (np.nan, np.inf, -np.inf))
def test_extrema_beside_what_is_not_finite(dtype, odd):
    for count in (2, 3, 50, 1000, 3000):
        for place in {0, 1, count // 2, count - 1}:
            x = np.arange(1, count + 1, dtype=dtype)
            x[place] = odd
            for operations in ((mf.min, mf.max), (mf.argmin, mf.argmax, mf.count), (mf.max, mf.argmin)):
                alone = [operation(x) for operation in operations]
                assert all(map(same, mf.reduce(x, mf.all(*operations)), alone)), (count, place)


# The first window, what enters and what leaves have ways of their own, and vectors go by pairs of windows.
@pytest.mark.parametrize("dtype", ("float64", "float32"))
def test_windows_with_something_odd_at_every_place(dtype):
    random = np.random.default_rng(11)
    for count, window in ((40, 3), (40, 17), (40, 39)):
        for odd in (np.nan, np.inf, -np.inf, -0.0, 2.0**100):
            for place in range(count):
                x = random.standard_normal(count).astype(dtype)
                x[place] = odd
                for fold in (mf.sum, mf.mean):
                    own = [fold(x[i:i + window], dtype=dtype) for i in range(count - window + 1)]
                    assert same(mf.rolling(x, window, fold), np.array(own, dtype))
                beginnings = [mf.sum(x[:i + 1], dtype=dtype) for i in range(count)]
                assert same(mf.cumulative_sum(x), np.array(beginnings, dtype))
    assert same(mf.rolling(np.full(20, -0.0), 4, mf.sum), np.full(17, -0.0))


# As one line rows of 3, 10 or 20 columns fill whole vectors after some of them.
@pytest.mark.parametrize("width", (1, 3, 7, 10, 13, 20, 24))
def test_narrow_columns_with_something_odd_at_every_place(width):
    random = np.random.default_rng(13)
    for odd in (np.nan, np.inf, -np.inf, 1e300, 5e-324):
        for place in range(0, 25 * width, 3):
            x = random.standard_normal((25, width))
            x.flat[place] = odd
            assert same(mf.sum(x, axis=0), np.array([mf.sum(x[:, i].copy()) for i in range(width)]))
    assert same(mf.sum(np.full((25, width), -0.0), axis=0), np.full(width, -0.0))


def test_float32_sums_at_the_middle_between_two():
    x = np.array([1.0, 2.0**-24, 2.0**-24, 2.0**-60, -2.0**-60] * 30, "float32")
    beginnings = [mf.sum(x[:i + 1], dtype="float32") for i in range(x.size)]
    assert same(mf.cumulative_sum(x), np.array(beginnings, "float32"))
    pairs = [mf.sum(x[i:i + 2], dtype="float32") for i in range(x.size - 1)]
    assert same(mf.rolling(x, 2, mf.sum), np.array(pairs, "float32"))
