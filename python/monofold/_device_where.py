"""Items on a device that a mask marks: brought together there by the library of their array, then reduced as others."""

import numpy as np

from . import _arrays, _core, _device_rows, _dtypes, _protocols, _rows
from ._kinds import KINDS
from ._results import TopK


def _library_for(x):
    name, library = _device_rows._library_of(x)
    if name in ("torch", "cupy"):
        return library
    if not hasattr(x, "__array_namespace__"):
        raise TypeError(f"where= of an array of {name} on a device: it has no library to bring items together by")
    return x.__array_namespace__()


def mask_of(where, x, shape):
    """`where` as an array of bool beside `x`, of its library and shape; None where there is none."""
    if where is None or where is True:
        return None
    library = _library_for(x)
    if _protocols.lies_on_gpu(where):
        if _device_rows._library_of(where)[0] != _device_rows._library_of(x)[0]:
            raise TypeError("where= of an array on a device is of the same library, or lies on the host")
        mask = where
    else:
        mask = _brought(np.array(_arrays.mask_of(where, shape), order="C"), x, library)
    source = _arrays.as_source(mask)
    if source.code != _dtypes.BOOL:
        raise TypeError(f"where must be of bool, not {_dtypes.NAMES[source.code]}")
    if source.shape == tuple(shape):
        return mask
    try:
        if np.broadcast_shapes(source.shape, shape) != tuple(shape):
            raise ValueError
    except ValueError:
        raise ValueError(f"where has the shape {source.shape}; the items have {tuple(shape)}") from None
    return library.broadcast_to(mask, tuple(shape))


def _brought(array, x, library):
    """A copy of a NumPy array beside `x`."""
    name = _device_rows._library_of(x)[0]
    if name == "torch":
        return library.tensor(array, device=x.device)
    return library.asarray(array) if name == "cupy" else library.asarray(array, device=x.device)


def _on_host(numbers):
    """A copy of int64 numbers of a device, which is waited for."""
    items = _arrays.side_by_side(_arrays.as_source(numbers)).items
    here = np.empty(tuple(items.extents), _dtypes.numpy_of(items.dtype))
    if here.size:
        _core.copy_by_device(_core.address_of(here), items.address, here.nbytes)
    return here.astype(np.int64, copy=False)


def _places_in(mask, library):
    """Where the marked items lie, by axes."""
    is_torch = _device_rows._library_of(mask)[0] == "torch"
    return library.nonzero(mask, as_tuple=True) if is_torch else library.nonzero(mask)


def whole(x, mask):
    """The marked items of a whole array, as a source that knows their places."""
    library = _library_for(x)
    source = _arrays.as_source(x[mask])
    places = []  # found when they are asked for

    def place_of(index):
        if not places:
            places.append(_places_in(library.reshape(mask, (-1,)), library)[0])
        return int(_on_host(places[0][_brought(np.array([index]), x, library)])[0])

    source.place_of = place_of
    return source


def mask_for(where, source):
    """`where` for an array wherever it lies; None where there is none."""
    if _device_rows.is_on_device(source):
        return mask_of(where, source.owner, source.shape)
    return _arrays.as_mask(where, source.shape)


def marked(source, mask):
    """The marked items of a whole array, all where there is no mask."""
    if mask is None:
        return source
    if _device_rows.is_on_device(source):
        return whole(source.owner, mask)
    source.pieces = _arrays.with_mask(source.pieces, mask)
    return source


def reduce(x, source, mask, kind, how, axes, code, keepdims=False, out=None, placed=None):
    """The answers of one operation along axes of an array on a device: an array, or two for pairs."""
    if mask is None:
        return _device_rows.reduce(x, source, kind, how, axes, code, keepdims, out, placed)
    shape = _rows.answer_shape(source.shape, axes, keepdims)
    if out is None:
        return _marked_rows(x, mask, kind, how, axes, code, shape, placed)
    own = _device_rows.Answers(x, kind, shape, how, code, out)  # which looks at them before anything is done
    found = _marked_rows(x, mask, kind, how, axes, code, shape, placed)
    for array, answers in zip(own.arrays, found if isinstance(found, tuple) else (found,)):
        array[...] = answers
    return own.given()


def _marked_rows(x, mask, kind, how, axes, code, shape, placed):
    library = _library_for(x)
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]
    extents = [x.shape[axis] for axis in kept]
    num_rows = int(np.prod(extents, dtype=np.int64))
    row_items = int(np.prod([x.shape[axis] for axis in axes], dtype=np.int64))
    turn = getattr(library, "permute_dims", None) or getattr(library, "permute", None) or library.transpose
    x, mask = (library.reshape(turn(one, (*kept, *axes)), (num_rows, row_items)) for one in (x, mask))
    counts = _on_host(_device_rows.reduce(mask, _arrays.as_source(mask), KINDS["count_nonzero"], how, [1], _dtypes.INT64))
    stops = np.cumsum(counts)
    starts = stops - counts
    items = x[mask]
    found = _device_rows.segments(
        items, _arrays.as_source(items), kind, how, *map(_device_rows.brought_there, (starts, stops)), code, (),
        lambda row: tuple(map(int, np.unravel_index(row, extents))) if extents else None)

    def in_row(places, shape):
        """Places among the items of a row, or as the caller wants them, from those among its marked ones."""
        first = _brought(starts, x, library)
        first = first[:, None] if kind.answer == "ranked" else first
        places = library.reshape(_places_in(mask, library)[1][places + first], shape)
        return places if placed is None else placed(places)

    if kind.answer == "ranked":
        ranks = (*extents, how.k)
        found = [library.reshape(found.values, ranks), in_row(found.indices, ranks)]
        if len(axes) == 1:
            found = [_device_rows.moved(one, axes[0]) for one in found]
        return TopK(*found)
    if kind.answer == "index":
        return in_row(found, shape)
    several = found if isinstance(found, tuple) else (found,)
    several = tuple(library.reshape(one, shape) for one in several)
    return several if len(several) > 1 else several[0]
