"""Scans: one answer for each beginning of an array, such as running sums."""

from . import _arrays, _core, _device_rows, _folds, _operations, _rows
from ._rolling import given

_SUM, _PROD = _operations.make("sum"), _operations.make("prod")


def scan(x, fold, axis=None, *, dtype=None, nan=None, include_initial=False):
    """Reduces the items up to each one, itself included, to the bits that these items have alone.

    Parameters
    ----------
    x : array
        One whose `axis` is not in row-major order is copied, and so are chunks. No item is absent.
    fold : operation or fold
    axis : int, optional
        May be left out where there is one axis.
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional
    include_initial : bool, optional
        Along `axis` there is one answer more, the first: that of no items.

    Returns
    -------
    array, or a tuple of arrays
        Along `axis` as many answers as items; places count from its start.

    Notes
    -----
    Sums, means, extrema, counts, products and bits take few operations an item, and so do plain variances of items
    that lie apart. Each answer of other operations looks at up to 4 KiB of items again.
    """
    quick = _core.scan_quickly(x, fold, axis, dtype, nan, include_initial)
    return _scan(x, fold, axis, dtype, nan, include_initial) if quick is None else quick


def cumulative_sum(x, axis=None, *, dtype=None, nan=None, include_initial=False):
    """Sums of the items up to each one: each is the exact sum, rounded once.

    Parameters
    ----------
    x : array
        One whose `axis` is not in row-major order is copied, and so are chunks. No item is absent.
    axis : int, optional
        May be left out where there is one axis.
    dtype : str or dtype, optional
        The type of the sums.
    nan : {"propagate", "omit", "raise"}, optional
    include_initial : bool, optional
        Along `axis` there is one sum more, the first: 0.

    Returns
    -------
    array

    Raises
    ------
    IntegerOverflow
        At the first sum that its type does not hold.
    """
    quick = _core.scan_quickly(x, _SUM, axis, dtype, nan, include_initial)
    return _scan(x, _SUM, axis, dtype, nan, include_initial) if quick is None else quick


def cumulative_prod(x, axis=None, *, dtype=None, nan=None, include_initial=False):
    """Products of the items up to each one: each has the bits of `prod` of these items.

    Parameters
    ----------
    x : array
        One whose `axis` is not in row-major order is copied, and so are chunks. No item is absent.
    axis : int, optional
        May be left out where there is one axis.
    dtype : str or dtype, optional
        The type of the products.
    nan : {"propagate", "omit", "raise"}, optional
    include_initial : bool, optional
        Along `axis` there is one product more, the first: 1.

    Returns
    -------
    array
    """
    quick = _core.scan_quickly(x, _PROD, axis, dtype, nan, include_initial)
    return _scan(x, _PROD, axis, dtype, nan, include_initial) if quick is None else quick


def _scan(x, fold, axis, dtype, nan, include_initial):
    fold = _folds.as_fold(fold).with_nan(nan)
    if fold.kinds[0].name == "dot":
        raise TypeError("scans have no dot")
    source = _arrays.full(_arrays.as_source(x), "scans")
    _device_rows.refuse(source, "a scan")
    axis = _axis_of(axis, len(source.shape))
    return fold.pack(_one(source, one, axis, dtype, bool(include_initial)) for one in fold.operations)


def _axis_of(axis, rank):
    if rank == 0:
        raise ValueError("a scan needs an array with an axis")
    if axis is None:
        if rank > 1:
            raise ValueError(f"a scan goes along one axis of {rank}: name it")
        return 0
    if isinstance(axis, tuple):
        raise TypeError("a scan goes along one axis")
    return _rows.axes_of(axis, rank)[0]


def _one(source, operation, axis, dtype, with_empty):
    kind, how = operation.kind, operation.make_how()
    code = operation.value_code(source, how, dtype)
    shape = source.shape[:axis] + source.shape[axis + 1:] + (source.shape[axis] + with_empty,)
    new = _rows.Answers(kind, shape, code, how.k, source.shape[axis])
    status, failed = _core.scan(source.items, axis, with_empty, kind.code, how, code, *new.addresses)
    return given(source, kind, axis, shape, new, status, failed)
