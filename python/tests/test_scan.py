"""Scans: each answer has the bits of the items up to it, and sums are exact."""

import fractions
import math

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, rounded, same
from producers import CudaArray, OnGpu

FOLDS = (mf.sum, mf.mean, mf.std, mf.min, mf.argmax, mf.norm, mf.norm(ord=1), mf.mean_square, mf.prod, mf.count,
         mf.count_nonzero, mf.any, mf.all, mf.plain.sum, mf.plain.mean, mf.plain.var, mf.logsumexp)


def beginnings(x, fold, **options):
    return [fold(x[:i + 1], **options) for i in range(len(x))]


@pytest.mark.parametrize("fold", FOLDS, ids=repr)
@pytest.mark.parametrize("dtype", ("float64", "float32", "int32"))
def test_beginnings_are_slices(fold, dtype):
    if fold == mf.logsumexp and dtype == "int32":
        pytest.skip("floats only")
    x = numbers(dtype, 300)
    for count in (1, 10, 300):
        out = mf.scan(x[:count], fold)
        with np.errstate(over="ignore"):
            assert same(out, np.array(beginnings(x[:count], fold), out.dtype))


def hard_numbers():
    """Sums that cancel, of numbers of all sizes, and at the middle between two floats."""
    random = np.random.default_rng(5)
    wide = np.ldexp(random.standard_normal(4000), random.integers(-300, 300, 4000))
    yield np.concatenate([wide, -wide[::-1], [2.0**-1074, 1e308, -1e308]])
    yield np.array([1e100, 1.0, -1e100] * 1000)
    yield np.where(np.arange(3000) % 2 == 0, 1.0, 2.0**-53) * np.where(np.arange(3000) % 7 == 0, -1, 1)
    yield np.concatenate([[2.0**-200], np.where(np.arange(2500) % 2 == 0, 1.0, 2.0**-53), [-1250.0] * 2])
    yield random.standard_normal(70000)


@pytest.mark.parametrize("x", list(hard_numbers()), ids=lambda x: f"{len(x)}")
def test_sums_are_exact(x):
    sums = mf.cumulative_sum(x)
    total = fractions.Fraction(0)
    for i, item in enumerate(x.tolist()):
        total += fractions.Fraction(item)
        if i % 7 == 0 or i + 1 == len(x):
            assert sums[i] == float(total)
    assert sums[-1] == math.fsum(x)
    narrow = mf.cumulative_sum(x[:500], dtype="float32")
    with np.errstate(over="ignore"):
        assert same(narrow, np.array([mf.sum(x[:i + 1], dtype="float32") for i in range(500)], "float32"))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_rounded_once(dtype):
    x = (numbers(dtype, 200) / 64).astype(dtype)
    totals, total = [], fractions.Fraction(0)
    for item in x.tolist():
        total += fractions.Fraction(float(item))
        totals.append(rounded(total, dtype))
    assert same(mf.cumulative_sum(x), np.array(totals, dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    x = numbers(dtype, 100)
    sums = mf.cumulative_sum(x)
    assert sums.tolist() == [sum(map(int, x[:i + 1].tolist())) for i in range(100)]
    assert sums.dtype == mf.sum(x.reshape(1, -1), axis=1).dtype
    with np.errstate(over="ignore"):
        assert same(mf.cumulative_prod(x), np.cumprod(x, dtype=sums.dtype))


def test_sums_that_do_not_fit():
    for x, first in (([2**62, 2**62, -2**62], 1), ([1] * 2000 + [2**63 - 1], 2000)):
        with pytest.raises(mf.IntegerOverflow, match=f"row {first}"):
            mf.cumulative_sum(np.array(x))
    with pytest.raises(mf.IntegerOverflow, match=r"row \(1, 2\)"):
        mf.cumulative_sum(np.array([[100, 27, 0], [100, 27, 1]]), 1, dtype="int8")
    assert mf.cumulative_sum(np.array([2**62, 2**62]), dtype="float64")[1] == 2.0**63


def test_nan_infinities_and_zeros():
    x = numbers("float64", 200)
    x[:5] = -0.0
    x[100], x[150], x[170] = np.inf, np.nan, -np.inf
    for fold in (mf.sum, mf.mean, mf.max, mf.prod):
        assert same(mf.scan(x, fold), np.array(beginnings(x, fold)))
        assert same(mf.scan(x, fold, nan="omit"), np.array(beginnings(x, fold, nan="omit")))
    assert np.signbit(mf.cumulative_sum(x)[:5]).all()
    with pytest.raises(mf.NanFound, match="row 150"):
        mf.cumulative_sum(x, nan="raise")


@pytest.mark.parametrize("axis", (0, 1, 2, -1, -2))
def test_axes(axis):
    x = numbers("float32", (6, 5, 7))
    for view in (x, x[::-1, :, ::2], x.transpose(2, 0, 1)):
        for fold in (mf.sum, mf.argmin):
            out = mf.scan(view, fold, axis)
            for i in range(view.shape[axis]):
                part = fold(view[(slice(None),) * (axis % 3) + (slice(i + 1),)], axis=axis)
                assert same(np.ascontiguousarray(out.take(i, axis)), part)
        with_empty = mf.cumulative_sum(view, axis, include_initial=True)
        assert same(np.ascontiguousarray(np.delete(with_empty, 0, axis)), np.ascontiguousarray(mf.cumulative_sum(view, axis)))
        assert not with_empty.take(0, axis).any()


def test_no_items_and_several_folds():
    assert mf.cumulative_sum(np.zeros(0)).shape == (0,)
    assert mf.cumulative_sum([], include_initial=True).tolist() == [0.0]
    assert mf.cumulative_prod(np.zeros((2, 0), "int8"), 1, include_initial=True).tolist() == [[1], [1]]
    assert mf.cumulative_sum(np.zeros((0, 3)), 0, include_initial=True).shape == (1, 3)
    assert mf.cumulative_sum(np.zeros((0, 3)), 1, include_initial=True).shape == (0, 4)
    assert mf.scan(np.zeros(0), mf.min).shape == (0,)
    with pytest.raises(mf.EmptyInput, match="row 0"):
        mf.scan(np.zeros(3), mf.min, include_initial=True)
    mean, place = mf.scan(numbers("float32", 50), mf.all(mf.mean, mf.argmax))
    assert mean.dtype == np.float32 and place.dtype == np.int64
    best = mf.scan(np.array([3.0, 1.0, 2.0]), mf.top_k(k=1))
    assert best.values.ravel().tolist() == [3.0, 3.0, 3.0] and best.indices.ravel().tolist() == [0, 0, 0]
    with pytest.raises(mf.EmptyInput, match="row 0"):
        mf.scan(np.array([3.0, 1.0]), mf.top_k(k=2))


def test_wrong_calls():
    x = np.zeros((2, 3))
    with pytest.raises(ValueError, match="name it"):
        mf.cumulative_sum(x)
    with pytest.raises(ValueError, match="an array with an axis"):
        mf.cumulative_sum(np.float64(3))
    for axis, wrong in ((2, np.exceptions.AxisError), (-3, np.exceptions.AxisError), ((0,), TypeError), (0.0, TypeError)):
        with pytest.raises(wrong):
            mf.cumulative_sum(x, axis)
    with pytest.raises(TypeError, match="no dot"):
        mf.scan(x[0], mf.dot)
    with pytest.raises(TypeError, match="dtype of integers"):
        mf.cumulative_sum(x[0], dtype="int64")
    for on_gpu in (CudaArray(), OnGpu(np.ones(4, "float32"), 2)):
        with pytest.raises(TypeError, match="a scan needs arrays on the host: copy"):
            mf.cumulative_sum(on_gpu)


def test_threads_change_nothing():
    x = numbers("float64", 300_000)
    wanted = mf.cumulative_sum(x)
    mf.set_threads(1)
    try:
        assert same(mf.cumulative_sum(x), wanted)
    finally:
        mf.set_threads(0)
