"""DLPack's C exchange API: what it gives has the bits of `__dlpack__`, and what it cannot tell goes there."""

import faulthandler

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, same
from producers import exchange_type

FLOATING, BFLOAT, COMPLEX = 2, 4, 5
Exchanged = exchange_type()  # one for all tests: the core has room for a few
assert mf.sum(Exchanged(np.ones(3), FLOATING)) == 3.0  # the first is read by `__dlpack__`, and its type is told


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ("bool",))
def test_types_and_layouts(dtype):
    code = 6 if dtype == "bool" else "iuf".index(np.dtype(dtype).kind)
    x = numbers(dtype, (30, 40))
    for shown in (x, x[::3, ::-1], x[:0], x[2, 3:4].reshape(()), np.broadcast_to(x[0], (4, 40))):
        tensor = Exchanged(shown, code)
        assert mf.sum(tensor) == mf.sum(shown)
        if shown.ndim == 2:
            assert same(mf.sum(tensor, axis=0), mf.sum(shown, axis=0))
        assert not tensor.asked and Exchanged.shown
        assert mf.State(mf.sum, dtype).push(tensor).finish() == mf.sum(shown)
    large = numbers(dtype, 100_000)
    assert mf.sum(Exchanged(large, code)) == mf.sum(large)


def test_bfloat16():
    bits = numbers("float32", 100).view(np.uint32) >> 16
    assert mf.sum(Exchanged(bits.astype(np.uint16), BFLOAT)) == mf.sum((bits << 16).view(np.float32))


def test_what_it_does_not_tell():
    x = np.array([1.0, 2.0])
    for name, value in (("requires_grad", True), ("fails", True), ("kind", 2)):
        tensor = Exchanged(x, FLOATING)
        setattr(tensor, name, value)
        if name == "kind":
            tensor.managed.tensor.kind = 2
            # Without a device, or beside one that does not know this memory.
            with pytest.raises((mf.DeviceUnavailable, ValueError)):
                mf.sum(tensor)
        else:
            assert mf.sum(tensor) == mf.sum(tensor, axis=0) == 3.0
        assert tensor.asked  # by `__dlpack__`, which orders or refuses
    tensor = Exchanged(x, FLOATING)
    tensor.negated = True
    for call in (mf.sum, lambda x: mf.sum(x, axis=0), lambda x: mf.State(mf.sum, "float64").push(x)):
        with pytest.raises(BufferError, match="resolve_neg"):
            call(tensor)
    with pytest.raises(TypeError, match="complex64"):
        mf.sum(Exchanged(np.zeros(3), COMPLEX))


def test_types_that_offer_none():
    for cls in (exchange_type(show=False), exchange_type(major=2), type("Sub", (exchange_type(),), {})):
        tensor = cls(np.ones(3), FLOATING)
        assert mf.sum(tensor) == 3.0 and tensor.asked and not cls.shown


def test_a_type_that_reduces_while_it_is_told():
    class Meta(type):
        def __getattr__(cls, name):
            mf.sum(other(np.ones(2), FLOATING))
            raise AttributeError(name)

    other = exchange_type()
    cls = Meta("Asking", (exchange_type(),), {key: value for key, value in vars(other).items() if key != "is_neg"})
    faulthandler.dump_traceback_later(60, exit=True)  # threads that wait for each other hold the interpreter's lock
    assert mf.sum(cls(np.ones(3), FLOATING)) == mf.sum(cls(np.ones(3), FLOATING)) == 3.0
    faulthandler.cancel_dump_traceback_later()
