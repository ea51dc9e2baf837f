"""Arrays of every layout: the same bits, without a copy of the whole."""

import array
import math

import ml_dtypes
import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, same
from monofold import _core, _dtypes

OPERATIONS = (mf.sum, mf.prod, mf.mean, mf.var, mf.minmax, mf.argmin, mf.argmax, mf.plain.sum, mf.count_nonzero,
              mf.top_k(k=3), mf.norm)


def unaligned(x):
    room = np.zeros(x.nbytes + 1, np.uint8)[1:]
    out = room.view(x.dtype).reshape(x.shape)
    out[...] = x
    assert not out.flags.aligned or x.itemsize == 1
    return out


def read_only(x):
    out = x.copy()
    out.flags.writeable = False
    return out


def in_record(x):
    """A field of records of an odd size: strides that are no multiple of an item."""
    out = np.zeros(x.shape, np.dtype([("pad", "u1"), ("item", x.dtype)]))["item"]
    out[...] = x
    return out


def test_arrays_of_numpy_lie_as_its_headers_say():
    assert _core.set_array_maker(np.ndarray, _dtypes.NUMPY_TYPES, _dtypes.ARRAY_FUNCTIONS)


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "backward": lambda x: x[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
    "every second": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "axes turned": lambda x: x.transpose(2, 0, 1).copy().transpose(1, 2, 0),
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "unaligned": unaligned,
    "read-only": read_only,
    "of records": in_record,
    "nested lists": lambda x: x.tolist(),
    "memoryview": memoryview,
    "ten axes": lambda x: x.reshape(x.shape + (1,) * 7),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ("float64", "int64", "bool"))
def test_layouts(layout, dtype):
    x = numbers(dtype, (5, 7, 300))
    changed = LAYOUTS[layout](x)
    for operation in OPERATIONS:
        assert str(operation(changed)) == str(operation(x)), operation


@pytest.mark.parametrize("layout", ("every second", "backward", "other byte order", "unaligned", "of records"))
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_layouts_of_types(layout, dtype):
    x = numbers(dtype, (3, 4, 100))
    changed = LAYOUTS[layout](x)
    assert mf.sum(changed) == mf.sum(x) and mf.argmax(changed) == mf.argmax(x)
    for axis in (0, 1, 2, (0, 2)):
        assert same(mf.sum(changed, axis=axis), mf.sum(x, axis=axis))


def test_repeated_items():
    x = np.broadcast_to(np.array([1.5, -2.5]), (1000, 2))
    assert mf.sum(x) == -1000.0 and mf.argmin(x) == 1


def test_large_strided():
    x = numbers("float64", (700, 1100))[:, ::2]
    packed = x.copy()
    for operation in OPERATIONS:
        assert str(operation(x)) == str(operation(packed)), operation
        assert str(operation(x.T)) == str(operation(packed.T.copy())), operation
    x[300, 17] = x[5, 400] = np.nan
    with pytest.raises(mf.NanFound) as caught:
        mf.sum(x, nan="raise")
    assert caught.value.index == 5 * 550 + 400
    assert str(mf.stats(x, nan="omit")) == str(mf.stats(x.copy(), nan="omit"))
    with pytest.raises(mf.IntegerOverflow):
        mf.sum(np.full((2000, 400), 2**60)[:, ::2])
    with pytest.raises(TypeError):
        mf.bit_or(x)


def test_large_strided_vectors():
    x = numbers("float64", 3_000_000)
    halves = x[::2]
    assert mf.sum(halves) == mf.sum(halves.copy())
    assert mf.plain.sum(halves) == mf.plain.sum(halves.copy())
    swapped = x.astype(">f8")
    assert mf.argmax(swapped) == mf.argmax(x) and mf.plain.sum(swapped) == mf.plain.sum(x)


def test_bfloat16():
    x = numbers("float32", (40, 50)).astype(ml_dtypes.bfloat16)
    wide = x.astype("float64")
    assert mf.sum(x) == mf.sum(wide) and mf.max(x) == mf.max(wide) and mf.argmax(x) == mf.argmax(wide)
    rows = mf.max(x, axis=1)
    assert rows.dtype == ml_dtypes.bfloat16 and np.array_equal(rows, x.max(axis=1))
    assert mf.sum(wide, axis=0, dtype="bfloat16").dtype == ml_dtypes.bfloat16
    assert mf.top_k(x, 2).values.dtype == ml_dtypes.bfloat16


def test_buffers():
    assert mf.sum(array.array("d", [0.1, 0.2])) == mf.sum([0.1, 0.2])
    assert mf.sum(b"\x01\x02\xff") == 258 and mf.max(bytearray(b"\x07")) == 7
    assert mf.sum(range(10)) == 45 and mf.sum(3.5) == 3.5 and mf.sum(np.float32(0.5)) == 0.5
    assert mf.sum((1, 2, 3)) == 6 and mf.sum(np.array(7)) == 7 and mf.argmax(np.array(7)) == 0


class WithArray:
    def __array__(self, dtype=None, copy=None):
        return np.arange(4.0)


def test_array_protocol():
    assert mf.sum(WithArray()) == 6.0


@pytest.mark.parametrize("bad", (
    np.array([object()]), np.array([1j]), np.array(["text"]), np.array([b"text"]), np.zeros(2, "c8"),
    np.array([(1, 2)], "i4,i4"), "text", None, {1: 2}, object(), (one for one in (1, 2)), [2**70], [1, "a"],
    np.ma.masked_array([1.0, 2.0], [True, False])), ids=lambda bad: type(bad).__name__)
def test_no_numbers(bad):
    with pytest.raises(TypeError) as caught:
        mf.sum(bad)
    if isinstance(bad, np.ndarray) and not isinstance(bad, np.ma.MaskedArray):
        assert str(bad.dtype) in str(caught.value)


def test_ragged_lists():
    with pytest.raises(ValueError, match="different lengths"):
        mf.sum([[1.0], [2.0, 3.0]])


def test_where():
    x = numbers("float64", (50, 60))
    mask = np.random.default_rng(3).random((50, 60)) < 0.3
    for operation in (mf.sum, mf.min, mf.mean, mf.plain.sum, mf.prod, mf.count):
        assert operation(x, where=mask) == operation(x[mask])
    places = np.flatnonzero(mask)
    assert mf.argmax(x, where=mask) == places[np.argmax(x[mask])]
    assert same(mf.top_k(x, 4, where=mask).indices, places[mf.top_k(x[mask], 4).indices])
    assert mf.sum(x, where=mask[0]) == mf.sum(x[:, mask[0]])  # broadcast
    assert mf.dot(x, x, where=mask) == mf.dot(x[mask], x[mask])
    assert mf.stats(x, where=mask).argmin == places[np.argmin(x[mask])]
    assert mf.sum(x, where=False) == 0.0
    x.flat[places[2]] = math.nan
    with pytest.raises(mf.NanFound) as caught:
        mf.sum(x, where=mask, nan="raise")
    assert caught.value.index == places[2]
    with pytest.raises(TypeError, match="bool"):
        mf.sum(x, where=mask.astype(int))
    with pytest.raises(ValueError):
        mf.sum(x, where=mask[:, :7])
    with pytest.raises(mf.EmptyInput):
        mf.max(x, where=False)


def test_dot_of_strides():
    x, y = numbers("float64", (200, 30)), numbers("float64", (200, 30), seed=8)
    assert mf.dot(x[:, ::3], y[:, ::3]) == mf.dot(x[:, ::3].copy(), y[:, ::3].copy())
    with pytest.raises(ValueError, match="one shape"):
        mf.dot(x, y[1:])
    with pytest.raises(ValueError, match="one shape"):
        mf.dot(x, y.astype("float32"))
    with pytest.raises(TypeError):
        mf.dot(x)


@pytest.mark.parametrize("dtype", ("V0", "S0", "U0", [], "V8", "S8"))
def test_items_without_bytes(dtype):
    with pytest.raises(TypeError):
        mf.max(np.zeros(3, dtype))


def test_nan_of_a_masked_dot_has_the_place_of_the_array():
    x = np.array([1.0, 2.0, np.nan, 3.0])
    with pytest.raises(mf.NanFound) as caught:
        mf.dot(x, x, where=[False, True, True, True], nan="raise")
    assert caught.value.index == 2
