"""The denominator of softmax in memory of a device: one pass leaves both numbers of each row there."""

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, numbers
from test_device_rows import There, device, same  # noqa: F401: the device is what every test here needs, too

FOLD = mf.softmax_denominator


@pytest.mark.parametrize("dtype", FLOATS)
def test_on_a_device(dtype):
    x = numbers(dtype, (6, 700, 9)).clip(-90, 90)
    for axis in (0, 1, 2, (0, 2)):
        assert all(map(same, FOLD(There(x), axis=axis), FOLD(x, axis=axis)))
    options = {"axis": 1, "dtype": "float64", "nan": "omit"}
    x[:, ::7] = np.nan
    assert all(map(same, FOLD(There(x), **options), FOLD(x, **options)))
    with pytest.raises(mf.NanFound, match="row"):
        FOLD(There(x), axis=1, nan="raise")
    flat, bounds = x.ravel(), np.arange(0, x.size + 1, 63)
    assert all(map(same, *(mf.segmented_reduce(one, FOLD, bounds) for one in (There(flat), flat))))


def test_groups():
    keys, x = np.arange(3000) % 17, numbers("float32", 3000).clip(-50, 50)
    for order in ("key", "first"):
        names, found = mf.group_by(There(keys), There(x), FOLD, order=order)
        want_names, want = mf.group_by(keys, x, FOLD, order=order)
        assert same(names, want_names) and all(map(same, found, want))
