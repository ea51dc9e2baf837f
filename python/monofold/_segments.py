"""Segments: one answer for each run of items."""

import numpy as np

from . import _arrays, _core, _device_rows, _device_where, _folds, _gpus, _lists, _places, _protocols, _rows
from ._errors import raise_status
from ._results import TopK


@_gpus.on_its_gpu
def segmented_reduce(x, fold, offsets=None, *, starts=None, stops=None, dtype=None, nan=None,
                     global_index=False):
    """Reduces segments of an array, each to the bits that it has alone.

    Parameters
    ----------
    x : array
        In row-major order. One that does not lie so is copied, and so are chunks and items among absent ones.
    fold : operation or fold
    offsets : array of int, optional
        Segment i has the items from offset i to before offset i + 1.
    starts, stops : array of int, optional
        Segment i has the items from start i to before stop i; segments may overlap and leave gaps. Without
        `stops` a segment ends where the next one starts, the last one with the array.
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional
    global_index : bool, optional
        Places count in the whole array, in row-major order, not from the segment's start.

    Returns
    -------
    array, or a tuple of arrays
        As along an axis; places count from the segment's start, absent items too, which are left out.
    """
    quick = None if global_index else _core.reduce_segments_quickly(x, fold, offsets, starts, stops, dtype, nan)
    return _segments(x, fold, offsets, starts, stops, dtype, nan, global_index) if quick is None else quick


def _segments(x, fold, offsets, starts, stops, dtype, nan, global_index):
    fold = _folds.as_fold(fold).with_nan(nan)
    _places.check(fold.kinds, global_index)
    if fold.kinds[0].name == "dot":
        raise TypeError("segments have no dot")
    source = _arrays.as_source(x)
    if global_index:
        _places.check_fits(source)
    if _device_rows.is_on_device(source):
        source = _arrays.side_by_side(source)
        bounds = [one for one in (offsets, starts, stops) if one is not None]
        placed = _places.behind(_starts_beside(x, offsets, starts)) if global_index else None
        starts, stops = _bounds_on_device(source.items.count, offsets, starts, stops)
        return fold.pack(_on_device(x, source, one, starts, stops, dtype, bounds, placed) for one in fold.operations)
    source, there = _arrays.without_absent(source)
    starts, stops = bounds_of(source.items.count if there is None else there.size, offsets, starts, stops)
    placed = _places.behind(starts) if global_index else None
    if there is not None:
        present = _Present(there, starts, stops)
        (starts, stops), placed = present.bounds, present.in_all if global_index else present.placed
    return fold.pack(answers(source.items, source, one, dtype, starts, stops, placed=placed) for one in fold.operations)


class _Present:
    """The items that there are, brought together: segments of them, and their places in segments of all."""

    def __init__(self, there, starts, stops):
        _check_bounds(there.size, starts, stops)
        before = np.concatenate([[0], np.cumsum(there)])
        self.starts, self.first = starts, before[starts]
        self.bounds = self.first, before[stops]
        self.places = np.flatnonzero(there)

    def in_all(self, found):
        """Places among all items, of those in segments of the present ones."""
        return self.places[_places.behind(self.first)(found)]

    def placed(self, found):
        """Places in segments of all items, of the same."""
        return _places.behind(-self.starts)(self.in_all(found))


def _check_bounds(count, starts, stops):
    wrong = (starts < 0) | (stops < starts) | (stops > count)
    if wrong.any():
        raise ValueError(f"segment {wrong.argmax()} ends before it begins, or lies outside the array")


def _on_device(x, source, operation, starts, stops, dtype, bounds, placed):
    kind, how = operation.kind, operation.make_how()
    code = _rows.value_code(kind, source, how, dtype)
    return _device_rows.segments(x, source, kind, how, starts, stops, code, bounds,
                                 placed=placed if _places.has_places(kind) else None)


def _starts_beside(x, offsets, starts):
    """Where segments start, as an array of the library of `x`, beside it; those on a device come by way of the host."""
    given = starts if offsets is None else offsets
    if given is None:
        raise TypeError("segments have offsets, or starts and stops")
    if _protocols.lies_on_gpu(given):
        given = _device_where._on_host(given)
    first = places(given, "starts" if offsets is None else "offsets")
    return _device_where._brought(first if offsets is None else first[:-1], x, _device_where._library_for(x))


def bounds_of(count, offsets, starts, stops):
    """Starts and stops as packed arrays of int64."""
    if offsets is not None:
        if starts is not None or stops is not None:
            raise TypeError("segments have offsets, or starts and stops")
        offsets = places(offsets, "offsets")
        if offsets.size == 0:
            raise ValueError("offsets: one more than there are segments")
        return offsets[:-1], offsets[1:]
    if starts is None:
        raise TypeError("segments have offsets, or starts and stops")
    starts = places(starts, "starts")
    if stops is None:
        return starts, np.append(starts[1:], count)
    stops = places(stops, "stops")
    if stops.size != starts.size:
        raise ValueError(f"{starts.size} starts and {stops.size} stops")
    return starts, stops


def _bounds_on_device(count, offsets, starts, stops):
    """The same as arrays of the core in memory of the device. What lies there is not looked at."""
    def there(numbers, name):
        found = _device_rows.lying_there(numbers)
        return _device_rows.brought_there(places(numbers, name)) if found is None else found

    if offsets is not None and starts is None and stops is None:
        every = there(offsets, "offsets")
        if every.count == 0:
            raise ValueError("offsets: one more than there are segments")
        return tuple(_device_rows.part_of(every.address + 8 * first, every.count - 1, every) for first in (0, 1))
    if offsets is not None or starts is None or stops is None:
        return tuple(map(_device_rows.brought_there, bounds_of(count, offsets, starts, stops)))
    starts, stops = there(starts, "starts"), there(stops, "stops")
    if starts.count != stops.count:
        raise ValueError(f"{starts.count} starts and {stops.count} stops")
    return starts, stops


def places(numbers, name):
    array = _lists.to_numpy(numbers)
    if array.ndim != 1:
        raise ValueError(f"{name}: one axis, not {array.ndim}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name}: integers, not {array.dtype}")
    return _lists.packed_int64(array)


def answers(items, source, operation, dtype, starts, stops, name=lambda row: row, part="row", placed=None):
    """Those of one operation for each segment of `items`, which are of the type of `source`, in arrays of its library;
    name(row) is what errors call a segment, and placed(places) is what places in segments are for the caller."""
    kind, how = operation.kind, operation.make_how()
    code = operation.value_code(source, how, dtype)
    new = _rows.Answers(kind, (starts.size,), code, how.k, items.count)
    bounds = _core.address_of(starts), _core.address_of(stops)
    status, failed = _core.segments(items, *bounds, starts.size, kind.code, how, code, new.width, *new.addresses)
    if status:
        raise_status(status, kind.name, row=name(failed), part=part)
    if placed is not None and kind.answer in ("index", "ranked"):
        new.arrays[-1] = placed(new.arrays[-1])
    arrays = [source.like(array) for array in new.arrays]
    if kind.answer == "ranked":
        return TopK(*arrays)
    return arrays[0] if len(arrays) == 1 else tuple(arrays)
