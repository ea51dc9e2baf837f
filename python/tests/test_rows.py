"""Axes: each row the bits that it has alone, in the caller's shape and type."""

import math
from fractions import Fraction

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, exact_sum, numbers, rounded, same

AXES = (0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (2, 0), (0, 1, 2), ())


def rows_of(x, axis):
    """(shape of kept axes, rows) in the order of answers."""
    axes = tuple(one % x.ndim for one in (axis if isinstance(axis, tuple) else (axis,)))
    kept = [one for one in range(x.ndim) if one not in axes]
    turned = x.transpose(kept + sorted(axes))
    shape = turned.shape[:len(kept)]
    return shape, turned.reshape(math.prod(shape), -1)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("operation", (mf.sum, mf.mean, mf.var, mf.std, mf.min, mf.argmax, mf.any, mf.count, mf.prod,
                                       mf.norm, mf.mean_square, mf.plain.sum, mf.plain.mean_square, mf.logsumexp),
                         ids=repr)
def test_rows_are_whole_arrays(operation, axis):
    x = numbers("float64", (4, 5, 130))
    shape, rows = rows_of(x, axis)
    out = operation(x, axis=axis)
    alone = np.array([operation(row) for row in rows]).reshape(shape)
    assert same(out, alone)
    assert operation(x, axis=axis, keepdims=True).shape == np.sum(x, axis=axis, keepdims=True).shape


@pytest.mark.parametrize("shape", ((2, 3, 2, 1, 2, 3, 2), (2, 2, 3, 1, 2, 2, 2, 2)))
def test_seven_and_eight_axes(shape):
    rank = len(shape)
    packed = numbers("float64", shape)
    for x in (packed, np.asfortranarray(packed), np.moveaxis(np.moveaxis(packed, 0, 3).copy(), 3, 0)[..., ::-1]):
        for chosen in range(1 << rank):
            axis = tuple(one - rank if one % 2 else one for one in range(rank) if chosen >> one & 1)
            kept, rows = rows_of(x, axis)
            out = mf.sum(x, axis=axis)
            assert out.shape == kept and out.ravel().tolist() == [math.fsum(row) for row in rows], axis
            assert same(mf.argmax(x, axis=axis).ravel(), np.argmax(rows, axis=1)), axis
    assert mf.sum(x, axis=(0, -1), keepdims=True).shape == (1, *shape[1:-1], 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_keep_their_type(dtype):
    x = numbers(dtype, (30, 40))
    for operation in (mf.sum, mf.mean, mf.var, mf.std, mf.prod, mf.min, mf.norm, mf.mean_square, mf.plain.sum,
                      mf.plain.mean, mf.plain.mean_square, mf.logsumexp):
        assert operation(x, axis=0).dtype == np.dtype(dtype), operation
    assert mf.argmin(x, axis=0).dtype == np.int64 and mf.count(x, axis=0).dtype == np.int64
    assert mf.any(x, axis=0).dtype == bool


@pytest.mark.parametrize("dtype", INTEGERS + ("bool",))
def test_integers_widen(dtype):
    x = numbers(dtype, (30, 40))
    wide = np.uint64 if dtype.startswith("uint") else np.int64
    assert same(mf.sum(x, axis=1), np.sum(x, axis=1, dtype=wide))
    assert same(mf.min(x, axis=1), np.min(x, axis=1)) and same(mf.argmax(x, axis=0), np.argmax(x, axis=0))
    for operation in (mf.mean, mf.var, mf.std, mf.norm, mf.mean_square):
        assert operation(x, axis=0).dtype == np.float64
    assert same(mf.count_nonzero(x, axis=0), np.count_nonzero(x, axis=0))


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_dtype_is_rounded_once(dtype):
    x = numbers("float16", (50, 64)).astype("float32")
    expected = np.array([rounded(exact_sum(row), dtype) for row in x], dtype)
    assert same(mf.sum(x, axis=1, dtype=dtype), expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_mean_squares_are_rounded_once(dtype):
    x = numbers(dtype, (20, 64))
    exact = [sum(Fraction(item) ** 2 for item in row) / 64 for row in x.tolist()]
    own = np.array([rounded(one, dtype) for one in exact], dtype)
    assert same(mf.mean_square(x, axis=1), own)
    assert same(mf.mean_square(x, axis=1, dtype="float64"), np.array([float(one) for one in exact]))
    assert same(mf.mean_square(x, axis=-1, keepdims=True)[3], mf.mean_square(x[3:4], axis=-1, keepdims=True)[0])
    out = np.empty(20, dtype)
    assert mf.mean_square(x, axis=1, out=out) is out and same(out, own)
    mask = np.arange(64) % 3 == 0
    assert same(mf.mean_square(x, axis=1, where=mask), mf.mean_square(x[:, ::3], axis=1))
    with pytest.raises(mf.EmptyInput, match=r"row \(0,\)"):
        mf.mean_square(x[:, :0], axis=1)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ("bool",))
def test_quick_calls_are_the_same(dtype):
    """A call with nothing but an axis, from the second one on, beside one that takes the long way."""
    for shape in ((7, 5, 3), (1, 4), (9,), (300, 70)):
        x = numbers(dtype, shape)
        for part in (x, x.T, x[::-1], x[..., ::2], np.broadcast_to(x[:1], shape), x.astype(x.dtype.newbyteorder())):
            for operation in (mf.sum, mf.mean, mf.mean_square, mf.var, mf.max, mf.argmin, mf.count, mf.any,
                              mf.plain.sum, mf.minmax):
                for axis in range(-x.ndim, x.ndim):
                    expected = operation(part, axis=axis, where=True)
                    for found in (operation(part, axis=axis), operation(part, axis)):
                        assert all(map(same, found, expected)) if operation is mf.minmax else same(found, expected)


def test_quick_calls_fail_alike():
    x = np.ones((3, 4))
    for _ in range(2):
        assert mf.sum(x, axis=1).tolist() == [4.0] * 3 and mf.std(correction=1)(x, axis=1).tolist() == [0.0] * 3
        for axis in (2, -3, 2**70):
            with pytest.raises(np.exceptions.AxisError):
                mf.sum(x, axis=axis)
        for axis in (1.0, True, mf.sum):
            with pytest.raises(TypeError):
                mf.sum(x, axis=axis)
        with pytest.raises(mf.EmptyInput):
            mf.max(np.zeros((3, 0)), axis=1)
        with pytest.raises(mf.IntegerOverflow, match="row"):
            mf.sum(np.full((3, 4), 2**62), axis=1)
        with pytest.raises(mf.NanFound):
            mf.sum(nan="raise")(np.array([[1.0, np.nan]]), axis=1)
        with pytest.raises(TypeError):
            mf.sum(x, axis=1, color=3)


def test_keepdims_of_all():
    x = numbers("float32", (3, 4))
    assert mf.sum(x, keepdims=True).shape == (1, 1)
    assert type(mf.sum(x, axis=(0, 1))) is np.ndarray and mf.sum(x, axis=(0, 1)).shape == ()
    assert mf.sum(np.float64(3.0), axis=()).shape == ()


def test_minmax_and_ranks():
    x = numbers("int32", (6, 7, 8))
    low, high = mf.minmax(x, axis=(0, 2))
    assert same(low, x.min(axis=(0, 2))) and same(high, x.max(axis=(0, 2)))
    best = mf.top_k(x, 3, axis=1)
    assert best.values.shape == best.indices.shape == (6, 3, 8)
    assert same(best.values, -np.sort(-x.astype("int64"), axis=1)[:, :3].astype("int32"))
    assert same(np.take_along_axis(x, best.indices, axis=1), best.values)
    with pytest.raises(mf.EmptyInput):
        mf.top_k(x, 8, axis=1)


def test_several_along_an_axis():
    x = numbers("float64", (10, 20))
    total, (low, high), place = mf.reduce(x, mf.all(mf.sum, mf.minmax, mf.argmin), axis=0)
    assert same(total, mf.sum(x, axis=0)) and same(low, x.min(axis=0)) and same(place, x.argmin(axis=0))
    stats = mf.stats(x, axis=1)
    assert same(stats.mean, mf.mean(x, axis=1)) and same(stats.max, x.max(axis=1))
    assert same(stats.argmax, x.argmax(axis=1)) and stats.count.tolist() == [20] * 10


@pytest.mark.parametrize("axis", (0, 1, 2, (0, 2), None))
def test_where(axis):
    x = numbers("float64", (4, 5, 90))
    mask = np.random.default_rng(5).random(x.shape) < 0.5
    mask[0] = mask[:, 0] = mask[:, :, 0] = True  # no row is empty
    kept = np.where(mask, x, 0.0)
    assert same(mf.sum(x, axis=axis, where=mask, keepdims=True), mf.sum(kept, axis=axis, keepdims=True))
    lowest = np.where(mask, x, np.inf)
    assert same(mf.argmin(x, axis=axis, where=mask, keepdims=True), np.argmin(lowest, axis=axis, keepdims=True)
                if not isinstance(axis, tuple) else mf.argmin(lowest, axis=axis, keepdims=True))
    assert same(mf.count(x, axis=axis, where=mask, keepdims=True), np.sum(mask, axis=axis, keepdims=True))


def test_nan_policies():
    x = numbers("float32", (5, 6))
    x[3, 2] = np.nan
    assert np.isnan(mf.sum(x, axis=1)).tolist() == [False, False, False, True, False]
    assert same(mf.max(x, axis=1, nan="omit"), np.nanmax(x, axis=1))
    assert mf.argmax(x, axis=1)[3] == 2
    with pytest.raises(mf.NanFound, match=r"row \(3,\)"):
        mf.sum(x, axis=1, nan="raise")
    with pytest.raises(mf.EmptyInput, match=r"row \(0,\)"):
        mf.max(np.zeros((3, 0)), axis=1)
    assert same(mf.sum(np.zeros((3, 0)), axis=1), np.zeros(3)) and mf.max(np.zeros((0, 3)), axis=1).shape == (0,)


def test_out():
    x = numbers("float64", (5, 6))
    out = np.full(5, 7.0)
    assert mf.sum(x, axis=1, out=out) is out and same(out, mf.sum(x, axis=1))
    narrow = np.empty(6, "float32")
    mf.sum(x, axis=0, out=narrow)
    assert same(narrow, mf.sum(x, axis=0, dtype="float32"))
    strided = np.zeros((6, 2), "float64")
    mf.max(x, axis=0, out=strided[:, 1])
    assert same(strided[:, 1].copy(), x.max(axis=0)) and not strided[:, 0].any()
    pair = np.empty(5), np.empty(5)
    assert mf.minmax(x, axis=1, out=pair) is pair and same(pair[1], x.max(axis=1))
    places = np.empty(5, "int64")
    mf.argmin(x, axis=1, out=places)
    assert same(places, x.argmin(axis=1))
    whole = np.empty(())
    assert mf.sum(x, out=whole) is whole and whole == mf.sum(x)


def test_bad_out_stays():
    x = numbers("float64", (5, 6))
    x[4, 0] = np.nan
    out = np.full(5, 7.0)
    with pytest.raises(mf.NanFound):
        mf.sum(x, axis=1, nan="raise", out=out)
    with pytest.raises(ValueError, match="shape"):
        mf.sum(x, axis=0, out=out)
    with pytest.raises(TypeError, match="float64"):
        mf.argmin(x, axis=1, out=out)
    with pytest.raises(TypeError):
        mf.sum(x, axis=1, dtype="float32", out=out)
    assert (out == 7.0).all()
    out.flags.writeable = False
    with pytest.raises(ValueError, match="written"):
        mf.sum(x, axis=1, out=out)
    other = np.full(5, 7.0)
    for pair in ((out, other), (other, out)):
        with pytest.raises(ValueError, match="written"):
            mf.minmax(x, axis=1, out=pair)
    whole = np.array(7.0)
    whole.flags.writeable = False
    with pytest.raises(ValueError, match="written"):
        mf.sum(x, out=whole)
    assert (out == 7.0).all() and (other == 7.0).all() and whole == 7.0
    with pytest.raises(TypeError):
        mf.sum(x, axis=1, out=[0.0] * 5)


def test_bad_axes():
    x = np.zeros((2, 3))
    for axis in (2, -3, (0, 5)):
        with pytest.raises(np.exceptions.AxisError):
            mf.sum(x, axis=axis)
    with pytest.raises(ValueError, match="twice"):
        mf.sum(x, axis=(0, -2))
    for axis in (1.0, "0", True):
        with pytest.raises(TypeError):
            mf.sum(x, axis=axis)


def test_long_rows_of_odd_layouts():
    x = numbers("float64", (2, 700_000)).astype(">f8")
    assert same(mf.sum(x, axis=1), mf.sum(x.astype("<f8"), axis=1))
    assert same(mf.argmax(x, axis=0), mf.argmax(x.astype("<f8"), axis=0))
    assert same(mf.minmax(x, axis=1)[1], mf.minmax(x.astype("<f8"), axis=1)[1])
    mask = np.random.default_rng(6).random(x.shape) < 0.5
    assert same(mf.argmin(x, axis=1, where=mask), np.argmin(np.where(mask, x, np.inf), axis=1))
    assert same(mf.sum(x, axis=1, where=mask, dtype="float32"),
                np.array([mf.sum(row[mark].astype("<f8"), dtype="float32") for row, mark in zip(x, mask)], "float32"))
    assert same(mf.top_k(x, 2, axis=1).values, mf.top_k(x.astype("<f8"), 2, axis=1).values)
    with pytest.raises(mf.EmptyInput, match=r"row \(1,\)"):
        mf.max(x, axis=1, where=np.array([[True], [False]]))


def test_out_in_tuples():
    x, z = np.arange(6.0).reshape(2, 3), np.zeros(3)
    assert mf.sum(x, axis=0, out=(z,)) is z and z.tolist() == [3.0, 5.0, 7.0]
    low, high = np.zeros(3), np.zeros(3)
    assert mf.minmax(x, axis=0, out=(low, high))[0] is low and high.tolist() == [3.0, 4.0, 5.0]
    for shared in (z, z[::-1]):
        with pytest.raises(ValueError, match="share"):
            mf.minmax(x, axis=0, out=(z, shared))
    assert z.tolist() == [3.0, 5.0, 7.0]
    with pytest.raises(ValueError, match="arrays for"):
        mf.sum(x, axis=0, out=(low, high))
    with pytest.raises((TypeError, ValueError)):
        mf.sum(x, axis=0, out=())


@pytest.mark.parametrize("shape", ((3, 1), (3, 40), (3, 5000)))
def test_sums_of_wide_integers_at_the_limits(shape):
    """Where a sum is beyond the type in between, and where it is at the end."""
    most = 2**63 - 1
    x = np.broadcast_to(np.array([[most], [1], [-1]]), shape)
    for _ in range(3):  # from the second call on it is quick
        assert mf.sum(x, axis=0).tolist() == [most] * shape[1]
        assert mf.sum(x.T.copy(), axis=1).tolist() == [most] * shape[1]
        with pytest.raises(mf.IntegerOverflow):
            mf.sum(x[:2].copy(), axis=0)
        unsigned = np.abs(x).astype("uint64")
        assert mf.sum(unsigned, axis=0).tolist() == [most + 2] * shape[1]
        with pytest.raises(mf.IntegerOverflow):
            mf.sum(unsigned, axis=0, out=np.zeros(shape[1], "int64"))
        out = np.zeros(shape[1], "int64")
        assert mf.sum(unsigned[1:], axis=0, out=out) is out and out.tolist() == [2] * shape[1]


@pytest.mark.parametrize("columns", (3, 40, 5000))
def test_sums_of_the_other_sign(columns):
    """Those of signed items that only uint64 has, and of unsigned ones as int64."""
    most = 2**63 - 1
    x = np.zeros((4, columns), "int64")
    x[:, :3] = [[most, most, 1], [most, 1, -5], [-1, 1, 0], [most, most, 0]]
    sums = [2 * most + 1, most - 4, 0, 2 * most]
    for _ in range(3):  # from the second call on it is quick
        assert [mf.sum(row, dtype="uint64") for row in x] == sums
        found = mf.sum(x, axis=1, dtype="uint64")
        assert found.dtype == np.uint64 and found.tolist() == sums
        assert mf.sum(x.T.copy(), axis=0, dtype="uint64").tolist() == sums
        out = np.zeros(4, "uint64")
        assert mf.sum(x, axis=1, out=out, where=np.ones(x.shape, bool)) is out and out.tolist() == sums
        assert mf.dot(x, np.ones_like(x), axis=1, dtype="uint64").tolist() == sums
        assert mf.rolling(x, columns, mf.sum, dtype="uint64").ravel().tolist() == sums
        assert mf.scan(x[[0, 1, 3]], mf.sum, axis=1, dtype="uint64")[:, -1].tolist() == [*sums[:2], sums[3]]
        flat, ends = x.ravel(), np.arange(5) * columns
        assert mf.segmented_reduce(flat, mf.sum, ends, dtype="uint64").tolist() == sums
        keys = np.repeat(np.arange(4), columns)
        assert mf.group_by(keys, flat, mf.sum, dtype="uint64")[1].tolist() == sums
        assert mf.reduce_by_key(keys, flat, mf.sum, dtype="uint64")[1].tolist() == sums
        for row, dtype in ((x[0] + (np.arange(columns) == 2), "uint64"), (-x[0], "uint64"), (x[3], "int64")):
            with pytest.raises(mf.IntegerOverflow):
                mf.sum(row, dtype=dtype)
            with pytest.raises(mf.IntegerOverflow):
                mf.sum(np.stack([row, row]), axis=1, dtype=dtype)
        assert mf.sum(np.abs(x[2:3]).astype("uint64"), axis=1, dtype="int64").tolist() == [2]
        with pytest.raises(mf.IntegerOverflow):
            mf.sum(np.abs(x[1:]).astype("uint64"), axis=1, dtype="int64")


@pytest.mark.parametrize("operation", (mf.sum, mf.max, mf.argmax), ids=repr)
def test_answers_that_no_memory_holds(operation):
    x = np.broadcast_to(np.float32(1), (1 << 50, 2))
    with pytest.raises(MemoryError):
        operation(x, axis=1)
