"""Options: each is used or refused, and no operation changes under its users."""

import math
import pickle

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import numbers, same

X = np.arange(6.0)


@pytest.mark.parametrize("operation", (mf.sum, mf.var, mf.norm, mf.all, mf.plain.sum), ids=repr)
@pytest.mark.parametrize("option", ({"axis": 0}, {"where": X > 1}, {"dtype": "f4"}, {"out": X}, {"keepdims": True}),
                         ids=str)
def test_options_of_arrays_need_one(operation, option):
    with pytest.raises(TypeError, match=f"{next(iter(option))}= goes with an array"):
        operation(**option)


@pytest.mark.parametrize("call", (lambda: mf.top_k(k=2, axis=0), lambda: mf.bottom_k(where=X > 1),
                                  lambda: mf.dot(where=X > 1), lambda: mf.stats(axis=0), lambda: mf.dot(y=X)))
def test_so_do_those_of_other_signatures(call):
    with pytest.raises(TypeError, match="goes with an array"):
        call()


@pytest.mark.parametrize("call", (
    lambda: mf.prod([2**40] * 2, dtype="f8"), lambda: mf.prod(np.array([[2**40] * 2]), axis=1, dtype="f4"),
    lambda: mf.prod(np.array([2**40] * 2), out=np.zeros(())), lambda: xp.prod(np.array([2**40] * 2), dtype="float64"),
    lambda: mf.segmented_reduce([2**40] * 2, mf.prod, [0, 2], dtype="f8"),
    lambda: mf.group_by([1, 1], [2**40] * 2, mf.prod, dtype="f8")))
def test_products_of_integers_have_no_floats(call):
    with pytest.raises(TypeError, match="modulo"):
        call()


@pytest.mark.parametrize("call", (mf.sum, mf.max, mf.plain.mean, lambda x, **dtype: mf.sum(x, axis=0, **dtype)))
def test_answers_that_are_floats_have_no_integers(call):
    for items in ([0.5, 1.0], np.ones(2, "float16")):
        with pytest.raises(TypeError, match="no dtype of integers"):
            call(items, dtype="int64")
    with pytest.raises(TypeError, match="no dtype of integers"):
        mf.mean([1, 2], dtype="int32")
    assert mf.count([0.5, 1.0], dtype="int8") == 2


def test_products_that_are_exact():
    assert mf.prod([2.0**40] * 2, dtype="f4") == 2.0**80 and mf.prod([2**40] * 2) == 0
    assert mf.prod(np.array([3, 5], "int8"), dtype="int16") == 15


def test_threads():
    for bad in (2**31, 10**30, -1):
        with pytest.raises(ValueError, match="threads"):
            mf.set_threads(bad)
    with pytest.raises(TypeError):
        mf.set_threads(1.5)
    assert mf.sum(X) == mf.sum(X, where=X > -1) == 15.0  # as they were
    mf.set_threads(0)


def test_whole_corrections_may_be_floats():
    assert mf.stats(X, correction=1).var == 3.5
    for one in (1.0, np.float32(1), np.array(1.0), True):
        assert mf.stats(X, correction=one) == mf.stats(X, correction=1) and mf.stats(correction=one).correction == 1
        assert mf.var(X, correction=one) == 3.5 == mf.var(X, 0, correction=one) == xp.var(X, correction=one)
        assert mf.var(correction=one) == mf.var(correction=1) == mf.var.with_options(correction=one)
        assert type(mf.std(correction=one).correction) is int
        assert mf.plain.var(X, correction=one) == mf.plain.var(X, correction=1)
        assert mf.State(mf.var(correction=one), "f8").push(X).finish() == 3.5
        assert mf.rolling(X, 6, mf.var(correction=one)) == mf.segmented_reduce(X, mf.var(correction=one), [0, 6])
        assert mf.reduce(X, mf.all(mf.var(correction=one), mf.sum)) == (3.5, 15.0)
    for call in (mf.stats, mf.var, mf.std, mf.plain.var):
        for below in (-1, -1.0):
            with pytest.raises(ValueError, match="correction: -1 is not from 0"):
                call(X, correction=below)
        for no_number in (math.nan, math.inf):
            with pytest.raises(ValueError, match=f"correction: {no_number} is no number"):
                call(X, correction=no_number)


def test_statistics_keep_axes():
    table = X.reshape(2, 3)
    kept, plain = mf.stats(table, 1, keepdims=True), mf.stats(table, 1)
    assert kept.mean.tolist() == [[1.0], [4.0]] and kept.argmax.shape == (2, 1)
    assert all(np.array_equal(one[:, 0], other) for one, other in zip(kept, plain))
    assert mf.stats(table, keepdims=True).sum.shape == (1, 1)
    with pytest.raises(TypeError, match="keepdims= goes with an array"):
        mf.stats(keepdims=True)


@pytest.mark.parametrize("call", (lambda: mf.sum(X, nan=""), lambda: mf.sum(X, axis=0, nan=""), lambda: mf.sum(nan=""),
                                  lambda: mf.stats(X, nan=""), lambda: mf.reduce(X, mf.sum, nan=""),
                                  lambda: mf.dot(X, X, nan=""), lambda: mf.State(mf.sum, "f8", nan=""),
                                  lambda: mf.top_k(X, nan="")))
def test_policies_have_names(call):
    with pytest.raises(ValueError, match="nan: ''"):
        call()


@pytest.mark.parametrize("operation", (mf.sum, mf.top_k, mf.stats, mf.all(mf.sum, mf.max)), ids=repr)
def test_operations_stay_as_they_are(operation):
    for name in ("nan", "k", "kind", "other"):
        with pytest.raises(AttributeError):
            setattr(operation, name, "omit")
    with pytest.raises(AttributeError):
        del operation.nan
    assert pickle.loads(pickle.dumps(operation)) == operation


@pytest.mark.parametrize("k", (2**40, 2**62, 2**63 - 1))
def test_more_of_the_best_than_there_are(k):
    for call in (lambda: mf.top_k([1.0, 2.0], k), lambda: mf.reduce([1.0], mf.all(mf.sum, mf.bottom_k(k=k))),
                 lambda: mf.State(mf.top_k(k=k), "f8").push([1.0]).finish()):
        with pytest.raises(mf.EmptyInput):
            call()


@pytest.mark.parametrize("k", (2**40, 2**62, 2**63 - 1))
def test_more_of_the_best_than_a_row_has(k):
    """No room is made for them."""
    x = np.arange(12.0).reshape(3, 4)
    best, keys = mf.top_k(k=k), [0, 0, 1, 1]
    for call in (lambda: mf.top_k(x, k, axis=1), lambda: mf.bottom_k(x, k, axis=(0, 1)), lambda: best(x, keepdims=True),
                 lambda: best(x, axis=0, nan="omit", dtype="float32"), lambda: best(x, axis=0, where=x > 3),
                 lambda: mf.reduce(x, mf.all(mf.sum, best), axis=1), lambda: mf.rolling(x[0], 2, best),
                 lambda: mf.segmented_reduce(x[0], best, [0, 2, 4]), lambda: mf.scan(x[0], best),
                 lambda: mf.group_by(keys, x[0], best), lambda: mf.reduce_by_key(keys, x[0], best)):
        with pytest.raises(mf.EmptyInput):
            call()
    assert mf.top_k(np.zeros((0, 4)), 7, axis=1).values.shape == (0, 7)


def test_bad_numbers_are_named():
    for k in (0, -1, 2**63):
        with pytest.raises(ValueError, match="k:"):
            mf.top_k(X, k)
    with pytest.raises(TypeError, match="integer"):
        mf.top_k(X, "a")
    for first in (-1, 2**63):
        with pytest.raises(ValueError, match="first_index"):
            mf.State(mf.sum, "f8", first)
    with pytest.raises(TypeError, match="None"):
        mf.State(mf.sum, None)
    for call in (lambda: mf.reduce(X, mf.dot), lambda: mf.segmented_reduce(X, mf.dot, [0, 6])):
        with pytest.raises(TypeError, match="dot"):
            call()


def test_best_keep_their_axes():
    x = numbers("float64", (3, 4, 5))
    for axis, shape in ((None, (1, 1, 2)), ((0, 2), (1, 4, 2)), ((2, 0), (1, 4, 2)), ((0, 1), (1, 2, 5)),
                        (1, (3, 2, 5)), (-1, (3, 4, 2)), ((1,), (3, 2, 5))):
        axes = tuple(range(3)) if axis is None else axis
        for best in (mf.top_k(x, 2, axis, keepdims=True), mf.top_k(k=2)(x, axis=axis, keepdims=True),
                     mf.reduce(x, mf.top_k(k=2), axis, keepdims=True)):
            assert best.values.shape == best.indices.shape == shape
            assert np.array_equal(np.max(best.values, axes, keepdims=True), x.max(axes, keepdims=True))
            flat = mf.top_k(x, 2, axes)
            assert sorted(best.indices.ravel().tolist()) == sorted(flat.indices.ravel().tolist())
    assert mf.top_k(x, 2, keepdims=True).values.ravel().tolist() == np.sort(x.ravel())[:-3:-1].tolist()
    assert mf.top_k(x, 1, (), keepdims=True).values.shape == (3, 4, 5, 1)
    with pytest.raises(TypeError):
        mf.top_k(keepdims=True)


@pytest.mark.parametrize("best", (mf.top_k, mf.bottom_k))
def test_best_into_arrays(best):
    x = numbers("float32", (3, 4, 5))
    for axis, shape in ((None, (2,)), (1, (3, 2, 5)), ((0, 2), (4, 2)), (-1, (3, 4, 2))):
        out = np.full(shape, 7, "float32"), np.full(shape, -7)
        found = best(x, 2, axis, out=out)
        assert type(found) is mf.TopK and found.values is out[0] and found.indices is out[1]
        assert same(out[0], best(x, 2, axis).values) and same(out[1], best(x, 2, axis).indices)
    kept = mf.TopK(np.zeros((1, 4, 2)), np.zeros((1, 4, 2), int))
    best(x, 2, (0, 2), keepdims=True, dtype="float64", out=kept)
    assert same(kept.values, best(x, 2, (0, 2), keepdims=True, dtype="float64").values)
    total, pair = np.zeros(3), (np.zeros((3, 2), "float32"), np.zeros((3, 2), int))
    rows = x.reshape(3, 20)
    found = mf.reduce(rows, mf.all(mf.sum, best(k=2)), 1, out=(total, pair))
    assert found[0] is total and type(found[1]) is mf.TopK and same(pair[1], best(rows, 2, 1).indices)
    assert mf.reduce(rows, best(k=2), 1, out=pair).values is pair[0]
    step = np.zeros((3, 4), "float32")[:, ::2]  # any strides
    assert same(best(rows, 2, 1, out=(step, pair[1]), where=rows > -1e30).values.copy(), best(rows, 2, 1).values)
    before = pair[0].copy()
    for wrong, error in ((pair[0], ValueError), (pair[::-1], TypeError), ((pair[0][:2], pair[1]), ValueError),
                         ((pair[0].astype(float), pair[1]), TypeError), ((pair[0], pair[0].view("i4")), TypeError)):
        with pytest.raises(error):
            best(rows * 2, 2, 1, out=wrong)
    assert same(pair[0], before)
    with pytest.raises(TypeError, match="out= goes with an array"):
        best(out=pair)


def test_inner_products_into_arrays():
    x, y = numbers("float32", (3, 40)), numbers("float32", (3, 40), 3)
    for options, shape in (({"axis": 1}, (3,)), ({}, ()), ({"axis": 0, "keepdims": True}, (1, 40))):
        for dtype in ("float32", "float64"):
            out = np.full(shape, 7, dtype)
            assert mf.dot(x, y, out=out, **options) is out
            assert same(out, np.asarray(mf.dot(x, y, dtype=dtype, **options), dtype))
    assert mf.plain.dot(x, y, out=np.zeros(()))[()] == mf.plain.dot(x, y)
    for wrong, error in ((np.zeros(4), ValueError), (np.zeros(3, "int32"), TypeError), ([0.0] * 3, TypeError)):
        with pytest.raises(error):
            mf.dot(x, y, axis=1, out=wrong)
    with pytest.raises(TypeError, match="out="):
        mf.dot(x, y, out=np.zeros(()), where=x > 0)
    with pytest.raises(TypeError, match="out= goes with an array"):
        mf.dot(out=np.zeros(()))


@pytest.mark.parametrize("best", (mf.top_k, mf.bottom_k))
def test_best_of_a_type(best):
    x = numbers("float64", (3, 40))
    for dtype in ("float32", "float16", "float64"):
        for axis in (None, 0, 1, -1, (0, 1)):
            own, found = best(x, 2, axis), best(x, 2, axis, dtype=dtype)
            with np.errstate(over="ignore"):
                assert found.values.dtype == dtype and same(found.values, own.values.astype(dtype))
            assert same(found.indices, own.indices)
        found = mf.reduce(x, best(k=2), 1, dtype=dtype)
        assert same(found.values, best(x, 2, 1, dtype=dtype).values)
        scanned = mf.scan(x[0][::-1], best(k=1), dtype=dtype).values[-1]
        assert same(scanned, best(x[0][::-1], 1, dtype=dtype).values)
        assert same(mf.rolling(x[0], 40, best(k=1), dtype=dtype).values[0], best(x[0], 1, dtype=dtype).values)
    marked = best(x, 3, dtype="float32", where=x < 0.5)
    assert same(marked.indices, best(x, 3, where=x < 0.5).indices)
    whole = np.array([2**62 + 1, -300, 7])
    assert best(whole, 1, dtype="float64").values[0] == best(whole, 1).values[0].astype("float64")
    for call in (lambda: best(whole, 1, dtype="int8"), lambda: mf.scan(whole, best(k=1), dtype="int8")):
        with pytest.raises(mf.IntegerOverflow):
            call()
    for wrong in (lambda: best(x, 1, dtype="int8"), lambda: best(dtype="float32")):
        with pytest.raises(TypeError):
            wrong()


def test_reduce_to_types_and_arrays():
    x = numbers("float64", (4, 5))
    pair = mf.all(mf.sum, mf.minmax)
    assert mf.reduce(x, mf.sum, dtype="float32") == mf.sum(x, dtype="float32")
    total, (least, most) = mf.reduce(x, pair, 1, dtype="float32", keepdims=True)
    assert same(total, mf.sum(x, 1, dtype="float32", keepdims=True))
    assert same(least, mf.min(x, 1, dtype="float32", keepdims=True)) and most.dtype == np.float32
    assert mf.reduce(x, mf.all(mf.sum), dtype="float32") == (mf.sum(x, dtype="float32"),)
    out, others = np.zeros(5), (np.zeros(5), np.zeros(5, np.int64))
    assert mf.reduce(x, mf.mean, 0, out=out) is out and same(out, mf.mean(x, 0))
    found = mf.reduce(x, mf.all(mf.sum, mf.argmax), 0, out=others, where=True)
    assert found[0] is others[0] and same(others[0], mf.sum(x, 0)) and same(others[1], mf.argmax(x, 0))
    assert mf.reduce([1.0, np.nan], mf.sum, dtype="float32", nan="omit") == 1.0
    for fold, options, error in ((mf.top_k, {"out": out}, ValueError), (mf.dot, {"dtype": "int8"}, TypeError),
                                 (mf.stats, {"dtype": "float32"}, TypeError), (pair, {"out": out}, ValueError),
                                 (mf.argmax, {"dtype": "float32"}, TypeError)):
        with pytest.raises(error):
            mf.reduce(x, fold, **options)
