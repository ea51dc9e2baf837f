"""Whole arrays: every operation beside a slow and obvious way."""

import math
from fractions import Fraction

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, exact_sum, numbers, rounded, same

SIZES = (1, 2, 31, 511, 513, 4097, 70000)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", SIZES)
def test_floats(dtype, size):
    x = numbers(dtype, size)
    total = exact_sum(x)
    square = sum((Fraction(item) ** 2 for item in x.tolist()), Fraction(0))
    assert same(mf.sum(x), rounded(total))
    assert same(mf.mean(x), rounded(total / size))
    assert same(mf.var(x), rounded(square / size - (total / size) ** 2))
    assert same(mf.mean_square(x), rounded(square / size))
    assert mf.plain.mean_square(x) == pytest.approx(float(square / size), rel=1e-14)
    assert same(mf.norm(x, ord=1), rounded(sum(abs(Fraction(item)) for item in x.tolist())))
    assert same(mf.dot(x, x), rounded(square))
    assert same(mf.min(x), float(np.min(x)))
    assert same(mf.max(x), float(np.max(x)))
    assert mf.minmax(x) == (np.min(x), np.max(x))
    assert same(mf.norm(x, ord=math.inf), float(np.max(np.abs(x))))
    assert mf.std(x) == pytest.approx(math.sqrt(square / size - (total / size) ** 2), rel=1e-15)
    assert mf.norm(x) == pytest.approx(math.sqrt(square), rel=1e-15)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", (1, 2, 513, 70000))
def test_logsumexp(dtype, size):
    x = (np.random.default_rng(size).standard_normal(size) * 9).astype(dtype)
    wide = np.float64(x)
    expected = wide.max() + np.log(np.exp(wide - wide.max()).sum())
    bound = 7 * (math.ceil(math.log2(size)) + 4) * 2.0**(-53 if dtype == "float64" else -24)
    assert abs(mf.logsumexp(x) - expected) <= bound + 2.0**-50 * max(1, abs(expected))
    assert same(mf.logsumexp(x), mf.State(mf.logsumexp, dtype).push(x[:1]).push(x[1:]).finish())
    assert mf.logsumexp(np.concatenate([x, x[:0]]), nan="omit") == mf.logsumexp(x)


def test_logsumexp_of_hard_items():
    inf = math.inf
    for items, expected in (([], -inf), ([3.0], 3.0), ([1e308, 1e308], 1e308), ([-inf, 2.0], 2.0), ([-inf], -inf),
                            ([inf, -inf], inf), ([0.0, 0.0], math.log(2)), ([-1000.0, -1000.0], -1000 + math.log(2))):
        assert same(mf.logsumexp(items), expected), items
    assert math.isnan(mf.logsumexp([1.0, math.nan])) and mf.logsumexp([1.0, math.nan], nan="omit") == 1.0
    assert mf.logsumexp([math.nan], nan="omit") == -inf
    with pytest.raises(mf.NanFound, match="index 1"):
        mf.logsumexp([1.0, math.nan], nan="raise")
    for integers in ([1, 2], np.ones(3, "uint8"), [True]):
        with pytest.raises(TypeError):
            mf.logsumexp(integers)
    with pytest.raises(TypeError):
        mf.State(mf.logsumexp, "int64")


@pytest.mark.parametrize("dtype", INTEGERS + ("bool",))
@pytest.mark.parametrize("size", SIZES)
def test_integers(dtype, size):
    x = numbers(dtype, size)
    items = x.tolist()
    assert same(mf.sum(x), sum(items))
    assert same(mf.mean(x), float(Fraction(sum(items), size)))
    assert same(mf.mean_square(x), float(Fraction(sum(item * item for item in items), size)))
    assert mf.min(x) == min(items) and mf.max(x) == max(items)
    assert mf.norm(x, ord=1) == sum(map(abs, items))
    assert mf.bit_xor(x) == np.bitwise_xor.reduce(x)
    assert mf.bit_and(x) == np.bitwise_and.reduce(x) and mf.bit_or(x) == np.bitwise_or.reduce(x)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ("bool",))
def test_places_and_counts(dtype):
    x = numbers(dtype, 5000)
    assert same(mf.argmin(x), int(np.argmin(x))) and same(mf.argmax(x), int(np.argmax(x)))
    assert same(mf.count_nonzero(x), int(np.count_nonzero(x)))
    assert same(mf.count(x), 5000) and same(mf.count_nan(x), 0)
    assert same(mf.any(x), bool(np.any(x))) and same(mf.all(x), bool(np.all(x)))
    best = mf.top_k(x, 5)
    order = np.lexsort((np.arange(5000), -x.astype(object) if dtype != "bool" else ~x))[:5]
    assert same(best.indices, order) and same(best.values, x[order])
    worst = mf.bottom_k(x, 5)
    order = np.lexsort((np.arange(5000), x))[:5]
    assert same(worst.indices, order) and same(worst.values, x[order])


def test_products():
    assert same(mf.prod([1.5, 2.0, -3.0]), -9.0)
    assert same(mf.prod(np.array([3, 5, 7], np.int32)), 105)
    assert same(mf.prod(np.array([2**63, 3], np.uint64)), 2**63)  # modulo 2^64


def test_no_items():
    empty = np.array([])
    assert same(mf.sum(empty), 0.0) and same(mf.prod(empty), 1.0) and same(mf.count(empty), 0)
    assert same(mf.all(empty), True) and same(mf.any(empty), False) and same(mf.norm(empty), 0.0)
    for operation in (mf.mean, mf.mean_square, mf.plain.mean_square, mf.var, mf.std, mf.min, mf.max, mf.minmax,
                      mf.argmin, mf.argmax):
        with pytest.raises(mf.EmptyInput):
            operation(empty)
    with pytest.raises(mf.EmptyInput):
        mf.top_k([1.0, 2.0], 3)
    with pytest.raises(mf.EmptyInput):
        mf.var([1.0], correction=1)


def test_cancelling():
    assert mf.sum([1e100, 1.0, -1e100]) == 1.0
    assert mf.plain.sum([1e100, 1.0, -1e100]) == 0.0
    assert mf.var([1e8 + 1, 1e8 + 2, 1e8 + 3]) == 2 / 3


def test_correction():
    x = numbers("float64", 100)
    assert mf.var(x, correction=1) == pytest.approx(np.var(x, ddof=1), rel=1e-12)
    assert mf.std(x, correction=3) == pytest.approx(np.std(x, ddof=3), rel=1e-12)
    with pytest.raises(TypeError, match="correction"):
        mf.sum(x, correction=1)
    with pytest.raises(ValueError):
        mf.var(x, correction=-1)


@pytest.mark.parametrize("size", (3, 5000))
def test_nan_policies(size):
    x = np.arange(size, dtype="float32")
    x[1] = np.nan
    assert math.isnan(mf.sum(x)) and math.isnan(mf.max(x)) and mf.argmax(x) == 1 and mf.count_nan(x) == 1
    assert mf.sum(x, nan="omit") == np.nansum(x, dtype="float64")
    squares = sum(Fraction(item) ** 2 for item in x[2:].tolist())
    assert math.isnan(mf.mean_square(x)) and mf.mean_square(x, nan="omit") == float(squares / (size - 1))
    for operation in (mf.mean_square, mf.plain.mean_square):
        with pytest.raises(mf.EmptyInput):
            operation(np.full(size, np.nan), nan="omit")
    assert mf.argmax(x, nan="omit") == size - 1 and mf.count(x, nan="omit") == size - 1
    for array, place in ((x, 1), (x[::-1], size - 2), (x[::-1].astype(">f4"), size - 2)):
        for operation in (mf.mean, mf.mean_square):
            with pytest.raises(mf.NanFound) as caught:
                operation(array, nan="raise")
            assert caught.value.index == place
    with pytest.raises(ValueError, match="none of propagate, omit, raise"):
        mf.sum(x, nan="drop")


def test_overflow():
    with pytest.raises(mf.IntegerOverflow):
        mf.sum(np.full(2, 2**63 - 1))
    assert mf.mean(np.full(2, 2**63 - 1)) == 2.0**63
    assert mf.mean_square(np.full(2, -2**63)) == mf.mean_square(np.full(3, -2.0**63)) == 2.0**126
    assert mf.mean_square([2.0**511] * 4) == 2.0**1022 and mf.mean_square([2.0**1000]) == math.inf


def test_dtype_of_a_number():
    tie = np.array([2**-60, 2**-24, 1])
    assert mf.sum(tie, dtype="float32") == 1 + 2**-23  # by way of float64 it would be 1
    third = [np.float32(1 / 3), 1.0, 1.0]
    exact = sum(Fraction(float(item)) ** 2 for item in third) / 3
    for dtype in FLOATS:
        assert mf.mean_square(third, dtype=dtype) == rounded(exact, dtype)
    assert mf.sum(np.array([200, 100], "uint8"), dtype="int16") == 300
    with pytest.raises(mf.IntegerOverflow):
        mf.sum(np.array([200, 100], "uint8"), dtype="uint8")
    assert mf.minmax(np.array([1.5, 0.1]), dtype="float16") == (np.float16(0.1), 1.5)
    assert mf.sum(tie[::-1], dtype="float32", where=[True, True, True]) == 1 + 2**-23
    assert mf.sum(tie.astype(">f8"), dtype="float32", where=[True, True, False]) == 2**-24
    with pytest.raises(mf.NanFound, match="index 1"):
        mf.sum([1.0, math.nan], dtype="float32", nan="raise")
    with pytest.raises(TypeError):
        mf.sum([1.5], dtype="int64")
    with pytest.raises(TypeError):
        mf.argmin([1.5], dtype="int64")


def test_threads_change_nothing():
    x = numbers("float32", 300_000)
    alone = [operation(x) for operation in (mf.sum, mf.plain.sum, mf.plain.var, mf.prod, mf.argmax)]
    mf.set_threads(1)
    try:
        assert alone == [operation(x) for operation in (mf.sum, mf.plain.sum, mf.plain.var, mf.prod, mf.argmax)]
    finally:
        mf.set_threads(0)
    with pytest.raises(ValueError):
        mf.set_threads(-1)


def test_several_at_once():
    x = numbers("float64", 10_000)
    total, (low, high), place, spread, best = mf.reduce(
        x, mf.all(mf.sum, mf.minmax, mf.argmax, mf.var(correction=1), mf.top_k(k=3)))
    assert (total, low, high, place) == (mf.sum(x), mf.min(x), mf.max(x), mf.argmax(x))
    assert spread == mf.var(x, correction=1) and same(best.indices, mf.top_k(x, 3).indices)
    assert mf.reduce(x, mf.sum) == mf.sum(x)
    assert mf.reduce(x, mf.plain.sum) == mf.plain.sum(x)
    with pytest.raises(TypeError):
        mf.all(mf.sum, 3)
    with pytest.raises(TypeError):
        mf.reduce(x, "sum")
    with pytest.raises(TypeError):
        mf.all(mf.sum, mf.dot)


def test_stats():
    x = numbers("float64", 999)
    stats = mf.stats(x)
    assert stats == (999, 0, mf.sum(x), mf.mean(x), mf.var(x), mf.std(x), mf.min(x), mf.argmin(x), mf.max(x),
                     mf.argmax(x))
    assert mf.stats(x, correction=1).var == mf.var(x, correction=1)
    assert mf.stats([])._asdict() == {"count": 0, "nan": 0, "sum": 0.0, "mean": None, "var": None, "std": None,
                                      "min": None, "argmin": None, "max": None, "argmax": None}
    assert mf.stats([1, 2]).sum == 3 and type(mf.stats([1, 2]).max) is int
    assert repr(mf.stats([1, 2])).splitlines()[3] == "mean    1.5"
    assert "<th>mean</th><td>1.5</td>" in mf.stats([1, 2])._repr_html_()
    assert "<td>2</td>" in mf.top_k([1, 2], 1)._repr_html_()
    state = mf.State(mf.all(mf.sum, mf.max), "float32").push([1.0, 2.0])._repr_html_()
    for name, value in (("state", "monofold.all(monofold.sum, monofold.max)"), ("type", "float32"), ("items", "2")):
        assert f"<tr><th>{name}</th><td>{value}</td></tr>" in state
    assert "values" in repr(mf.top_k([1, 2], 1)) and "2" in repr(mf.top_k([1, 2], 1))


def test_operations_are_values():
    assert mf.var(correction=1) == mf.var(correction=1) != mf.var
    assert repr(mf.var(correction=1)) == "monofold.var(correction=1)" and repr(mf.plain.sum) == "monofold.plain.sum"
    assert mf.var(correction=1)([1.0, 3.0]) == 2.0
    assert mf.sum(nan="omit")([1.0, math.nan]) == 1.0
    assert mf.norm(ord=1)([3.0, -4.0]) == 7.0
    assert "correction" in mf.var.__doc__ and "axis" in str(mf.sum.__signature__)


def outcome(call):
    """What a call gives, or what it raises."""
    try:
        return repr(call())
    except (ValueError, OverflowError) as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8", "int64", "uint64", "bool"])
@pytest.mark.parametrize("nan", ["propagate", "omit", "raise"])
def test_packed_arrays_have_the_answers_of_strided_ones(dtype, nan):
    """Packed arrays take a quick way; it gives way where some operation has no answer."""
    random = np.random.default_rng(7)
    both = mf.all(mf.sum, mf.minmax, mf.argmin, mf.std(correction=1))
    for n in (0, 1, 2, 9, 100, 1000, 5000, 70000):
        for kind in ("usual", "large", "special"):
            scale = {"usual": 100, "large": 2.0**60 if dtype[-2:] == "64" else 100, "special": 3}[kind]
            x = random.random(n) if dtype == "uint64" else random.standard_normal(n)
            x = (x * scale).astype(dtype)
            if kind == "special" and dtype.startswith("float") and n > 1:
                x[n // 2] = np.nan
                x[0] = np.inf
            strided = np.repeat(x, 2)[::2]
            calls = [lambda a: mf.stats(a, nan=nan), lambda a: mf.reduce(a, both, nan=nan),
                     lambda a: mf.top_k(a, k=5, nan=nan), lambda a: mf.bottom_k(a, k=1, nan=nan)]
            for call in calls:
                assert outcome(lambda: call(x)) == outcome(lambda: call(strided)), (n, kind)
