"""Corrections that are no whole numbers: the exact sum of squares over n - c, rounded once."""

import math
from decimal import Decimal
from fractions import Fraction

import monofold as mf
import numpy as np
import pytest
from arrays import same

CORRECTIONS = (0.5, 1.5, 2.75, 0.015625, 0.1, 1 / 3, np.float32(0.7), 5e-324)
RNG = np.random.default_rng(5)


def items_of(dtype, shape):
    if dtype == "bool":
        return RNG.random(shape) < 0.4
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return RNG.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return (RNG.normal(size=shape) * 100).astype(dtype)


def exact(row, correction):
    """The variance as a fraction."""
    items = [Fraction(float(x)) if row.dtype.kind == "f" else Fraction(int(x)) for x in row.ravel()]
    squares = sum(x * x for x in items) - sum(items) ** 2 / len(items)
    return squares / (len(items) - Fraction(float(correction)))


def is_near_root(found, value):
    """Whether no float64 lies nearer to the root of a fraction."""
    below, above = (Fraction(float(np.nextafter(found, to))) for to in (0.0, math.inf))
    return ((below + Fraction(found)) / 2) ** 2 <= value <= ((above + Fraction(found)) / 2) ** 2


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("dtype", ("float64", "float32", "float16", "int64", "uint64", "int8", "bool"))
def test_are_exact(dtype, correction):
    x = items_of(dtype, (5, 7, 4))
    value = exact(x, correction)
    assert mf.var(x, correction=correction) == float(value)
    assert is_near_root(mf.std(x, correction=correction), value)
    assert mf.var(x, correction=correction, dtype="float32") == np.float32(float(value))  # no tie is near
    assert mf.var(x.ravel()[:1500], correction=correction, keepdims=True).shape == (1,)
    for axis, rows in ((1, x.transpose(0, 2, 1).reshape(20, 7)), ((0, 2), x.transpose(1, 0, 2).reshape(7, 20))):
        found = mf.var(x, axis, correction=correction, dtype="float64")
        assert found.ravel().tolist() == [float(exact(row, correction)) for row in rows]
        like = mf.var(x, axis, correction=1)
        assert mf.std(x, axis, correction=correction).dtype == like.dtype
        out = np.zeros(like.shape)
        assert mf.var(x, axis, correction=correction, out=out) is out and same(out, found)
        kept = mf.var(x, axis, correction=correction, dtype="float64", keepdims=True)
        assert kept.shape == mf.max(x, axis, keepdims=True).shape and same(kept.ravel(), found.ravel())


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_long_rows(correction):
    """Longer than those whose items are read several times."""
    x = items_of("float64", (3, 2000))
    assert mf.var(x, 1, correction=correction).tolist() == [float(exact(row, correction)) for row in x]
    x = items_of("int64", 4000)
    assert mf.var(x, correction=correction) == float(exact(x, correction))


@pytest.mark.parametrize("count", (40, 1400))
@pytest.mark.parametrize("correction", (0.5, 0.1))
def test_marked_items_and_nan(correction, count):
    x = items_of("float64", (4, count))
    marks = RNG.random(x.shape) < 0.7
    wanted = [float(exact(row[some], correction)) for row, some in zip(x, marks)]
    assert mf.var(x, 1, correction=correction, where=marks).tolist() == wanted
    assert mf.var(x, correction=correction, where=marks) == float(exact(x[marks], correction))
    holes = np.where(marks, x, math.nan)
    assert np.isnan(mf.var(holes, 1, correction=correction)).all() and math.isnan(mf.std(holes, correction=correction))
    for omit in (mf.var(nan="omit"), lambda *given, **more: mf.var(*given, nan="omit", **more)):
        assert omit(holes, 1, correction=correction).tolist() == wanted
        assert omit(holes, correction=correction) == float(exact(x[marks], correction))
    assert mf.var(x, 1, correction=correction, nan="raise").tolist() == mf.var(x, 1, correction=correction).tolist()
    x[2, 3] = math.nan
    with pytest.raises(mf.NanFound) as caught:
        mf.var(x, 1, correction=correction, nan="raise")
    assert caught.value.index == (2, 3)
    x[2, 3] = math.inf
    assert np.isnan(mf.var(x, 1, correction=correction)).tolist() == [False, False, True, False]


@pytest.mark.parametrize("correction", (2.5, 2.1, 2.0000000000000004))
def test_too_few_items(correction):
    x = np.ones((2, 3))
    assert mf.var(x, 1, correction=correction).tolist() == [0.0, 0.0]
    for call in (lambda: mf.var(x, 0, correction=correction), lambda: mf.std(x[0, :2], correction=correction),
                 lambda: mf.var([], correction=correction), lambda: mf.var(x[:, :0], 1, correction=correction)):
        with pytest.raises(mf.EmptyInput):
            call()
    with pytest.raises(mf.EmptyInput, match=r"var: too few items for an answer \(row \(1,\)\)"):
        mf.var(x, 1, correction=correction, where=np.array([[True] * 3, [True, True, False]]))
    assert mf.var(np.ones((0, 3)), 1, correction=correction).shape == (0,)


def test_what_has_whole_numbers_alone():
    x = np.arange(6.0)
    for call in (lambda: mf.var(correction=0.5), lambda: mf.stats(x, correction=0.5),
                 lambda: mf.var.with_options(correction=0.5)):
        with pytest.raises(TypeError, match=r"^correction: 0.5 goes with an array, as in mf.var"):
            call()
    with pytest.raises(TypeError, match="plain variances divide by whole numbers"):
        mf.plain.var(x, correction=0.5)
    with pytest.raises(ValueError, match="-0.5 is below 0"):
        mf.var(x, correction=-0.5)
    with pytest.raises(TypeError, match=r"^var\(\) takes no k$"):
        mf.var(x, correction=0.5, k=1)


def test_fractions_are_taken_as_they_are():
    assert mf.var(np.array([0.0, 1.0]), correction=Fraction(5, 3)) == 1.5
    assert mf.var(np.array([0.0, 1.0]), correction=2 - Fraction(1, 2**60)) == 2.0**59
    assert mf.var([1.0, 2.0, 4.0, 8.0], correction=Decimal("0.1")) == float(Fraction(115, 4) / (4 - Fraction(1, 10)))
    assert mf.var([1.0, 2.0], correction=Fraction(2, 2)) == 0.5


@pytest.mark.parametrize("correction", (1, 0.5))
def test_rules_for_nan_are_known_ones(correction):
    with pytest.raises(ValueError, match="bogus"):
        mf.var([1.0, 2.0], correction=correction, nan="bogus")
    with pytest.raises(TypeError):
        mf.std([[1.0, 2.0]], axis=1, correction=correction, nan=["raise"])


@pytest.mark.parametrize("correction", (2.0**62, 2.0**63, 1e308, 10**400, Fraction(10**400)))
def test_no_array_has_so_many_items(correction):
    with pytest.raises(mf.EmptyInput):
        mf.var([1.0, 2.0], correction=correction)
