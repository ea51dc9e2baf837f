"""Groups by keys in memory of a GPU: keys and answers are left there, in arrays like the caller's."""

import numpy as np

from . import _arrays, _core, _device_rows, _dtypes, _protocols, _rows
from ._errors import raise_status
from ._kinds import KINDS

_INSTEAD = "group_by of arrays on the host gives arrays of NumPy"


def _check_kind(kind):
    if kind.answer == "ranked" or kind.name == "dot":
        raise TypeError(f"groups on a device have no {kind.name}")


def group_by(keys, x, source, fold, order, dtype):
    """(keys, answers) of items on a device, whose array is `x`."""
    by = _keys_there(keys)
    if by.count != source.items.count:
        raise ValueError(f"{by.count} keys for {source.items.count} items")
    for kind in fold.kinds:
        _check_kind(kind)
    hows = [one.make_how() for one in fold.operations]
    codes = [_rows.value_code(kind, source, how, dtype) for kind, how in zip(fold.kinds, hows)]
    stream, is_known = _device_rows.stream_of(x, [keys])
    groups = _core.device_groups(by, order, stream)
    found = _device_rows.Answers(keys, KINDS["min"], (groups.count,), hows[0], by.dtype, None, instead=_INSTEAD)
    shown = found.places[0]
    found.fill(keys, [x], lambda *_: groups.copy_keys(shown, not is_known))  # in the stream that they were grouped in

    def answers_of(kind, how, code):
        new = _device_rows.Answers(x, kind, (groups.count,), how, code, None, instead=_INSTEAD)

        def start(*_):
            status, failed = groups.reduce(source.items, kind.code, how, code, *new.places, not is_known)
            if status:
                _device_rows.refuse_kernel(status, kind, source, code)
                raise_status(status, kind.name, row=_key_at(shown, failed), part="key")

        new.fill(x, [keys], start)
        return new.given()

    return found.given(), fold.pack(map(answers_of, fold.kinds, hows, codes))


def _keys_there(keys):
    """The core's array of the caller's keys."""
    if isinstance(keys, tuple):
        raise TypeError("group_by of an array on a device needs one array of keys there, not a tuple")
    if not _protocols.lies_on_gpu(keys):
        raise TypeError("group_by of an array on a device needs keys on the device: copy one of the two")
    return _arrays.side_by_side(_arrays.as_source(keys)).items


def _key_at(keys, place):
    """One of the keys, brought to the host."""
    try:
        key = np.empty(1, _dtypes.numpy_of(keys.dtype))
    except TypeError:  # no type for bfloat16 is here
        return None
    _core.copy_by_device(_core.address_of(key), keys.address + key.nbytes * place, key.nbytes)
    return key.tolist()[0]
