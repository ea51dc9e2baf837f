"""Operations: what `monofold.sum` and its like are. Calls that are not quick arrive here."""

import functools
import math
import operator

from . import _arrays, _core, _dates, _device_rows, _device_where, _dtypes, _gpus, _protocols, _rows, _whole
from ._kinds import KINDS
from ._results import TopK

NAN_POLICIES = {"propagate": 0, "omit": 1, "raise": 2}
_NOTHING = ...  # no array was given
_threads = 0


def set_threads(count):
    """Sets how many threads a call uses; 0: as many as there are cores. No answer depends on it.

    Parameters
    ----------
    count : int
        From 0 on.
    """
    global _threads
    _threads = count = whole("threads", count, 0, 2**31)
    _core.set_threads(count)


def policy(nan):
    if nan not in NAN_POLICIES:
        raise ValueError(f"nan: {nan!r} is none of {', '.join(NAN_POLICIES)}")
    return NAN_POLICIES[nan]


def whole(name, number, low=0, end=2**63):
    """A number that must be an integer from `low` to before `end`."""
    try:
        number = int(operator.index(number))
    except TypeError:
        raise TypeError(f"{name}: an integer, not {type(number).__name__}") from None
    if not low <= number < end:
        raise ValueError(f"{name}: {number} is not from {low} to {end - 1}")
    return number


def make_how(nan="propagate", plain=False, correction=0, k=10):
    return _how(policy(nan), bool(plain), correction, k, _threads)


@functools.lru_cache(64)
def _how(nan, plain, correction, k, threads):
    return _core.how(nan, plain, correction, k, threads)


_DOC = """{about}

Parameters
----------
{parameters}

Returns
-------
{returns}

Raises
------
EmptyInput, IntegerOverflow, NanFound
    For a whole array with the index, along axes with the row.
"""
_PARAMETER_DOCS = {
    "x": "array, optional\n    An array of any library; left out: the operation itself with the options given.",
    "y": "array, optional\n    The right side, of the shape and type of `x`.",
    "k": "int, optional\n    How many; 10 by itself.",
    "axis": "int or tuple of ints, optional\n    The axes to reduce; None: all of them.",
    "keepdims": "bool, optional\n    Reduced axes stay, with one index.",
    "dtype": "str or dtype, optional\n    The type of the answer, rounded once.",
    "out": "array, optional\n    Takes the answer; a tuple where there are two. Of NumPy or PyTorch; on a device any array.",
    "where": "array of bool, optional\n    Which items there are.",
    "nan": '{"propagate", "omit", "raise"}, optional\n    NaN make the answer NaN, are left out, or raise `NanFound`.',
    "correction": "int, optional\n    Divides by the number of items less this; an integer, as saved states keep it.",
    "ord": "{1, 2, inf}, optional\n    Which norm; 2 by itself.",
}
_POSITIONAL = ("x", "y", "k", "axis")


class Operation(_core.operation):
    """A reduction: called with an array it gives the answer, without one it takes options and is a value.

    ``monofold.var(x)`` reduces; ``monofold.var(correction=1)`` is the operation with that option, to be given
    to `monofold.all`, `monofold.reduce`, `monofold.State` and the like.
    """

    options = ()
    parameters = ("x", "axis", "keepdims", "dtype", "out", "where", "nan")
    returns = "number or array\n    A Python number; along axes, and with `keepdims`, an array of the library of `x`."

    def __new__(cls, kind, *, plain=False, nan="propagate", correction=0, k=10):
        self = super().__new__(cls, kind.code, plain, policy(nan), correction, k)
        self.__dict__.update(kind=kind, plain=plain, nan=nan, correction=correction, k=k, __name__=kind.name,
                             __qualname__=kind.name, __module__="monofold.plain" if plain else "monofold",
                             __doc__=doc_of(cls, kind))
        self.__dict__["_hash"] = hash((kind.name, *self.stated().items()))
        return self

    def __setattr__(self, name, value):
        raise AttributeError(f"{name}: an operation stays as it is; call it with options for another one")

    __delattr__ = functools.partialmethod(__setattr__, value=None)

    @property
    def __signature__(self):
        return signature_of(type(self))

    def __reduce__(self):
        return _again, (type(self), self.kind.name, self.stated())

    def __eq__(self, other):
        return type(self) is type(other) and self.kind is other.kind and self.stated() == other.stated()

    def __hash__(self):
        return self._hash

    def __repr__(self):
        stated = {name: value for name, value in self.stated().items() if value != Operation.defaults[name]}
        stated.pop("plain", None)
        text = f"{self.__module__}.{self.__name__}"
        return f"{text}({', '.join(f'{name}={value!r}' for name, value in stated.items())})" if stated else text

    defaults = {"plain": False, "nan": "propagate", "correction": 0, "k": 10}

    def stated(self):
        return {name: getattr(self, name) for name in Operation.defaults}

    def with_options(self, nan=None, correction=None, k=None):
        """The same operation with other options; those left out stay.

        Parameters
        ----------
        nan : {"propagate", "omit", "raise"}, optional
        correction : int, optional
        k : int, optional

        Returns
        -------
        Operation
        """
        correction = self.correction if correction is None else whole("correction", correction)
        k = self.k if k is None else whole("k", k, 1)
        return _made(type(self), self.kind, self.plain, self.nan if nan is None else nan, correction, k)

    def _told(self, **options):
        """The same; the core is told of it where one option is given, so that the next such call may be quick."""
        given = [(name, value) for name, value in options.items() if value is not None]
        other = self.with_options(**options)
        if len(given) == 1 and type(given[0][1]) in (int, str):
            self._set_other(*given[0], other)
        return other

    def value_code(self, source, how, dtype, named=None):
        """The type of arrays of answers; the core is told of it too. `named`: what says the type, if not `dtype`."""
        return _protocols.code_in(source.owner, self.told_code(source, how, dtype, named))

    def told_code(self, source, how, dtype, named=None):
        """The same of numbers."""
        code = _rows.ruled_code(self.kind, source, how, dtype)
        named = dtype if named is None else named
        self._set_row_type(source.code, code, *(() if named is None else (named,)))
        return code

    def make_how(self, nan=None):
        return make_how(self.nan if nan is None else nan, self.plain, self.correction, self.k)

    @_gpus.on_its_gpu
    def _call(self, *args, **named):
        if len(args) > 1 or not named.keys() <= names_of(type(self)):
            check_call(self, args, named)
        return self._answer(*args, **named)

    def _answer(self, x=_NOTHING, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None, **options):
        if nan is not None or options:
            self = self._told(nan=nan, **options)
            if x is not _NOTHING and axis is None and not keepdims and dtype is out is where is None:
                return self(x)  # which may be quick
        if x is _NOTHING:
            return self._alone(axis=axis, keepdims=keepdims or None, dtype=dtype, out=out, where=where)
        return self._reduce(x, axis, keepdims, dtype, out, where, self.nan)

    def _alone(self, **given):
        """The operation, called without an array, and so without what goes with one."""
        for name, value in given.items():
            if value is not None:
                raise TypeError(f"{self.__name__}: {name}= goes with an array")
        return self

    def _reduce(self, x, axis, keepdims, dtype, out, where, nan):
        try:
            source = _arrays.as_source(x)
        except TypeError:
            if (dates := _dates.of_any(x)) is None:
                raise
            return self._reduce_dates(dates, where, nan, axis, keepdims, dtype, out)
        mask = _device_where.mask_for(where, source)
        how = self.make_how(nan)
        if axis is None and not keepdims and out is None:
            source = _device_where.marked(source, mask)
            order = {"plain": self.plain, "raises": nan == "raise"}
            if dtype is not None:
                code = self.told_code(source, how, dtype)
                return _whole.rounded(source, self.kind, how, code, **order)
            [answer] = _whole.answers(source, [self.kind], how, **order)
            return _whole.scalar(self.kind, answer)
        axes = _rows.axes_of(axis, len(source.shape))
        is_far = _device_rows.is_on_device(source)
        named = None
        if out is not None and dtype is None and self.kind.answer == "value":
            code = _device_rows.code_of_out(out) if is_far else _rows.code_of_out(_rows.outs_of(out, 1)[0])
            dtype, named = _dtypes.NAMES[code], getattr(out, "dtype", None)
        code = (self.value_code if out is None else self.told_code)(source, how, dtype, named)
        if is_far:
            return _device_where.reduce(x, source, mask, self.kind, how, axes, code, keepdims, out)
        arrays = _rows.reduce(source, mask, self.kind, how, axes, code, keepdims)
        if out is not None:
            return _rows.into(out, arrays)
        arrays = [source.like(array) for array in arrays]
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _reduce_dates(self, dates, *options):
        plainly = _made(type(self), self.kind, self.plain, "propagate", self.correction, self.k)
        return _dates.reduce(plainly, dates, *options)


class Spread(Operation):
    """A variance or a standard deviation, which divides by the number of items less `correction`."""

    options = ("correction",)
    parameters = (*Operation.parameters, "correction")


class Ranking(Operation):
    """The k best items and their places."""

    options = ("k",)
    parameters = ("x", "k", "axis", "keepdims", "dtype", "out", "where", "nan")
    returns = ("TopK\n    `values` and their `indices`, best first; along an axis in its place. The last of "
               "several axes has them; with\n    `keepdims` that is the last reduced one.")

    def _answer(self, x=_NOTHING, k=None, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None):
        if isinstance(x, int) and not isinstance(x, bool) and axis is None:
            raise TypeError("the first argument is an array; name k: top_k(k=3)")
        is_told = nan is k is None
        self = self if is_told else self._told(nan=nan, k=k)
        if x is _NOTHING:
            return self._alone(axis=axis, keepdims=keepdims or None, dtype=dtype, out=out, where=where)
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
        return self.rows(x, source, mask, how, _rows.axes_of(axis, len(source.shape)), keepdims, dtype, out)

    def _reduce(self, x, axis, keepdims, dtype, out, where, nan):
        return self._answer(x, None, axis, keepdims=keepdims, dtype=dtype, out=out, where=where, nan=nan)

    def rows(self, x, source, mask, how, axes, keepdims=False, dtype=None, out=None):
        """The best along axes."""
        code = (_rows.value_code if out is None else _rows.ruled_code)(self.kind, source, how, dtype)
        if (is_far := _device_rows.is_on_device(source)) and out is not None:
            raise TypeError(f"{self.kind.name}: out= is for arrays on the host")
        if is_far:
            found = _device_where.reduce(x, source, mask, self.kind, how, axes, code)
        else:
            found = _rows.reduce(source, mask, self.kind, how, axes, code)
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


class Norm(Operation):
    """A norm of all items: the Euclidean one, or by `ord`."""

    parameters = (*Operation.parameters, "ord")

    def _answer(self, x=_NOTHING, axis=None, *, ord=2, **options):
        names = {2: "norm", 1: "norm1", math.inf: "norminf"}
        if ord not in names:
            raise ValueError(f"ord: {ord!r} is none of 1, 2 and inf")
        if ord != 2:
            other = _made(Operation, KINDS[names[ord]], self.plain, self.nan, 0, self.k)
            if type(ord) is int:
                self._set_other("ord", ord, other)
            self = other
        return Operation._answer(self, x, axis, **options)


class Dot(Operation):
    """The inner product of two arrays of one shape and type, whole or along axes."""

    parameters = ("x", "y", "axis", "keepdims", "dtype", "out", "where", "nan")
    returns = "number or array\n    Exact, rounded once; along axes, and with `keepdims`, an array of the library of `x`."

    def _answer(self, x=_NOTHING, y=_NOTHING, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None):
        nan = self.nan if nan is None else nan
        if x is _NOTHING:
            return self.with_options(nan)._alone(y=None if y is _NOTHING else y, axis=axis, keepdims=keepdims or None,
                                                 dtype=dtype, out=out, where=where)
        if y is _NOTHING:
            raise TypeError("dot takes two arrays")
        left, right = _arrays.as_source(x), _arrays.as_source(y)
        left, right = pair_of(left, right)
        if axis is not None or keepdims or not (dtype is out is None):
            return _rows.dot(self.kind, left, right, axis, keepdims, dtype, out, where, self.make_how(nan))
        mask = _arrays.as_mask(where, left.shape)
        if mask is not None:
            _arrays.check_masked(left.items)
        left, right = _arrays.side_by_side(left), _arrays.side_by_side(right)
        state = _core.state(left.code, [self.kind.code], 0, self.make_how(nan))
        state.push_pairs(left.items, right.items, mask)
        pieces = [(left.items, mask)]  # a NaN's place counts the items that are not there
        return _whole.scalar(self.kind, _whole.answer_of(state, 0, self.kind, 1, pieces))


@functools.lru_cache(256)
def _made(cls, kind, plain, nan, correction, k):
    return cls(kind, plain=plain, nan=nan, correction=correction, k=k)


@functools.cache
def names_of(cls):
    """The parameters that may be named beside an array."""
    return frozenset(cls.parameters) - {"x"}


def check_call(self, args, named):
    """Refuses arguments that `self` has no parameter for, by the name that its users know."""
    name, places = self.__name__, [one for one in self.parameters if one in _POSITIONAL]
    if unknown := named.keys() - set(self.parameters):
        raise TypeError(f"{name}() takes no {', '.join(sorted(unknown))}")
    if len(args) > len(places):
        raise TypeError(f"{name}() takes {', '.join(places)} by place, not {len(args)} arguments; name others")
    if twice := named.keys() & set(places[:len(args)]):
        raise TypeError(f"{name}() got {', '.join(sorted(twice))} twice")


@functools.cache
def doc_of(cls, kind):
    """The docstring of one operation."""
    parameters = "\n".join(f"{name} : {_PARAMETER_DOCS[name]}" for name in cls.parameters)
    return _DOC.format(about=kind.about, parameters=parameters, returns=cls.returns)


@functools.cache
def signature_of(cls):
    """The signature that help() shows, of the operation itself."""
    from inspect import Parameter, Signature  # noqa: PLC0415: who asks has it

    def parameter(name):
        kind = Parameter.POSITIONAL_OR_KEYWORD if name in _POSITIONAL else Parameter.KEYWORD_ONLY
        return Parameter(name, kind, default=_NOTHING if name in ("x", "y") else False if name == "keepdims" else None)

    return Signature(map(parameter, cls.parameters))


def pair_of(left, right):
    """Two sources as dot takes them: each one array, of one shape and type."""
    if left.shape != right.shape or left.code != right.code:
        raise ValueError(f"dot takes two arrays of one shape and type, not {left.shape} of "
                         f"{_dtypes.NAMES[left.code]} and {right.shape} of {_dtypes.NAMES[right.code]}")
    return _arrays.full(left, "inner products"), _arrays.full(right, "inner products")


_CLASSES = {"var": Spread, "std": Spread, "top_k": Ranking, "bottom_k": Ranking, "norm": Norm, "dot": Dot}


def of_kind(kind, plain, nan, **options):
    """The operation of a kind; options that are not its own are left out."""
    cls = _CLASSES.get(kind.name, Operation)
    own = {name: value for name, value in options.items() if name in cls.options}
    return cls(kind, plain=plain, nan=nan, **own)


@functools.cache  # of equal operations one is told what makes calls quick
def make(name, plain=False):
    return _CLASSES.get(name, Operation)(KINDS[name], plain=plain)


def _again(cls, name, options):
    return cls(KINDS[name], **options)
