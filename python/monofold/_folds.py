"""Several operations in one call: what `monofold.all(...)` of operations and `monofold.stats` are."""

import functools
import operator

from . import (_arrays, _calls, _core, _dates, _device_rows, _device_where, _dtypes, _gpus, _operations, _passes,
               _places, _rows, _whole)
from ._calls import NOTHING
from ._errors import EMPTY_INPUT
from ._kinds import KINDS
from ._operations import Operation
from ._results import Stats, TopK


class Fold:
    """Operations whose answers come from as few reads of the items as their options allow, each with the bits that it
    has alone."""

    is_alone = False

    def __init__(self, operations):
        operations = tuple(operations)
        if not operations or not all(isinstance(one, Operation) for one in operations):
            raise TypeError("a fold is made of operations, such as monofold.sum")
        if any(one.kind.name == "dot" for one in operations) and len(operations) > 1:
            raise TypeError("dot takes pairs of items: it stands alone")
        self.__dict__.update(operations=operations, kinds=[one.kind for one in operations])
        places = _passes.passes_of(operations)
        if len(places) > 1:
            passes = tuple((tuple(some), Fold(operations[place] for place in some)) for some in places)
            self.__dict__.update(passes=passes, is_quick=all(one.is_quick for _, one in passes))
            return
        self.__dict__.update(
            passes=None, codes=tuple(one.kind.code for one in operations), **_passes.options_of(operations),
            is_quick=len(operations) <= _core.most_quick
            and all(one.kind.answer != "ranked" and one.kind.name != "dot" for one in operations))
        self.__dict__["quick"] = self.make_quick() if self.is_quick else None

    def check_is_one_pass(self, what):
        """Raises where operations need several passes, which `what` does not make."""
        if self.passes:
            options = ", ".join(_passes.differing(self.operations))
            raise ValueError(f"{what} is one pass; operations that differ in {options} need several: {self!r}")

    __setattr__, __delattr__ = Operation.__setattr__, Operation.__delattr__

    def make_quick(self):
        return _core.several(self.codes, self.make_how())

    def is_same_pass(self, other):
        """Whether states of both may be joined: the same kinds with the options that matter, however they were made."""
        return self.kinds == other.kinds and _passes.options_of(self.operations) == _passes.options_of(other.operations)

    def quick_answer(self, x):
        """What the caller sees of a packed array; None: this call is not quick, or some operation has no answer."""
        values = self.quick_values(x) if self.is_quick else None
        return None if values is None else self.pack(values)

    def quick_values(self, x):
        if not self.passes:
            return self.quick.values(x)
        values = [one.quick_values(x) for _, one in self.passes]
        return None if None in values else self.in_order(values)

    def in_order(self, found):
        """What passes have found, in the order of the operations."""
        values = [None] * len(self.operations)
        for (places, _), some in zip(self.passes, found):
            for place, value in zip(places, some):
                values[place] = value
        return values

    def answers(self, source):
        """What the state of each operation gives for a whole array."""
        if self.passes:
            return self.in_order([one.answers(source) for _, one in self.passes])
        return _whole.answers(source, self.kinds, self.make_how(), plain=self.plain, raises=self.nan == "raise")

    def make_how(self):
        return _operations.make_how(self.nan, self.plain, self.correction or 0, self.k or 10)

    def with_nan(self, nan):
        """The same with another policy; None: with its own."""
        return self if nan is None or all(one.nan == nan for one in self.operations) else _with_nan(self, nan)

    def other_nan(self, nan):
        return type(self)(one.with_options(nan) for one in self.operations)

    def finish(self, answers, code):
        """What the caller sees: one value for each operation."""
        return tuple(_value(kind, answer, code) for kind, answer in zip(self.kinds, answers))

    def pack(self, values):
        return tuple(values)

    def __reduce__(self):
        return type(self), (self.operations,)

    def __eq__(self, other):
        return type(self) is type(other) and self.operations == other.operations

    def __hash__(self):
        return hash(self.operations)

    def __repr__(self):
        return f"monofold.all({', '.join(map(repr, self.operations))})"


class Single(Fold):
    """One operation, whose answer comes without a tuple around it."""

    is_alone = True

    def finish(self, answers, code):
        return super().finish(answers, code)[0]

    def pack(self, values):
        [value] = values
        return value

    def __repr__(self):
        return repr(self.operations[0])


class StatsFold(Fold, _core.called):
    """Eight statistics and two places, in one pass; called without an array it takes options and is a value.

    Parameters
    ----------
    x : array, optional
        An array of any library; left out: the fold itself with the options given.
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    where : array of bool, optional
        Which items there are.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make answers NaN, are left out, or raise `NanFound`.
    correction : int or float, optional
        The variance divides by the number of items less this, a whole number; 0 by itself.
    global_index : bool, optional
        Places count in the whole array, not along the axis.

    Returns
    -------
    Stats
        A statistic that too few items have is None for a whole array; along axes, in segments and in groups, where
        answers are arrays of numbers, it raises `EmptyInput`.
    """

    __signature__ = property(lambda self: _calls.signature_of(type(self)))
    __name__ = "stats"
    parameters = ("x", "axis", "keepdims", "where", "nan", "correction", "global_index")
    names = ("count", "count_nan", "sum", "mean", "var", "std", "min", "max", "argmin", "argmax")

    def __init__(self, correction=0, nan="propagate"):
        super().__init__(_operations.of_kind(KINDS[name], False, nan, correction=correction) for name in self.names)
        self._set_quick(self.quick)

    def make_quick(self):
        return _core.several(self.codes, self.make_how(), Stats, _PLACES)

    def quick_answer(self, x):
        return self.quick.values(x)

    def other_nan(self, nan):
        return _stats(self.correction, nan)

    def __reduce__(self):
        return type(self), (self.correction, self.nan)

    def finish(self, answers, code):
        return self.pack(_value(kind, answer, code, missing=None) for kind, answer in zip(self.kinds, answers))

    def pack(self, values):
        return tuple.__new__(Stats, in_stats_order(tuple(values)))

    @_gpus.on_its_gpu
    def _call(self, *args, **named):
        _calls.check_call(self, args, named)
        return self._answer(*args, **named)

    def _answer(self, x=NOTHING, axis=None, *, keepdims=False, where=None, nan=None, correction=None,
                global_index=False):
        if not (nan is correction is None):
            correction = self.correction if correction is None else _operations.whole_correction(correction)
            self = _stats(correction, self.nan if nan is None else nan)
        if x is NOTHING:
            return Operation._alone(self, axis=axis, keepdims=keepdims or None, where=where,
                                    global_index=global_index or None)
        return reduce(x, self, axis, keepdims=keepdims, where=where, global_index=global_index)

    def __repr__(self):
        stated = [f"correction={self.correction}"] if self.correction else []
        stated += [f"nan={self.nan!r}"] if self.nan != "propagate" else []
        return f"monofold.stats({', '.join(stated)})" if stated else "monofold.stats"


_ORDER = ("count", "count_nan", "sum", "mean", "var", "std", "min", "argmin", "max", "argmax")  # of Stats
_PLACES = tuple(map(_ORDER.index, StatsFold.names))
in_stats_order = operator.itemgetter(*map(StatsFold.names.index, _ORDER))


@functools.lru_cache(64)
def _stats(correction, nan):
    return StatsFold(correction, nan)


@functools.lru_cache(64)
def _with_nan(fold, nan):
    return fold.other_nan(nan)


_RAISE = object()


def _value(kind, answer, code, missing=_RAISE):
    if missing is not _RAISE and answer[0] == EMPTY_INPUT:
        return missing
    if kind.answer == "ranked":
        values, places = _whole.ranked(kind, answer)
        return TopK(_arrays.numbers(values, code), _arrays.numbers(places, _dtypes.INT64))
    return _whole.scalar(kind, answer)


@functools.lru_cache(256)
def _single(operation):
    return Single([operation])


def as_fold(what):
    """The fold that a user means by an operation, a fold, or a list of operations."""
    if isinstance(what, Fold):
        return what
    if isinstance(what, Operation):
        return _single(what)
    raise TypeError(f"{type(what).__name__} is no operation; those are monofold.sum and its like")


@_gpus.on_its_gpu
def reduce(x, fold, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None, global_index=False):
    """Reduces an array by an operation or by several, in one pass where they share their options.

    Parameters
    ----------
    x : array
    fold : operation or fold
        Such as ``monofold.sum`` or ``monofold.all(monofold.sum, monofold.argmax)``. Operations that differ in options
        which matter to them are answered in as few passes as these need, each to the bits that it has alone.
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool
        Reduced axes stay, with one index.
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    out : array, optional
        Takes the answer, as of a call of the operation; a tuple of arrays for several operations. With `out` and
        `dtype` each operation is a pass of its own.
    where : array of bool, optional
        Which items there are.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make the answer NaN, are left out, or raise `NanFound`.
    global_index : bool, optional
        Places count in the whole array, in row-major order, not along the axis.

    Returns
    -------
    number, array, or a tuple of them
        A tuple for several operations.

    Raises
    ------
    EmptyInput, IntegerOverflow, NanFound
        For a whole array with the index, along axes with the row.

    Examples
    --------
    >>> monofold.reduce([0.1, 0.2, 0.3], monofold.all(monofold.sum, monofold.argmax))
    (0.6, 2)
    """
    fold = as_fold(fold).with_nan(nan)
    _places.check(fold.kinds, global_index)
    if dtype is not None or out is not None:
        return _typed(x, fold, axis, keepdims, dtype, out, where, global_index)
    if axis is where is None and not keepdims:
        answer = fold.quick_answer(x)
        if answer is not None:
            return answer
    if fold.kinds[0].name == "dot":
        raise TypeError("dot takes two arrays: monofold.dot(x, y)")
    try:
        source = _arrays.as_source(x)
    except TypeError:
        if (dates := _dates.of_any(x)) is None:
            raise
        return fold.pack(one._reduce_dates(dates, where, one.nan, axis, keepdims, None, None, global_index)
                         for one in fold.operations)
    if axis is None and not keepdims:
        source = _device_where.marked(source, _device_where.mask_for(where, source))
        return _whole.in_library(fold.finish(fold.answers(source), source.code), source.like)
    mask = _device_where.mask_for(where, source)
    axes = _rows.axes_of(axis, len(source.shape))
    return fold.pack(_rows_of(x, source, mask, one, axes, keepdims, global_index) for one in fold.operations)


def _typed(x, fold, axis, keepdims, dtype, out, where, global_index):
    """Answers of a type that is asked for, or in the caller's arrays."""
    for kind in fold.kinds:
        if kind.name == "dot" or isinstance(fold, StatsFold):
            raise TypeError(f"{fold!r} takes no dtype and no out here")
    count = len(fold.operations)
    outs = (None,) * count if out is None else (out,) if isinstance(fold, Single) else _rows.outs_of(out, count)
    later = _rows.Later(outs) if count > 1 and out is not None else None
    answers = [one._reduce(x, axis, keepdims, dtype, into, where, one.nan, global_index)
               for one, into in zip(fold.operations, outs if later is None else later.places)]
    if later is not None:
        answers = [TopK(*one) if kind.answer == "ranked" else one for kind, one in zip(fold.kinds, later.write())]
    return fold.pack(answers)


def _rows_of(x, source, mask, operation, axes, keepdims, global_index):
    kind, how = operation.kind, operation.make_how()
    if kind.answer == "ranked":
        return operation.rows(x, source, mask, how, axes, keepdims, global_index=global_index)
    code = _rows.value_code(kind, source, how, None)
    placed = _places.along(source, kind, axes, keepdims) if global_index else None
    if _device_rows.is_on_device(source):
        return _device_where.reduce(x, source, mask, kind, how, axes, code, keepdims, placed=placed)
    arrays = _rows.reduce(source, mask, kind, how, axes, code, keepdims, placed)
    arrays = [source.like(array) for array in arrays]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


class All(Operation):
    """Whether every item is not zero; of operations: their fold."""

    def _call(self, *args, **named):
        if args and isinstance(args[0], (Operation, Fold)):
            if named:
                raise TypeError("all() of operations takes no options")
            return Fold(one for part in args for one in as_fold(part).operations)
        return Operation._call(self, *args, **named)


_operations._CLASSES["all"] = All
