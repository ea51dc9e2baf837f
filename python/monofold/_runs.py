"""Runs of equal keys: one answer for each."""

import numpy as np

from . import _arrays, _device_rows, _folds, _groups, _keys, _places, _segments

_CODED = "biufmM"  # kinds of keys that become numbers without being sorted


def reduce_by_key(keys, x, fold, *, dtype=None, nan=None, global_index=False):
    """Reduces the items of each run of neighbours with one key, to the bits of a call on them alone.

    Parameters
    ----------
    keys : array, or a tuple of arrays
        On the host, as long as `x`, of anything that can be compared. All NaN are one key, and -0 is 0.
    x : array
        On the host. A row is left out where its item, or one of its keys, is absent, and parts no run.
    fold : operation or fold
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional
    global_index : bool, optional
        Places count in all of `x`, rows that are left out too, not along the run.

    Returns
    -------
    (keys, answers)
        An array of the keys of runs as they follow each other, or a tuple of them: a key may come again. The answers
        are as those of `group_by`, and places count along the run.
    """
    fold = _folds.as_fold(fold).with_nan(nan)
    _places.check(fold.kinds, global_index)
    if fold.kinds[0].name == "dot":
        raise TypeError("runs have no dot")
    source = _arrays.as_source(x)
    _device_rows.refuse(source, "reduce_by_key")
    _, source, arrays, present = _groups.aligned(keys, x, source)
    count = source.items.count
    begins = np.logical_or.reduce([_begins(array) for array in arrays])
    starts = np.flatnonzero(begins)
    stops = np.append(starts[1:], count) if starts.size else starts
    columns = tuple(_shown(array[starts]) for array in arrays)
    found = columns if isinstance(keys, tuple) else columns[0]
    placed = None
    if global_index:
        there = _groups.places_of(source, present)

        def placed(found):
            return there[_places.behind(starts)(found)]

    return _groups.keys_like(keys, found), fold.pack(
        _segments.answers(source.items, source, one, dtype, starts, stops,
                          lambda run: _groups.key_at(found, run), "key", placed)
        for one in fold.operations)


def _begins(keys):
    """Whether a run begins at each place."""
    if keys.ndim > 1:
        raise TypeError("keys of records whose fields are arrays")
    if keys.dtype.names:
        return np.logical_or.reduce([_begins(keys[name]) for name in keys.dtype.names])
    begins = np.ones(keys.size, bool)
    if _is_coded(keys.dtype):
        codes, _ = _keys.coded(keys)
        begins[1:] = codes[1:] != codes[:-1]
    else:
        is_nan = np.asarray(np.isnan(keys) if keys.dtype.kind == "T" else keys != keys, bool)
        differ = np.asarray(keys[1:] != keys[:-1], bool)
        begins[1:] = np.where(is_nan[1:] | is_nan[:-1], is_nan[1:] != is_nan[:-1], differ)
    return begins


def _shown(keys):
    """Keys of runs as group_by shows them."""
    if keys.dtype.names:
        out = np.empty(keys.size, keys.dtype)
        for name in keys.dtype.names:
            out[name] = _shown(keys[name])
        return out
    if _is_coded(keys.dtype):
        codes, names = _keys.coded(keys)
        return names(codes)
    return keys + keys.dtype.type(0) if keys.dtype.kind in "fc" else keys  # -0 becomes +0


def _is_coded(dtype):
    return dtype.name == "bfloat16" or (dtype.kind in _CODED and dtype.itemsize <= 8)
