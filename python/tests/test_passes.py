"""Operations of different options in one call: each has the bits that it has alone, from as few passes as can be."""

import pickle

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same
from hypothesis import given
from hypothesis import strategies as st

MIXED = {
    "exact and plain": mf.all(mf.plain.sum, mf.max, mf.sum, mf.plain.var, mf.mean, mf.argmin),
    "corrections": mf.all(mf.std, mf.var(correction=1), mf.count, mf.sum, mf.plain.std(correction=2)),
    "ranks": mf.all(mf.top_k(k=3), mf.sum, mf.bottom_k(k=2), mf.plain.mean, mf.top_k(k=2)),
    "NaN": mf.all(mf.sum(nan="omit"), mf.sum, mf.count(nan="omit"), mf.max(nan="omit"), mf.top_k(k=2, nan="omit")),
    "statistics": mf.all(mf.stats, mf.var(correction=1), mf.plain.norm, mf.logsumexp, mf.prod),
}
EVERY = pytest.mark.parametrize("fold", MIXED.values(), ids=MIXED)


def equal(found, alone):
    """Numbers, arrays, pairs and ranks alike."""
    if isinstance(found, tuple):
        return type(found) is type(alone) and len(found) == len(alone) and all(map(equal, found, alone))
    return same(found, alone)


def with_nan(x):
    x = x.copy()
    x.ravel()[x.size // 3] = np.nan
    return x


@EVERY
@pytest.mark.parametrize("dtype", ("float64", "float32", "float16"))
@pytest.mark.parametrize("size", (7, 5000, 300_001))
def test_whole_arrays(fold, dtype, size):
    x = numbers(dtype, size)
    with np.errstate(over="ignore"):
        x = (x / 4).astype(dtype)
    for items in (x, with_nan(x), x[::-1], x[::2]):
        found = mf.reduce(items, fold)
        assert len(found) == len(fold.operations)
        for own, one in zip(found, fold.operations):
            assert equal(own, one(items)), one
        mask = np.arange(items.size) % 3 != 1
        for own, one in zip(mf.reduce(items, fold, where=mask), fold.operations):
            assert equal(own, one(items, where=mask)), one


def test_integers():
    x = numbers("int32", 5000)
    fold = mf.all(mf.plain.sum, mf.sum, mf.var(correction=1), mf.std, mf.bit_xor, mf.top_k(k=2), mf.minmax)
    for own, one in zip(mf.reduce(x, fold), fold.operations):
        assert equal(own, one(x)), one


@EVERY
def test_parts_of_arrays(fold):
    x = numbers("float32", (6, 50))
    offsets = [0, 20, 150, 300]
    numbers_only = mf.all(*(one for one in fold.operations if one.kind.answer == "value"))
    for call, what in ((lambda what: mf.reduce(x, what, 1), fold),
                       (lambda what: mf.reduce(x, what, keepdims=True), fold),
                       (lambda what: mf.reduce(x, what, 0, nan="omit"), fold),
                       (lambda what: mf.reduce(x, what, dtype="float64"), numbers_only),
                       (lambda what: mf.segmented_reduce(x, what, offsets), fold),
                       (lambda what: mf.rolling(x, 30, what), fold),
                       (lambda what: mf.scan(x[0], what, nan="omit"), mf.all(mf.plain.sum, mf.sum, mf.argmax)),
                       (lambda what: mf.group_by(np.arange(300) % 3, x.ravel(), what)[1], fold),
                       (lambda what: mf.reduce_by_key(np.arange(300) // 70, x.ravel(), what)[1], fold)):
        found = call(what)
        assert len(found) == len(what.operations)
        for own, one in zip(found, what.operations):
            assert equal(own, call(one)), one


def test_how_many_passes():
    def passes(*operations):
        fold = mf.all(*operations)
        return [places for places, _ in fold.passes] if fold.passes else 1

    assert passes(mf.sum, mf.max, mf.top_k(k=3), mf.var(correction=1), mf.count) == 1
    assert passes(mf.plain.sum, mf.max, mf.argmin, mf.prod, mf.logsumexp, mf.top_k(k=2), mf.norm(ord=np.inf)) == 1
    assert passes(mf.max, mf.sum, mf.plain.sum, mf.var(correction=1)) == [(0, 1, 3), (2,)]
    assert passes(mf.var, mf.var(correction=1), mf.sum, mf.plain.std(correction=1)) == [(0, 2), (1,), (3,)]
    assert passes(mf.top_k, mf.sum, mf.top_k(k=2), mf.plain.sum, mf.bottom_k(k=2)) == [(0, 1), (2, 3, 4)]
    assert passes(mf.sum, mf.sum(nan="omit"), mf.max, mf.count(nan="omit")) == [(0, 2), (1, 3)]


OPERATIONS = [mf.sum, mf.plain.sum, mf.var, mf.plain.var, mf.std(correction=1), mf.plain.std(correction=1), mf.max,
              mf.argmax, mf.count, mf.minmax, mf.top_k(k=2), mf.bottom_k(k=3), mf.prod, mf.plain.norm, mf.norm]
CHOSEN = st.tuples(st.sampled_from(OPERATIONS), st.sampled_from(("propagate", "omit")))
X = with_nan(numbers("float64", 40))


@given(st.lists(CHOSEN, min_size=1, max_size=12))
def test_any_operations(chosen):
    fold = mf.all(*(one(nan=nan) for one, nan in chosen))
    for own, one in zip(mf.reduce(X, fold), fold.operations):
        assert equal(own, one(X))
    needed = 0
    for nan in {nan for _, nan in chosen}:
        own = [one for one, rule in chosen if rule == nan]
        adding = {one.plain for one in own if one.kind.name in ("sum", "var", "std", "norm")}
        spreads = {(one.plain, one.correction) for one in own if one.kind.name in ("var", "std")}
        ways = len(spreads) + len(adding - {plain for plain, _ in spreads})
        needed += max(ways, len({one.k for one in own} - {10}), 1)
    assert len(fold.passes or [fold]) == needed


def test_errors_are_those_of_the_first_operation():
    fold = mf.all(mf.sum, mf.var(correction=1), mf.var(correction=2), mf.sum(nan="raise"))
    with pytest.raises(mf.EmptyInput, match="^var"):
        mf.reduce([np.nan], fold)
    with pytest.raises(mf.NanFound, match="index 2"):
        mf.reduce([1.0, 2.0, np.nan, 3.0], fold)
    with pytest.raises(mf.NanFound, match="index 1"):
        mf.reduce([1.0, np.nan], fold, nan="raise")
    with pytest.raises(ValueError, match="nan: ''"):
        mf.reduce([1.0], fold, nan="")


def test_folds_are_values():
    for fold in MIXED.values():
        assert pickle.loads(pickle.dumps(fold)) == fold and hash(fold) == hash(mf.all(*fold.operations))
    with pytest.raises(AttributeError):
        MIXED["ranks"].passes = None


def test_states_have_one_pass():
    for name, options in (("exact and plain", "plain"), ("corrections", "plain, correction"), ("ranks", "plain, k"),
                          ("NaN", "nan")):
        with pytest.raises(ValueError, match=f"a state is one pass; operations that differ in {options} need several"):
            mf.State(MIXED[name], "float64")
    state = mf.State(MIXED["NaN"], "float64", nan="omit").push(X)  # one rule for all of them
    assert equal(state.finish(), mf.reduce(X, MIXED["NaN"], nan="omit"))


@pytest.mark.parametrize("fold", (mf.all(mf.plain.sum, mf.max, mf.prod), mf.all(mf.plain.mean, mf.top_k(k=2), mf.count),
                                  mf.plain.prod, mf.all(mf.plain.prod, mf.max)), ids=repr)
def test_states_of_plain_operations_with_others(fold):
    x = numbers("float64", 8192)
    state = mf.State(fold, "float64").push(x[:4096])
    loaded = mf.State.load(bytes(mf.State(fold, "float64", 4096).push(x[4096:])))
    assert equal(state.merge(loaded).finish(), mf.reduce(x, fold))
    assert loaded.merge(mf.State(fold, "float64", 8192)).count == 4096
    with pytest.raises(ValueError, match="does not take"):
        state.append(mf.State(mf.all(mf.sum, mf.max), "float64"))


def test_tasks_of_dask_have_one_pass():
    da, monofold_dask = pytest.importorskip("dask.array"), pytest.importorskip("monofold.dask")
    with pytest.raises(ValueError, match="differ in correction"):
        monofold_dask.reduce(da.ones(10), mf.all(mf.var, mf.var(correction=1)))
    with pytest.raises(ValueError, match="differ in plain"):
        monofold_dask.reduce(da.ones((4, 10), chunks=5), mf.all(mf.plain.sum, mf.sum), axis=1)
    with pytest.raises(ValueError, match="differ in nan"):
        monofold_dask.state(da.ones(10), mf.all(mf.sum, mf.sum(nan="omit")))
    assert monofold_dask.reduce(da.ones(10), mf.all(mf.plain.sum, mf.max)).compute() == (10.0, 1.0)
