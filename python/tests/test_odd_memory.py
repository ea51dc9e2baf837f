"""Arrays whose memory is unusual: bool of other bytes than 0 and 1, misaligned, no items a row, overlapping answers."""

import datetime

import numpy as np
import pytest

import monofold as mf

BYTES = np.array([0, 255, 3, 0, 1, 2, 0, 0, 128, 1] * 7, np.uint8)
OPERATIONS = [mf.sum, mf.mean, mf.var, mf.min, mf.max, mf.argmin, mf.argmax, mf.all, mf.any, mf.count_nonzero, mf.prod,
              mf.norm, mf.minmax]


def layouts():
    odd = BYTES.view(bool)
    field = np.zeros(70, [("other", "u1"), ("own", "?")])
    field["own"].view(np.uint8)[...] = BYTES
    yield "packed", odd
    yield "of ten columns", odd.reshape(7, 10)
    yield "every second", np.repeat(BYTES, 2).view(bool)[::2]
    yield "backward", odd[::-1]
    yield "of a record", field["own"]
    yield "by columns", np.asfortranarray(odd.reshape(7, 10))
    yield "repeated", np.broadcast_to(odd[1:2], (3, 70))


@pytest.mark.parametrize(("name", "odd"), list(layouts()), ids=[name for name, _ in layouts()])
def test_any_byte_but_0_is_true(name, odd):
    plain = odd != 0
    assert (np.array(plain).view(np.uint8) < 2).all()
    for operation in OPERATIONS:
        assert operation(odd) == operation(plain), operation
        assert np.array_equal(operation(odd, axis=-1, keepdims=True), operation(plain, axis=-1, keepdims=True)), operation
        assert operation(odd, where=plain) == operation(plain, where=plain), operation
    assert mf.stats(odd) == mf.stats(plain)
    state, other = mf.State(mf.sum, "bool"), mf.State(mf.sum, "bool")
    state.push(odd)
    other.push(plain)
    assert bytes(state) == bytes(other)
    assert (mf.cumulative_sum(odd.ravel()) == mf.cumulative_sum(plain.ravel())).all()
    assert (mf.rolling(odd.ravel(), 5, mf.sum) == mf.rolling(plain.ravel(), 5, mf.sum)).all()
    assert (mf.segmented_reduce(odd.ravel(), mf.argmax, [0, 3, 9]) == mf.segmented_reduce(plain.ravel(), mf.argmax,
                                                                                       [0, 3, 9])).all()
    for keys, items in ((odd.ravel(), np.arange(odd.size)), (np.arange(odd.size) % 3, odd.ravel())):
        found, wanted = (mf.group_by(k, i, mf.sum) for k, i in ((keys, items), (keys != 0 if keys.dtype == bool else keys,
                                                                               items != 0 if items.dtype == bool else items)))
        assert all(np.array_equal(a, b) for a, b in zip(found, wanted))


def test_memoryviews_of_any_byte():
    odd = memoryview(BYTES.tobytes()).cast("?")
    assert mf.sum(odd) == (BYTES != 0).sum()
    assert mf.argmax(odd) == 1


def test_marks_of_rows_without_items():
    assert (mf.sum(np.zeros((3, 0)), axis=1, where=np.zeros((3, 0), bool)) == np.zeros(3)).all()
    assert mf.sum(np.zeros(0), axis=0, where=np.zeros(0, bool)) == 0
    assert (mf.count_nonzero(np.zeros((2, 0)), axis=1, where=np.zeros((2, 0), bool)) == [0, 0]).all()
    with pytest.raises(mf.EmptyInput):
        mf.max(np.zeros((3, 0)), axis=1, where=np.zeros((3, 0), bool))


def misaligned(numbers, dtype=np.int64):
    out = np.ndarray((len(numbers),), dtype, np.zeros(8 * len(numbers) + 1, np.uint8), 1)
    out[...] = numbers
    assert not out.flags.aligned or not len(numbers)
    return out


def test_misaligned_offsets_and_keys():
    items = np.arange(4.0)
    offsets = misaligned([0, 1, 2, 4])
    assert (mf.segmented_reduce(items, mf.sum, offsets) == [0, 1, 5]).all()
    assert (mf.segmented_reduce(items, mf.sum, starts=offsets[:2], stops=offsets[2:]) == [1, 6]).all()
    keys, sums = mf.group_by(misaligned([3, 1, 3, 1]), items, mf.sum)
    assert keys.tolist() == [1, 3] and sums.tolist() == [4, 2]
    assert mf.segmented_reduce(items, mf.sum, starts=misaligned([]), stops=misaligned([])).size == 0


def test_answers_of_several_operations_are_written_when_all_are_there():
    y, both = np.arange(12.0).reshape(3, 4), mf.all(mf.sum, mf.max)
    out, other = np.zeros(4), np.zeros(4)
    mf.reduce(y.copy(), both, axis=0, out=(out, other))
    assert out.tolist() == [12, 15, 18, 21] and other.tolist() == [8, 9, 10, 11]
    mine = y.copy()
    mf.reduce(mine, both, axis=0, out=(mine[2], other))  # one is a row of what is read
    assert mine[2].tolist() == [12, 15, 18, 21] and other.tolist() == [8, 9, 10, 11]
    out[...] = -1
    for wrong, error in (((out, np.zeros(5)), ValueError), ((out, out), ValueError), ((out, out[::-1]), ValueError),
                         ((out, np.zeros(4, np.int8)), TypeError)):
        with pytest.raises(error):
            mf.reduce(y, both, axis=0, out=wrong)
        assert (out == -1).all()
    with pytest.raises(mf.EmptyInput):
        mf.reduce(np.zeros((0, 4)), both, axis=0, out=(out, other))
    assert (out == -1).all()
    low, high, total = np.zeros(4), np.zeros(4), np.zeros(4)
    mf.reduce(y, mf.all(mf.minmax, mf.sum), axis=0, out=((low, high), total))
    assert (low.tolist(), high.tolist(), total.tolist()) == ([0, 1, 2, 3], [8, 9, 10, 11], [12, 15, 18, 21])


def test_out_that_is_not_written_wholly_is_refused():
    x = np.arange(12.0).reshape(4, 3)
    masked = np.ma.masked_array(np.zeros(4), [True, False, False, False], hard_mask=True)
    with pytest.raises(TypeError, match="masked"):
        mf.sum(x, axis=1, out=masked)
    memory = np.zeros(8)
    for steps in ((0,), (4,)):
        shared = np.lib.stride_tricks.as_strided(memory, (4,), steps)
        with pytest.raises(ValueError, match="one place for several"):
            mf.sum(x, axis=1, out=shared)
    square = np.lib.stride_tricks.as_strided(memory, (4, 2), (8, 8))
    with pytest.raises(ValueError, match="one place for several"):
        mf.sum(np.zeros((4, 2, 3)), axis=2, out=square)
    assert not memory.any()
    for out in (np.zeros(8)[::2], np.zeros(4)[::-1], np.zeros((4, 9))[:, 3]):
        assert mf.sum(x, axis=1, out=out) is out
        assert out.tolist() == [3, 12, 21, 30]


class TestKeysThatDoNotEqualThemselves:
    """All of them are one key, the last."""

    def groups(self, keys, count):
        found, sums = mf.group_by(keys, 2.0 ** np.arange(count), mf.sum)
        return found.tolist(), sums.tolist()

    def test_objects(self):
        found, sums = self.groups(np.array([2.0, np.nan, 1.0, np.nan, 2.0, 1.0], object), 6)
        assert found[:2] == [1.0, 2.0] and found[2] != found[2] and sums == [36, 17, 10]

    def test_text(self):
        if not hasattr(np.dtypes, "StringDType"):
            pytest.skip("NumPy 1 has no text of any length")
        keys = np.array(["a", np.nan, "b", np.nan], np.dtypes.StringDType(na_object=np.nan))
        found, sums = self.groups(keys, 4)
        assert found[:2] == ["a", "b"] and sums == [1, 4, 10]

    def test_records(self):
        keys = np.array([(1, np.nan), (0, 0.0), (1, np.nan), (0, -0.0)], [("a", "i4"), ("b", "f8")])
        found, sums = self.groups(keys, 4)
        assert found[0] == (0, 0.0) and not np.signbit(found[0][1]) and found[1][1] != found[1][1] and sums == [10, 5]

    def test_long_doubles(self):
        found, sums = self.groups(np.array([-0.0, np.nan, 0.0, np.nan], np.longdouble), 4)
        assert found[0] == 0 and not np.signbit(found[0]) and sums == [5, 10]

    def test_dates_as_objects(self):
        day = datetime.date(2024, 2, 29)
        assert self.groups(np.array([day, datetime.date(2023, 1, 1), day], object), 3)[1] == [2, 5]
