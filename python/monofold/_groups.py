"""Groups: one answer for each key."""

import functools

import numpy as np

from . import _arrays, _core, _folds, _lists, _protocols, _rows
from ._errors import raise_status

ORDERS = {"key": 0, "first": 1}


def group_by(keys, x, fold, *, order="key", dtype=None, nan=None):
    """Reduces the items of each key, wherever they lie, to the bits of a call on them alone.

    Parameters
    ----------
    keys : array, or a tuple of arrays
        As long as `x`, of anything that has an order.
    x : array
    fold : operation or fold
        All but `top_k` and `bottom_k`.
    order : {"key", "first"}
        Groups by rising key, or by the place where each key first stands.
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional

    Returns
    -------
    (keys, answers)
        An array of keys, or a tuple of them, and the answers as along an axis; places count along the group.
    """
    if order not in ORDERS:
        raise ValueError(f"order: {order!r} is none of {', '.join(ORDERS)}")
    fold = _folds.as_fold(fold)
    source = _arrays.as_source(x)
    if len(source.pieces) > 1 or source.pieces[0][1] is not None:
        raise TypeError("groups need one array without absent items")
    codes, names = coded(keys)
    if codes.size != source.items.count:
        raise ValueError(f"{codes.size} keys for {source.items.count} items")
    how = fold.make_how(nan)
    failed = functools.partial(_failed_key, codes, names, x, how)
    found = [_one(codes, source, kind, how, ORDERS[order], dtype, failed) for kind in fold.kinds]
    return _like(keys, names(found[0][0])), fold.pack(answers for _, answers in found)


def _like(keys, found):
    """Keys as arrays of the library that the caller's are of."""
    if isinstance(keys, tuple):
        return tuple(map(_like, keys, found))
    is_of_numpy = isinstance(keys, np.ndarray) or not hasattr(keys, "__dlpack__")
    return found if is_of_numpy else _protocols.maker_like(keys)(found)


def _one(codes, source, kind, how, order, dtype, failed):
    if kind.answer == "ranked" or kind.name == "dot":
        raise TypeError(f"groups have no {kind.name}")
    code = _rows.value_code(kind, source, how, dtype)
    groups = _core.groups(_core.address_of(codes), source.items, order, kind.code, how, code)
    if groups.status:
        raise_status(groups.status, kind.name, row=failed(kind, code), part="key")
    keys = np.empty(groups.count, np.int64)
    new = _rows.Answers(kind, keys.shape, code, 1)
    groups.copy(_core.address_of(keys), *new.addresses)
    arrays = [source.like(array) for array in new.arrays]
    return keys, arrays[0] if len(arrays) == 1 else tuple(arrays)


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
    new = _rows.Answers(kind, found.shape, code, 1)
    bounds = _core.address_of(starts), _core.address_of(stops)
    status, failed = _core.segments(source.items, *bounds, found.size, kind.code, how, code, *new.addresses)
    if not status:
        return None
    key = names(found[failed:failed + 1])
    return tuple(one.tolist()[0] for one in key) if isinstance(key, tuple) else key.tolist()[0]


def coded(keys):
    """Keys as int64 in the same order, and what turns those of groups back into keys."""
    if isinstance(keys, tuple):
        return _coded_together(keys)
    array = as_keys(keys)
    if array.dtype.kind in "biu" and array.dtype != np.uint64:
        return np.ascontiguousarray(array, np.int64), lambda found: found.astype(array.dtype)
    values, codes = np.unique(array, return_inverse=True)
    return np.ascontiguousarray(codes, np.int64), lambda found: values[found]


def as_keys(keys):
    """A NumPy array of keys, each as the caller has it."""
    if _lists.has_absent(keys):
        raise TypeError("an absent key is no key")
    return _lists.to_numpy(keys, objects=True).ravel()


def _coded_together(keys):
    """Several arrays of keys as one number: the first is the most significant."""
    if not keys:
        raise TypeError("a tuple of no keys")
    parts = [np.unique(as_keys(one), return_inverse=True) for one in keys]
    codes, *others = (codes for _, codes in parts)
    sizes = [values.size for values, _ in parts]
    if float(np.prod(sizes, dtype=float)) > 2**62:
        raise ValueError("too many combinations of keys")
    for size, more in zip(sizes[1:], others):
        if more.shape != codes.shape:
            raise ValueError("arrays of keys of different lengths")
        codes = codes * size + more

    def names(found):
        return tuple(values[place] for (values, _), place in zip(parts, np.unravel_index(found, sizes)))

    return np.ascontiguousarray(codes, np.int64), names
