"""Lists of numbers: none is rounded, wrapped or dropped on the way in."""

import math

import monofold as mf
import numpy as np
import pytest

MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize("dtype, items", [
    ("int64", [1.5, 2.7]), ("int64", np.float64(1.5)), ("float64", ["3"]), ("float64", [None, 1]), ("bool", [2, 3]),
    ("bool", [0.5]), ("float32", [1e300]), ("float32", [0.1]), ("float32", [2**24 + 1]), ("float64", [2**53 + 1]),
    ("float16", [70_000]), ("int8", [300]), ("uint64", [-1]), ("int64", [2**63]), ("float64", [2**64, 1]),
    ("int64", [[1, 2], [3, 4.5]]), ("float64", [1j]),
])
def test_states_take_what_fits(dtype, items):
    state = mf.State(mf.sum, dtype)
    with pytest.raises((TypeError, ValueError)) as caught:
        state.push(items)
    assert state.count == 0 and any(word in str(caught.value) for word in ("is no ", "for a state of"))


@pytest.mark.parametrize("dtype, items, total", [
    ("int64", [True, 3], 4), ("uint64", [2**64 - 1], 2**64 - 1), ("float16", [2048, 0.5], 2048.5),
    ("float32", [0.5, 2**24], 2.0**24 + 0.5), ("float64", range(4), 6.0), ("int8", 7, 7), ("bool", [True], 1),
    ("float32", [math.inf], math.inf), ("float32", [np.float32(0.1)], float(np.float32(0.1))), ("uint8", [], 0),
])
def test_states_take_what_is_exact(dtype, items, total):
    assert mf.State(mf.sum, dtype).push(items).finish() == total


def test_what_holds_arrays_is_none(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.ones(3))
    for file in (path, str(path)):
        with pytest.raises(TypeError, match="numpy.load"):
            mf.sum(file)
    for holder in (np.load(path), {"a": np.ones(3)}):
        with pytest.raises(TypeError, match="no array"):
            mf.sum(holder)


def test_nan_is_an_item_of_every_float():
    assert math.isnan(mf.State(mf.sum, "float16").push([1.0, math.nan]).finish())


@pytest.mark.parametrize("items", ([2**63, -1], [2**63, 2**63 + 1, -1], [[2**63], [-1]],
                                   [np.array([2**63], "uint64"), np.array([-1])]), ids=repr)
def test_integers_stay_integers(items):
    with pytest.raises(TypeError, match="64 bits"):
        mf.sum(items)
    with pytest.raises(TypeError, match="64 bits"):
        mf.group_by(items, np.zeros(len(items)), mf.sum)


def test_integers_among_floats():
    assert mf.sum([[1, 2.5], [2, 3]]) == 8.5
    for many in (1, 1000):
        with pytest.raises(ValueError, match="9007199254740993"):
            mf.sum([0.5] * many + [2**53 + 1])
        with pytest.raises(TypeError, match="64 bits"):
            mf.sum([-1] * many + [2**63])
    assert mf.sum([0.5] * 1000 + [3, True]) == 504.0


@pytest.mark.filterwarnings("ignore:.*masked element")
def test_long_lists_are_looked_at():
    for absent in (np.ma.masked, np.ma.array(5.0, mask=True)):
        with pytest.raises(TypeError, match="masked"):
            mf.sum([0.5] * 1000 + [absent])


def test_masked_arrays_anywhere():
    marks = np.ma.array([True, True], mask=[False, True])
    for call in (lambda: mf.sum(MASKED), lambda: mf.sum([MASKED, MASKED]), lambda: mf.sum([[1.0, np.ma.masked]]),
                 lambda: mf.sum([1.0, 2.0], where=marks), lambda: mf.sum([1.0, 2.0], axis=0, where=marks),
                 lambda: mf.group_by(MASKED, [1.0, 2.0], mf.sum), lambda: mf.group_by((MASKED,), [1.0, 2.0], mf.sum),
                 lambda: mf.State(mf.sum, "float64").push([MASKED]),
                 lambda: mf.segmented_reduce([1.0, 2.0], mf.sum, np.ma.array([0, 2], mask=[False, True]))):
        with pytest.raises(TypeError, match="masked"):
            call()


@pytest.mark.parametrize("kind", ("Int64", "Float64", "float64[pyarrow]"))
@pytest.mark.parametrize("holder", ("array", "Index", "Series"))
def test_absent_items_of_pandas(kind, holder):
    pandas = pytest.importorskip("pandas")
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    x = getattr(pandas, holder)(pandas.array([None, 1, 5, None], dtype=kind))
    assert mf.sum(x) == 6 and mf.count(x) == 2 and mf.argmax(x) == 2
    keys, sums = mf.group_by(x, [1.0, 2.0, 4.0, 8.0], mf.sum)
    assert keys.tolist() == [1, 5] and sums.tolist() == [2.0, 4.0]
    assert mf.group_by([7, 7, 8, 8], x, mf.sum)[1].tolist() == [1, 5]
    assert mf.sum(x, axis=0) == 6 and mf.argmax(x, axis=0) == 2
    with pytest.raises(TypeError, match="absent"):
        mf.sum([x, x])
    full = getattr(pandas, holder)(pandas.array([2, 3], dtype=kind))
    assert mf.sum(full) == 5 and mf.group_by(full, [1.0, 2.0], mf.sum)[1].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("times", (1, 300))
def test_integers_without_a_common_type_in_lists_of_any_length(times):
    with pytest.raises(TypeError, match="64 bits together"):
        mf.sum([np.int64(1), np.uint64(2)] * times)


def test_what_numpy_would_change():
    """Text beside numbers, long doubles, integers that uint64 has: as they are, or refused."""
    for keys in (["1", 1, "1"], ["a", b"a"], ["nan", float("nan")], ["True", True], [b"1", 2]):
        with pytest.raises(TypeError, match="other types"):
            mf.group_by(keys, [1.0] * len(keys), mf.sum)
        with pytest.raises(TypeError, match="other types"):
            mf.reduce_by_key(keys, [1.0] * len(keys), mf.sum)
    assert mf.group_by(["b", np.str_("a"), "b"], [1.0, 2.0, 4.0], mf.sum)[1].tolist() == [2.0, 5.0]
    for item in (np.longdouble("0.1"), np.longdouble(0.5)):
        with pytest.raises(TypeError):
            mf.State(mf.sum, "float64").push([item])
    assert mf.sum([2**63, 1]) == 2**63 + 1
    assert mf.State(mf.sum, "uint64").push([2**63, 1]).finish() == 2**63 + 1
    with pytest.raises(TypeError, match="64 bits together"):
        mf.sum([2**63, -1])
