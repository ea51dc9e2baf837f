"""States: what was pushed can be taken out again, exactly."""

import math

import hypothesis.extra.numpy as hnp
import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from hypothesis import given
from hypothesis import strategies as st

GROUPS = (mf.sum, mf.mean, mf.var, mf.std, mf.norm, mf.norm(ord=1), mf.mean_square, mf.count, mf.count_nan,
          mf.any, mf.all, mf.count_nonzero, mf.mean(nan="omit"), mf.all(mf.sum(nan="omit"), mf.std(nan="omit")))


def state_of(fold, x, first_index=0):
    return mf.State(fold, x.dtype, first_index).push(x)


@pytest.mark.parametrize("fold", GROUPS, ids=repr)
@given(x=hnp.arrays("float64", st.integers(0, 40)), cut=st.integers(0, 40))
def test_bytes_of_what_is_left(fold, x, cut):
    left, right = x[:cut], x[cut:]
    whole, part = state_of(fold, x), state_of(fold, right, left.size)
    assert whole.copy().subtract(part) == state_of(fold, left)
    assert state_of(fold, left).merge(part).subtract(part) == state_of(fold, left)


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64", "int8", "int64", "uint16", "bool"))
def test_leave_one_out(dtype):
    x = numbers(dtype, 300)
    fold = mf.mean if dtype.startswith("float") else mf.all(mf.mean, mf.var)
    whole = state_of(fold, x)
    for i in range(0, 300, 17):
        rest = whole.copy().subtract(state_of(fold, x[i:i + 1]))
        assert rest.finish() == state_of(fold, np.delete(x, i)).finish()


def test_a_window_slides_without_drift():
    # A large number, once gone, leaves nothing behind: a sum of doubles would lose what lies beside it.
    x = np.array([1.0, 2.0, 1e16, 3.0, -4.0, math.inf, 5.0, math.nan, 6.0, -0.0, -0.0, -0.0, 7.0] * 3)
    window, state = 3, state_of(mf.mean, np.empty(0))
    for end in range(x.size):
        state.push(x[end:end + 1])
        if end >= window:
            state.subtract(state_of(mf.mean, x[end - window:end - window + 1]))
        want = mf.mean(x[max(0, end - window + 1):end + 1])
        found = state.finish()
        assert np.float64(found).tobytes() == np.float64(want).tobytes(), end


def test_dot():
    x, y = numbers("float32", 50), numbers("float32", 50, seed=9)
    whole, part = mf.State(mf.dot, "float32").push(x, y), mf.State(mf.dot, "float32").push(x[20:], y[20:])
    assert whole.subtract(part) == mf.State(mf.dot, "float32").push(x[:20], y[:20])


@pytest.mark.parametrize("fold", (mf.min, mf.argmax, mf.minmax, mf.prod, mf.top_k(k=2), mf.norm(ord=math.inf), mf.stats,
                                  mf.plain.sum, mf.plain.var, mf.plain.mean_square, mf.logsumexp,
                                  mf.all(mf.sum, mf.max)), ids=repr)
def test_others_say_so_by_name(fold):
    x = numbers("float64", 5)
    whole, part = state_of(fold, x), state_of(fold, x[:2])
    before = bytes(whole)
    with pytest.raises(TypeError, match="of float64 cannot subtract"):
        whole.subtract(part)
    assert bytes(whole) == before


def test_what_was_not_there():
    whole = state_of(mf.sum, np.array([1.0, 2.0]))
    before = bytes(whole)
    for bad in ([1.0, 2.0, 3.0], [1.0, 1.0], [math.nan], [math.inf], [-0.0]):
        with pytest.raises(ValueError, match="has not seen"):
            whole.subtract(state_of(mf.sum, np.array(bad)))
    with pytest.raises(ValueError, match="does not take one of"):
        whole.subtract(mf.State(mf.mean, "float64"))
    assert bytes(whole) == before
    nans = state_of(mf.sum(nan="raise"), np.array([math.nan, 1.0, math.nan]))
    with pytest.raises(ValueError, match="first NaN"):
        nans.subtract(state_of(mf.sum(nan="raise"), np.array([math.nan])))
