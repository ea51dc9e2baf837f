"""Calls with keepdims, dtype and out: from the second one on they take a short way, which gives what the long one does."""

import itertools

import monofold as mf
import numpy as np
import pytest
from arrays import answers_of, same

OPERATIONS = (mf.sum, mf.mean, mf.var, mf.std(correction=1), mf.min, mf.argmax, mf.prod, mf.any, mf.count_nonzero,
              mf.norm, mf.plain.sum, mf.plain.mean, mf.sum(nan="omit"))
ARRAYS = [(np.arange(-60, 60) * 0.37).reshape(4, 6, 5), np.linspace(-1, 3, 35, dtype=np.float32).reshape(5, 7),
          np.arange(24, dtype=np.int16).reshape(2, 3, 4), np.array([[True, False], [False, False]]),
          np.array([2.5], np.float16), np.arange(7, dtype=np.uint64)]


def long_way(operation, x, **options):
    return operation(x, where=True, **options)  # `where` is never quick


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize("operation", OPERATIONS, ids=repr)
def test_all_options(operation, x):
    parts = [x, x[::-1], np.asfortranarray(x), x[..., ::2]]
    axes = [None, 0, -1, tuple(range(x.ndim)), ()]
    dtypes = [None, "float32", np.float64, np.dtype("float16"), "int64", ">f4"]
    for part, axis, keepdims, dtype in itertools.product(parts, axes, (False, True), dtypes):
        options = {"axis": axis, "keepdims": keepdims, "dtype": dtype}
        expected = answers_of(lambda: long_way(operation, part, **options))
        found = answers_of(lambda: operation(part, **options))
        assert type(found) is type(expected), options
        if isinstance(found, np.ndarray):
            assert found.dtype == expected.dtype and found.shape == expected.shape
        assert found == expected if isinstance(found, tuple) else same(found, expected), options


@pytest.mark.parametrize("operation", [mf.sum, mf.argmax, mf.plain.mean], ids=repr)
def test_out(operation):
    x = np.linspace(-1, 3, 35).reshape(5, 7)
    kinds = [np.int64] if operation is mf.argmax else [np.float64, np.float32, np.float16]
    for kind, (axis, keepdims) in itertools.product(kinds, itertools.product((None, 0, 1, (0, 1)), (False, True))):
        expected = long_way(operation, x, axis=axis, keepdims=True)
        shape = expected.shape if keepdims else np.sum(x, axis=axis).shape
        for out in (np.full(shape, 9, kind), np.full((2, *shape), 9, kind)[1, ...], np.full((*shape, 2), 9, kind)[..., 0]):
            for _ in range(2):
                out[...] = 9
                assert operation(x, axis=axis, keepdims=keepdims, out=out) is out
                again = np.full(shape, 9, kind)
                assert same(out, long_way(operation, x, axis=axis, keepdims=keepdims, out=again))


def test_an_out_that_does_not_fit_stays_as_it_is():
    x = np.ones((3, 4))
    mf.sum(x, axis=0, out=np.zeros(4))  # from now on it is told
    for out, error in ((np.full(3, 7.0), ValueError), (np.full((1, 4), 7.0), ValueError),
                       (np.full(4, 7, np.int64), TypeError), (np.full(4, 7.0, ">f8")[:3], ValueError)):
        before = out.copy()
        with pytest.raises(error):
            mf.sum(x, axis=0, out=out)
        assert same(out, before)
    fixed = np.full(4, 7.0)
    fixed.flags.writeable = False
    with pytest.raises(ValueError):
        mf.sum(x, axis=0, out=fixed)
    large = np.full((3, 2), 2**62)
    out = np.full(2, 7)
    mf.sum(np.ones((3, 2), np.int64), axis=0, out=out)
    out[:] = 7
    for _ in range(2):
        with pytest.raises(mf.IntegerOverflow):
            mf.sum(large, axis=0, out=out)
        assert out.tolist() == [7, 7]


def test_out_may_be_part_of_the_items():
    for _ in range(2):
        x = np.arange(12.0).reshape(3, 4)
        mf.sum(x, axis=0, out=x[0])
        assert x[0].tolist() == [12.0, 15.0, 18.0, 21.0]


def test_a_type_is_rounded_to_once():
    x = np.array([2.0**24, 1.0, 2.0**-30])  # above half way between two floats, which a double does not tell
    x = np.concatenate([x, [2.0**-60]])
    for _ in range(2):
        assert mf.sum(x, dtype="float32") == 2.0**24 + 2
        assert mf.sum(x[None], axis=1, dtype=np.float32).tolist() == [2.0**24 + 2]


def test_types_without_a_hash_and_arrays_of_other_types():
    class NoHash:
        dtype = np.dtype("float32")
        __hash__ = None

    x = np.arange(5.0)
    for _ in range(2):
        assert answers_of(lambda: mf.sum(x, dtype=NoHash())) == answers_of(lambda: long_way(mf.sum, x, dtype=NoHash()))
    mf.sum(x, dtype="float32")
    assert mf.sum(x.astype(np.int8), dtype="float32") == 10.0
    with pytest.raises(TypeError):
        mf.sum(x, dtype="int32")
    assert mf.sum(np.arange(5), dtype="int32") == 10  # what integers may have
    with pytest.raises(TypeError):
        mf.sum(x, dtype="int32")


def test_an_axis_of_none_is_no_axis():
    x = np.full(3, 0.1, np.float32)
    assert mf.sum(x, None) == mf.sum(x) == mf.sum(x, axis=None) != float(np.float32(mf.sum(x)))


@pytest.mark.parametrize("dot", [mf.dot, mf.plain.dot, mf.dot(nan="omit")], ids=repr)
def test_dot(dot):
    rng = np.random.default_rng(5)
    for dtype in (np.float64, np.float32, np.float16, np.int16, np.uint64, bool):
        for shape in ((), (1,), (7,), (3, 5), (4095,), (4096,), (5000,)):
            x, y = (np.asarray(rng.integers(0, 100, shape) * 0.37).astype(dtype) for _ in range(2))
            assert dot(x, y) == dot(x, y, where=True) and type(dot(x, y)) is type(dot(x, y, where=True))
            assert dot(x[::-1] if shape else x, y) == dot(x[::-1] if shape else x, y, where=True)
    with pytest.raises(ValueError):
        mf.dot(np.ones(6), np.ones((2, 3)))
    with pytest.raises(ValueError):
        mf.dot(np.ones(6), np.ones(6, np.float32))
    with pytest.raises(ValueError):
        mf.dot(np.ones(6), np.ones(5))
    with pytest.raises(mf.IntegerOverflow):
        mf.dot(np.array([2**62, 2**62]), np.array([2, 2]))
    with pytest.raises(mf.NanFound):
        mf.dot(np.array([1.0, np.nan]), np.array([2.0, 2.0]), nan="raise")


def test_names_that_are_made_at_run_time():
    """Those are not the strings that names in a program are, and say the same."""
    x = np.arange(12.0).reshape(3, 4)
    name = "".join(["ax", "is"])
    for _ in range(2):
        assert same(mf.sum(x, **{name: 0}), np.array([12.0, 15.0, 18.0, 21.0]))
        with pytest.raises(TypeError, match="takes no axis2"):
            mf.sum(x, **{name + "2": None})
