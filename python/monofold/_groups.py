"""Groups: one answer for each key."""

import numpy as np

from . import (
    _arrays, _core, _device_groups, _device_rows, _folds, _gpus, _keys, _lists, _places, _protocols, _rows, _segments)
from ._errors import raise_status
from ._operations import make_how

ORDERS = {"key": 0, "first": 1}


@_gpus.on_its_gpu
def group_by(keys, x, fold, *, order="key", dtype=None, nan=None, global_index=False):
    """Reduces the items of each key, wherever they lie, to the bits of a call on them alone.

    Parameters
    ----------
    keys : array, or a tuple of arrays
        As long as `x`, of anything that has an order. One array of numbers on a GPU, where `x` lies there.
    x : array
        A row is left out where its item, or one of its keys, is absent: a null of Arrow, polars or pandas. NaN are
        not absent: as keys all of them are one, which comes last.
    fold : operation or fold
        Several operations group the items once. `top_k` and `bottom_k`: on the host.
    order : {"key", "first"}
        Groups by rising key, or by the place where each key first stands.
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional
    global_index : bool, optional
        Places count in all of `x`, rows that are left out too, not along the group. On the host.

    Returns
    -------
    (keys, answers)
        An array of keys, or a tuple of them, and the answers as along an axis, those of `top_k` with an axis of length
        k behind; places count along the group, without the rows that are left out. On a GPU, where keys and items lie
        there: a call waits for the number of groups; answers and keys are awaited as those along an axis.
    """
    if order not in ORDERS:
        raise ValueError(f"order: {order!r} is none of {', '.join(ORDERS)}")
    fold = _folds.as_fold(fold).with_nan(nan)
    _places.check(fold.kinds, global_index)
    source = _arrays.as_source(x)
    if _device_rows.is_on_device(source):
        if global_index:
            raise TypeError("global_index: groups on a device count places along the group")
        return _device_groups.group_by(keys, x, _arrays.side_by_side(source), fold, ORDERS[order], dtype)
    if fold.kinds[0].name == "dot":
        raise TypeError("groups have no dot")
    x, source, arrays, present = aligned(keys, x, source)
    codes, names = _keys.coded_together(arrays) if isinstance(keys, tuple) else _keys.coded(arrays[0])
    if len(fold.kinds) == 1 and fold.kinds[0].answer != "ranked" and not global_index:
        found, answers = _one(codes, names, x, source, fold, ORDERS[order], dtype)
    else:
        there = places_of(source, present) if global_index else None
        found, answers = _several(codes, names, source, fold, ORDERS[order], dtype, there)
    return keys_like(keys, names(found)), answers


def aligned(keys, x, source):
    """(items, the same as a source, arrays of keys) of the rows where all of them are there, and which those are."""
    columns = _keys.columns_of(keys)
    num_items = sum(items.count for items, _ in source.pieces)
    if columns[0].num_rows != num_items:
        raise ValueError(f"{columns[0].num_rows} keys for {num_items} items")
    present = _keys.rows_with_all(columns)
    if present is not None or len(source.pieces) > 1 or source.pieces[0][1] is not None:
        like = source.like
        x, there = _arrays.joined(source)
        present = there if present is None else present if there is None else present & there
        x = x if present is None else x[present]
        source = _arrays.as_source(x)
        source.like = like
    return x, source, [column.of_rows(present) for column in columns], present


def places_of(source, present):
    """Where the items of `aligned` stand in the caller's array."""
    _places.check_fits(source)
    return np.arange(source.items.count) if present is None else np.flatnonzero(present)


def keys_like(keys, found):
    """Keys as arrays of the library that the caller's are of."""
    if isinstance(keys, tuple):
        return tuple(map(keys_like, keys, found))
    is_of_numpy = isinstance(keys, np.ndarray) or not hasattr(keys, "__dlpack__")
    return found if is_of_numpy else _protocols.maker_like(keys)(found)


def key_at(found, place):
    """One of the keys, or of the tuples of them, as numbers or text of Python."""
    if isinstance(found, tuple):
        return tuple(key_at(one, place) for one in found)
    return found[place:place + 1].tolist()[0]


def _one(codes, names, x, source, fold, order, dtype):
    """(numbers of the keys of groups, the answers) of one operation, made where items are brought together."""
    [operation] = fold.operations
    kind, how = operation.kind, operation.make_how()
    code = _rows.value_code(kind, source, how, dtype)
    groups = _core.groups(_core.address_of(codes), source.items, order, kind.code, how, code)
    if groups.status:
        raise_status(groups.status, kind.name, row=_failed_key(codes, names, x, how, kind, code), part="key")
    keys = np.empty(groups.count, np.int64)
    new = _rows.Answers(kind, keys.shape, code, 1, 1)
    groups.copy(_core.address_of(keys), *new.addresses)
    arrays = [source.like(array) for array in new.arrays]
    return keys, fold.pack([arrays[0] if len(arrays) == 1 else tuple(arrays)])


def _several(codes, names, source, fold, order, dtype, there):
    """The same of any operations: items are brought together once, and are segments then.

    `there`: where the items stand in the caller's array, if places are to count there.
    """
    keys, offsets, memory = _brought_together(codes, source.items, order)
    count = source.items.count
    width = source.items.num_bytes // max(count, 1)
    grouped = _core.array(_core.address_of(memory), source.code, False, 0, (count,), (width,), memory)
    placed = None
    if there is not None:  # which are brought together as the items are
        _, _, memory = _brought_together(codes, _arrays.of_numpy(there), order)
        all_places = memory.view(np.int64)

        def placed(found):
            return all_places[_places.behind(offsets[:-1])(found)]

    return keys, fold.pack(
        _segments.answers(grouped, source, one, dtype, offsets[:-1], offsets[1:],
                          lambda group: key_at(names(keys[group:group + 1]), 0), "key", placed)
        for one in fold.operations)


def _brought_together(codes, items, order):
    """(the keys of groups, where their items begin and end, bytes of the items, group after group)."""
    keys, offsets = np.empty(items.count, np.int64), np.empty(items.count + 1, np.int64)
    memory = np.empty(items.num_bytes, np.uint8)
    addresses = [_core.address_of(array) for array in (keys, offsets, memory)]
    num_groups = _core.group_items(_core.address_of(codes), items, order, make_how(), *addresses)
    return keys[:num_groups].copy(), offsets[:num_groups + 1].copy(), memory


def _failed_key(codes, names, x, how, kind, code):
    """The first key without an answer: that of its segment in the items, sorted by key.

    None where NumPy cannot sort them: items that it has no type for.
    """
    try:
        x = _lists.to_numpy(x).ravel()
        source = _arrays.as_source(x[np.argsort(codes, kind="stable")])
    except (TypeError, ValueError, RuntimeError):
        return None
    found, counts = np.unique(codes, return_counts=True)
    stops = np.cumsum(counts, dtype=np.int64)
    starts = stops - counts
    new = _rows.Answers(kind, found.shape, code, 1, 1)
    bounds = _core.address_of(starts), _core.address_of(stops)
    status, failed = _core.segments(source.items, *bounds, found.size, kind.code, how, code, new.width, *new.addresses)
    if not status:
        return None
    return key_at(names(found[failed:failed + 1]), 0)
