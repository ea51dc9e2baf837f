"""Calls on states that are short are answered without a line of Python's: as the others are."""

import copy
import inspect
import math
import pickle

import monofold as mf
import numpy as np
import pytest
from arrays import numbers

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
METHODS = ("push", "merge", "append", "subtract", "finish", "digest", "copy")


class Own(mf.State):
    """A state with a name."""

    name = "none"


class Loud(mf.State):
    __slots__ = ()

    def __bytes__(self):
        return b"loud"

    def push(self, x, other=None):
        super().push(x)
        return super().push(x=x)


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers(dtype):
    info = np.finfo(dtype) if dtype.startswith("float") else np.iinfo(dtype)
    good = [0, 1, 100] + ([-1, 0.5, -0.0, 2.0**-149, math.inf, math.nan] if dtype.startswith("float") else
                          [int(info.min), int(info.max)])
    fold = mf.stats if dtype != "uint64" else mf.all(mf.minmax, mf.count_nonzero, mf.bit_xor)
    one, whole = mf.State(fold, dtype), mf.State(fold, dtype).push(np.array(good, dtype))
    for x in good:
        assert one.push(x) is one
    assert one == whole and str(one.finish()) == str(whole.finish())
    bad = {"float32": (0.1, 2**24 + 1, 1e300, 5e-324), "float64": (2**53 + 1, 2**70)}.get(
        dtype, (int(info.min) - 1, int(info.max) + 1, 2**70, 0.5) if dtype[0] != "f" else ())
    for x in bad:
        with pytest.raises((TypeError, ValueError)):
            one.push(x)
        assert one == whole


def test_other_kinds_of_numbers():
    state = mf.State(mf.sum, "float64")
    for x in (np.float64(0.5), 2**53, -2**53, np.ones(()), [0.5, 1], [[1.0], [2.0]], (1.5,)):
        state.push(x)
    assert state.finish() == 0.5 + 1 + 1.5 + 3 + 1.5 and state.count == 9
    assert mf.State(mf.count_nonzero, "bool").push(True).push([True, False]).finish() == 2
    for x in (np.float32(0.25), np.int8(3), None, "1", [None]):
        with pytest.raises(TypeError):
            state.push(x)
    with pytest.raises(TypeError, match="items of"):
        mf.State(mf.sum, "bool").push(1)
    with pytest.raises(TypeError, match="items of int64"):
        mf.State(mf.sum, "float64").push(np.ones(2, "int64"))


@pytest.mark.parametrize("count", (1, 7, 200, 201, 511, 512, 513, 4095, 4096, 5000))
def test_lists_and_arrays_of_every_length(count):
    x = numbers("float64", count)
    states = [mf.State(mf.var, "float64").push(part) for part in (x, x.tolist(), x.reshape(1, -1), x.astype(">f8"))]
    assert all(one == states[0] for one in states) and states[0].finish() == mf.var(x)


def test_answers_between_pushes_change_nothing():
    x = numbers("float64", 3000)
    for fold in (mf.sum, mf.var, mf.argmax, mf.stats, mf.top_k(k=3), mf.plain.sum, mf.prod, mf.mean(nan="omit")):
        asked, whole = mf.State(fold, "float64"), mf.State(fold, "float64").push(x)
        for at in range(0, x.size, 250):
            asked.push(x[at:at + 250])
            asked.finish()
            assert bytes(asked) == bytes(mf.State(fold, "float64").push(x[:at + 250]))
        assert asked == whole and str(asked.finish()) == str(whole.finish())
        halves = [mf.State(fold, "float64", at).push(x[at:at + 1500]) for at in (0, 1500)]
        before = bytes(mf.State.load(bytes(halves[0])).merge(halves[1]))
        for one in halves:
            one.finish(), bytes(one)
        assert bytes(halves[0].merge(halves[1])) == before


def test_names_of_arguments():
    x = np.array([1.0, 2.0])
    state = mf.State(mf.sum, "float64").push(x=x)
    other = mf.State(mf.sum, "float64", 2).push(x, other=None)
    assert state.merge(other=other).append(other=other).subtract(other=other).finish() == 6.0
    dot = mf.State(mf.dot, "float64").push(x, other=x).push(x=x, other=x)
    assert dot.finish() == 10.0
    for call in (lambda: state.push(), lambda: state.push(x, y=x), lambda: state.append(), lambda: dot.push(x),
                 lambda: state.append(other, other), lambda: state.finish(1), lambda: state.push(x, x)):
        with pytest.raises(TypeError):
            call()
    assert state.finish() == 6.0


def test_what_help_says():
    for name in METHODS:
        method = getattr(mf.State, name)
        assert inspect.isroutine(method) and method.__name__ == name and method.__qualname__ == f"State.{name}"
        assert "Returns\n-------\n" in inspect.getdoc(method)
    state = mf.State(mf.sum, "int8")
    found = [str(inspect.signature(method)) for method in (state.push, state.append, state.finish)]
    assert found == ["(x, other=None)", "(other)", "()"]


def test_classes_of_users():
    x = numbers("float64", 100)
    own = Own(mf.sum, "float64").push(x)
    own.name = "mine"
    plain = mf.State(mf.sum, "float64").push(x)
    assert own == plain and plain == own and own.finish() == plain.finish() and own.append(plain).count == 200
    for other in (own.copy(), copy.copy(own), copy.deepcopy(own), pickle.loads(pickle.dumps(own)), Own.load(bytes(own))):
        assert type(other) is Own and other == own
    loud = Loud(mf.sum, "float64").push(x)
    assert loud.count == 200 and bytes(loud) == b"loud" and loud != plain and plain.append(loud).count == 300


def test_states_that_were_not_made_or_made_again():
    empty = mf.State.__new__(mf.State)
    for call in (empty.finish, empty.digest, empty.copy, lambda: empty.push(1.0), lambda: bytes(empty),
                 lambda: empty.append(empty), lambda: empty.count, lambda: mf.State(mf.sum, "int8").append(empty)):
        with pytest.raises(AttributeError):
            call()
    state = mf.State(mf.sum, "float64").push(1.0)
    state.__init__(mf.mean, "float32")
    assert state.push([1.0, 2.0]).finish() == 1.5 and state.dtype == "float32"


def test_empty_states():
    for fold in (mf.sum, mf.var, mf.stats, mf.argmin):
        x = numbers("float64", 10)
        empty, some = mf.State(fold, "float64"), mf.State(fold, "float64").push(x)
        before = bytes(some)
        assert bytes(some.append(empty)) == before and bytes(empty.append(some)) == before
        assert bytes(mf.State(fold, "float64").push([]).merge(empty.copy())) == before
    late = mf.State(mf.argmax, "float64", first_index=5).push([1.0, 9.0])
    assert mf.State(mf.argmax, "float64").append(late).finish() == 1
    with pytest.raises(mf.EmptyInput):
        mf.State(mf.mean, "float64").finish()
