"""Calls with masks, options, segments and windows: the short way of the second call gives what the long one does."""

import itertools
import pickle

import monofold as mf
import numpy as np
import pytest
from arrays import answers_of, equal

OPERATIONS = (mf.sum, mf.mean, mf.var, mf.std(correction=1), mf.min, mf.minmax, mf.argmin, mf.argmax, mf.prod, mf.all,
              mf.count, mf.norm, mf.mean_square, mf.plain.sum, mf.plain.var, mf.sum(nan="omit"), mf.argmax(nan="omit"),
              mf.max(nan="raise"))
TYPES = ("float64", "float32", "float16", "int16", "uint64", "bool")


def items_of(dtype, count):
    rng = np.random.default_rng(count)
    x = (rng.standard_normal(count) * 90).astype(np.int64 if dtype == "uint64" else dtype).astype(dtype)
    if np.dtype(dtype).kind == "f" and count > 3:
        x[[1, count // 2]] = np.nan, -0.0
    return x


def apart(array):
    """The same items, not next to each other: such an array goes the long way."""
    return np.repeat(array, 2, axis=-1)[..., ::2]


@pytest.mark.parametrize("operation", OPERATIONS, ids=repr)
def test_masks(operation):
    for dtype, count in itertools.product(TYPES, (0, 1, 7, 600, 4095, 4096, 5000)):
        x, mask = items_of(dtype, count), np.random.default_rng(3).random(count) < 0.4
        for part, where in ((x, mask), (x, np.zeros(count, bool)), (x.reshape(-1, 1), mask.reshape(-1, 1)),
                            (x[::-1], mask), (x, mask[::-1])):
            wanted = answers_of(lambda: operation(part, where=apart(where)))
            assert equal(answers_of(lambda: operation(part, where=where)), wanted)


@pytest.mark.parametrize("operation", OPERATIONS, ids=repr)
def test_masks_along_axes(operation):
    for dtype, shape in itertools.product(TYPES, ((3, 4), (20, 5, 6), (1, 9), (64, 64))):
        x = items_of(dtype, int(np.prod(shape))).reshape(shape)
        rows = np.random.default_rng(3).random(shape) < 0.7
        for where, axis, keepdims, named in itertools.product((rows, rows & False), (1, -1, 0, (0, 1), (), None),
                                                              (False, True), (None, "float32")):
            options = {"axis": axis, "keepdims": keepdims, "dtype": named}
            wanted = answers_of(lambda: operation(x, where=apart(where), **options))
            assert equal(answers_of(lambda: operation(x, where=where, **options)), wanted), options
            assert equal(answers_of(lambda: operation(apart(x), where=where, **options)), wanted), options
    x, out = items_of("float64", 12).reshape(3, 4), np.zeros(3)
    for _ in range(2):
        assert mf.sum(x, axis=1, where=x > 0, out=out) is out
        assert out.tolist() == [mf.sum(row[row > 0]) for row in x]


def test_masks_of_other_shapes_and_types():
    x = np.arange(6.0).reshape(2, 3)
    assert mf.sum(x, where=np.array([True, False, True])) == 10.0
    with pytest.raises(ValueError):
        mf.sum(x, where=np.ones(6, bool))
    with pytest.raises(TypeError):
        mf.sum(x, where=np.ones((2, 3), np.uint8))


@pytest.mark.parametrize("operation", OPERATIONS, ids=repr)
def test_segments(operation):
    bounds = [[0, 5, 5, 90, 90], [5, 5, 90, 120, 91]]
    for dtype, count in itertools.product(TYPES, (120, 5000)):
        x = items_of(dtype, count)
        for starts, stops in (bounds, [[0], [count]], [[], []], [[3], [2]], [[0], [count + 1]], [[-1], [2]]):
            for named in (None, "float32", np.float64, "int64"):
                wanted = answers_of(lambda: mf.segmented_reduce(x, operation, starts=starts, stops=stops, dtype=named))
                ends = {"starts": np.array(starts, np.int64), "stops": np.array(stops, np.int64)}
                assert equal(answers_of(lambda: mf.segmented_reduce(x, operation, dtype=named, **ends)), wanted)
        offsets = [0, 3, 60, 100]
        wanted = answers_of(lambda: mf.segmented_reduce(x, operation, offsets))
        assert equal(answers_of(lambda: mf.segmented_reduce(x, operation, np.array(offsets))), wanted)
        assert equal(answers_of(lambda: mf.segmented_reduce(x.reshape(-1, 10), operation, np.array(offsets))), wanted)
        both = np.array([offsets, offsets]).T
        assert equal(answers_of(lambda: mf.segmented_reduce(x, operation, both[:, 0])), wanted)


def test_segments_said_wrongly():
    x, offsets = np.arange(5.0), np.array([0, 5])
    mf.segmented_reduce(x, mf.sum, offsets)
    for wrong in ({"starts": offsets}, {"stops": offsets}):
        with pytest.raises(TypeError):
            mf.segmented_reduce(x, mf.sum, offsets, **wrong)
    for wrong in (offsets[:0], offsets[None]):
        with pytest.raises(ValueError):
            mf.segmented_reduce(x, mf.sum, wrong)
    with pytest.raises(ValueError):
        mf.segmented_reduce(x, mf.sum, starts=offsets, stops=offsets[:1])
    assert mf.segmented_reduce(x, mf.sum, starts=np.array([0, 2])).tolist() == [1.0, 9.0]


@pytest.mark.parametrize("operation", OPERATIONS, ids=repr)
def test_windows(operation):
    for dtype, count in itertools.product(TYPES, (9, 130, 4200)):
        x = items_of(dtype, count)
        for window, named in itertools.product((1, 4, 9, 10, 0, -1), (None, "float32", "int64")):
            for part in (x, x[::2], x.reshape(1, -1)):
                wanted = answers_of(lambda: mf.rolling(part, np.int64(window), operation, dtype=named))
                assert equal(answers_of(lambda: mf.rolling(part, window, operation, dtype=named)), wanted)
    with pytest.raises(TypeError):
        mf.rolling(np.arange(5.0), 2, operation, axis=False)


@pytest.mark.parametrize("operation", (mf.top_k, mf.bottom_k, mf.top_k(nan="omit"), mf.bottom_k(k=3)), ids=repr)
def test_best(operation):
    for dtype, count, k in itertools.product(TYPES, (0, 5, 12, 700, 4096), (None, 1, 5, 10, 11)):
        x = items_of(dtype, count)
        wanted = answers_of(lambda: operation(x, k, where=True))
        for call in (lambda: operation(x, k), lambda: operation(x, k=k), lambda: operation(x.reshape(1, -1), k)):
            assert equal(answers_of(call), wanted)
    x = items_of("float64", 20)
    assert operation(x).values.flags.writeable
    for wrong, error in ((0, ValueError), (2.0, TypeError), ("omit", TypeError), (-1, ValueError)):
        with pytest.raises(error):
            operation(x, wrong)


def test_one_option_more():
    x = items_of("float64", 100)
    calls = [(operation, {"nan": nan}) for operation in (mf.sum, mf.argmax, mf.plain.mean, mf.norm)
             for nan in ("omit", "raise", "propagate", None, "none such", 1)]
    calls += [(mf.var, {"correction": correction}) for correction in (0, 1, 200, True, 1.0, "omit", np.int8(2), None)]
    calls += [(mf.norm, {"ord": order}) for order in (1, 2, np.inf, 3, "omit", True)]
    calls += [(mf.sum, {"correction": 1}), (mf.sum, {"ord": "omit"}), (mf.sum, {"correction": "omit"}),
              (mf.var, {"nan": "omit", "correction": 1}), (mf.sum, {"k": 1}), (mf.sum, {"nan": "omit", "axis": 0}),
              (mf.var, {"correction": 1, "keepdims": True}), (mf.sum, {"nan": "omit", "dtype": "float32"}), (mf.sum, {"dtype": "bfloat16"}),
              (mf.sum, {"nan": "omit", "dtype": "bfloat16"}), (mf.argmax, {"dtype": "float32"})]
    for operation, options in calls:
        found = answers_of(lambda: operation(x, **options))
        assert equal(found, answers_of(lambda: operation(x, where=True, **options))), (operation, options)


def test_statistics_and_folds():
    for dtype, count in itertools.product(TYPES, (0, 1, 2, 50, 4096)):
        x = items_of(dtype, count)
        assert equal(answers_of(lambda: repr(mf.stats(x))), answers_of(lambda: repr(mf.stats(x, where=True))))
    x = items_of("float32", 40)
    assert type(mf.stats(x)) is mf.Stats
    for fold in (mf.sum, mf.var(correction=1), mf.all(mf.sum, mf.argmax), mf.stats):
        assert repr(mf.reduce(x, fold)) == repr(mf.reduce(x, fold, where=True))
        assert pickle.loads(pickle.dumps(fold)) == fold
    total = mf.State(mf.sum, "float64").fold
    assert pickle.loads(pickle.dumps(mf.all(mf.sum))) == mf.all(mf.sum) and total == mf.sum
