"""Extrema with their places: what `monofold.argmin`, `monofold.top_k` and their like are."""

from . import _arrays, _device_rows, _device_where, _dtypes, _operations, _places, _rows, _whole
from ._calls import NOTHING
from ._results import TopK


class Extremum(_operations.Operation):
    """The place of the first of the smallest, or of the largest, items."""

    parameters = (*_operations.Operation.parameters, "global_index")

    def _answer(self, x=NOTHING, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None,
                global_index=False):
        if not global_index:
            return super()._answer(x, axis, keepdims=keepdims, dtype=dtype, out=out, where=where, nan=nan)
        if x is NOTHING:
            return self._alone(global_index=global_index)
        return self._reduce(x, axis, keepdims, dtype, out, where, self.nan if nan is None else nan, global_index)


class Ranking(_operations.Operation):
    """The k best items and their places."""

    options = ("k",)
    parameters = ("x", "k", "axis", "keepdims", "dtype", "out", "where", "nan", "global_index")
    returns = ("TopK\n    `values` and their `indices`, best first; along an axis in its place. The last of "
               "several axes has them; with\n    `keepdims` that is the last reduced one.")

    def _answer(self, x=NOTHING, k=None, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None,
                global_index=False):
        if isinstance(x, int) and not isinstance(x, bool) and axis is None:
            raise TypeError("the first argument is an array; name k: top_k(k=3)")
        is_told = nan is k is None
        self = self if is_told else self._told(nan=nan, k=k)
        if x is NOTHING:
            return self._alone(axis=axis, keepdims=keepdims or None, dtype=dtype, out=out, where=where,
                               global_index=global_index or None)
        if axis is where is dtype is out is None and not keepdims and not is_told:
            return self(x)  # which may be quick
        source = _arrays.as_source(x)
        mask = _device_where.mask_for(where, source)
        how = self.make_how(self.nan)
        if axis is None and not keepdims and dtype is out is None:
            if _device_rows.is_short_row(x, source, mask, self.nan, how.k):
                return self.rows(x, source, mask, how, _rows.axes_of(None, len(source.shape)))
            [answer] = _whole.answers(source := _device_where.marked(source, mask), [self.kind], how)
            best = zip(_whole.ranked(self.kind, answer), (source.code, _dtypes.INT64))
            return TopK(*(source.like(_arrays.numbers(*one)) for one in best))
        return self.rows(x, source, mask, how, _rows.axes_of(axis, len(source.shape)), keepdims, dtype, out,
                         global_index)

    def _reduce(self, x, axis, keepdims, dtype, out, where, nan, global_index=False):
        return self._answer(x, None, axis, keepdims=keepdims, dtype=dtype, out=out, where=where, nan=nan,
                            global_index=global_index)

    def rows(self, x, source, mask, how, axes, keepdims=False, dtype=None, out=None, global_index=False):
        """The best along axes."""
        code = (_rows.value_code if out is None else _rows.ruled_code)(self.kind, source, how, dtype)
        if (is_far := _device_rows.is_on_device(source)) and out is not None:
            raise TypeError(f"{self.kind.name}: out= is for arrays on the host")
        placed = _places.along(source, self.kind, axes) if global_index else None
        if is_far:
            found = _device_where.reduce(x, source, mask, self.kind, how, axes, code, placed=placed)
        else:
            found = _rows.reduce(source, mask, self.kind, how, axes, code, placed=placed)
            if len(axes) == 1:
                found = [_arrays.moved(array, axes[0]) for array in found]
        if keepdims and len(axes) > 1:
            kept = [1 if axis in axes else extent for axis, extent in enumerate(source.shape)]
            kept[axes[-1]] = how.k
            move = _device_rows.moved if is_far else _arrays.moved
            found = [move(array, axes[-1] - len(axes) + 1).reshape(kept) for array in found]
        if out is not None:
            return TopK(*_rows.into(out, found))
        return TopK(*found) if is_far else TopK(*map(source.like, found))


_operations._CLASSES.update(argmin=Extremum, argmax=Extremum, top_k=Ranking, bottom_k=Ranking)
