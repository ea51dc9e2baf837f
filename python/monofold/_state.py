"""States: reductions that take their items in pieces, as values."""

from . import _arrays, _core, _dtypes, _folds, _gpus, _operations, _passes, _results, _whole
from ._kinds import KINDS

_BY_CODE = {kind.code: kind for kind in KINDS.values()}
_STATS = _folds.StatsFold()
# Operations whose exact states are numbers and counts that are added.
_TAKES_OUT = frozenset(
    "count count_nan sum mean var std norm1 norm mean_square dot any all count_nonzero bit_xor".split())


class State(_core.running):
    """A reduction that has seen some items. Its bytes are those of a file of the tool.

    Parameters
    ----------
    fold : operation or fold
        Its operations agree in the options that matter to them.
    dtype : str or dtype
        The type of the items.
    first_index : int
        The place of the first item: not 0 for a shard of an array that is merged later.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make the answer NaN, are left out, or raise `NanFound`; None: as the fold says.

    Examples
    --------
    >>> state = monofold.State(monofold.sum, "float64")
    >>> state.push([0.1, 0.2]).push([0.3]).finish()
    0.6
    """

    __slots__ = ("__weakref__",)

    def __init__(self, fold, dtype, first_index=0, *, nan=None):
        fold = _folds.as_fold(fold).with_nan(nan)
        fold.check_is_one_pass("a state")
        code = _dtypes.code_of(dtype)
        first_index = _operations.whole("first_index", first_index)
        self._hold(fold, code, _core.state(code, fold.codes, first_index, fold.make_how()))

    @classmethod
    def load(cls, data):
        """The state that was saved as `data` by ``bytes(state)``, the tool or another process.

        A fold of one operation comes back as that operation, whose answer has no tuple around it.

        Parameters
        ----------
        data : bytes

        Returns
        -------
        State

        Raises
        ------
        MalformedState
            The bytes are no saved state, a damaged one, or one of a newer version.
        """
        try:
            data = bytes(memoryview(data))
        except TypeError:
            raise TypeError(f"a saved state is bytes, not {type(data).__name__}") from None
        self = cls.__new__(cls)
        core, (code, codes, (nan, plain, correction, k)) = _core.state.load(data)
        names = {number: name for name, number in _operations.NAN_POLICIES.items()}
        options = {"plain": plain, "nan": names[nan], "correction": correction, "k": k}
        self._hold(_fold_of([_BY_CODE[code] for code in codes], options), code, core)
        return self

    @property
    def dtype(self):
        """The name of the type of items."""
        return _dtypes.NAMES[self._code]

    @property
    def fold(self):
        """What is computed."""
        fold = self._fold
        return fold.operations[0] if isinstance(fold, _folds.Single) else fold

    @property
    def count(self):
        """How many items there were, NaN included."""
        return self._core.count()

    def push(self, x, other=None):
        """Appends the items of an array of the state's type, in row-major order.

        Parameters
        ----------
        x : array
        other : array, optional
            The right side of dot.

        Returns
        -------
        State
            This one.
        """
        source = _arrays.as_source_of(x, self._code)
        if self._fold.kinds[0].name == "dot":
            if other is None:
                raise TypeError("a state of dot takes two arrays")
            right = _arrays.as_source_of(other, self._code)
            source, right = _operations.pair_of(source, right)
            source, right = _arrays.side_by_side(source), _arrays.side_by_side(right)
            self._core.push_pairs(source.items, right.items, None)
            return self
        if other is not None:
            raise TypeError("only a state of dot takes two arrays")
        self._core.push(_arrays.side_by_side(source).pieces)
        return self

    def merge(self, other):
        """Appends everything that another state has seen, which begins where this one ends.

        Parameters
        ----------
        other : State
            A state of the same fold and type; it stays as it is.

        Returns
        -------
        State
            This one.
        """
        next_core = self._checked(other)
        try:
            self._core.merge(next_core)
        except ValueError:
            end, begin = self._core.first_index + self.count, next_core.first_index
            if begin == end:
                raise
            raise ValueError(f"a state that ends before item {end} does not take one that begins at item {begin}; "
                             "append() does") from None
        return self

    def append(self, other):
        """The same, wherever the other one began: its places are counted on.

        Parameters
        ----------
        other : State

        Returns
        -------
        State
            This one.
        """
        self._core.append(self._checked(other))
        return self

    def subtract(self, other):
        """Takes out what another state has seen, all of which this one has seen too, wherever.

        Exact: answers are those of a state that never saw those items, infinities and NaN included. So are the bytes,
        but for the place of the first NaN, which states of `count_nan` and under ``nan="omit"`` or ``"raise"`` have: it
        stays, or is no longer known.

        Parameters
        ----------
        other : State

        Returns
        -------
        State
            This one.

        Raises
        ------
        TypeError
            For a fold whose states are no sums or counts: extrema, `top_k`, products, `monofold.plain`.
        ValueError
            The items cannot have been here, as far as counts tell; or, with ``nan="raise"``, the first NaN is taken
            out and others are left.

        Examples
        --------
        >>> week = monofold.State(monofold.mean, "float64").push([1e16, 1.0, 3.0])
        >>> week.subtract(monofold.State(monofold.mean, "float64").push([1e16])).finish()
        2.0
        """
        part = self._checked(other)
        try:
            self._core.subtract(part)
        except TypeError:
            for one in self._fold.operations:
                if one.plain and _dtypes.is_floating(self._code) or one.kind.name not in _TAKES_OUT:
                    raise TypeError(f"{one!r} of {self.dtype} cannot subtract: "
                                    "its states are no sums or counts") from None
            raise
        except ValueError:
            raise ValueError("the other state has items that this one has not seen, "
                             "or the first NaN of several that nan='raise' names") from None
        return self

    def _checked(self, other):
        if not isinstance(other, State):
            raise TypeError(f"a state takes states, not {type(other).__name__}")
        fold = other._fold
        if other._code != self._code or fold is not self._fold and not fold.is_same_pass(self._fold):
            raise ValueError(f"a state of {self._what()} does not take one of {other._what()}")
        return other._core

    def finish(self):
        """The answer about the items so far; more may follow.

        Returns
        -------
        number, TopK, Stats, or a tuple of them
            A tuple for several operations.
        """
        kinds, core = self._fold.kinds, self._core
        if len(kinds) == 1 and kinds[0].answer != "ranked" and isinstance(self._fold, _folds.Single):
            return _whole.scalar(kinds[0], core.answer(0))
        if all(kind.answer != "ranked" for kind in kinds):
            answers = core.answers(len(kinds))
        else:
            core = core.copy() if len(kinds) > 1 else core  # all of one moment, while other threads push
            answers = [_whole.answer_of(core, position, kind, self._fold.k) for position, kind in enumerate(kinds)]
        return self._fold.finish(answers, self._code)

    def digest(self):
        """A receipt for the items seen: the SHA-256 of ``bytes(state)``, which two parties compare.

        States of the same fold, type and first index that have seen the same items have the same one, whatever
        the pieces, threads, machines and order of merging; and a state that was saved keeps it.

        Returns
        -------
        bytes
            32 of them.

        Raises
        ------
        TypeError
            For a fold whose bytes depend on the pieces: of `monofold.plain`, exponentials, and `prod` of floats.
        """
        try:
            if not self._fold.plain:
                return self._core.digest()
        except TypeError:
            pass
        one = next(one for one in self._fold.operations if one.plain or one.kind.name in
                   ("prod", "logsumexp", "softmax_denominator"))
        raise TypeError(f"{one!r} of {self.dtype} has no digest: its bytes depend on the pieces")

    def copy(self):
        """Another state that goes on where this one is.

        Returns
        -------
        State
        """
        other = type(self).__new__(type(self))
        other._hold(self._fold, self._code, self._core.copy())
        return other

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __bytes__(self):
        return self._core.save()

    def __reduce__(self):
        return _again, (type(self), bytes(self), self._fold)

    def __eq__(self, other):
        return bytes(self) == bytes(other) if isinstance(other, State) else NotImplemented

    __hash__ = None

    def _what(self):
        return f"{self._fold!r} of {self.dtype}"

    def _repr_html_(self):
        return _results.table([("state", repr(self._fold)), ("type", self.dtype), ("items", self.count)])

    def __repr__(self):
        return f"<monofold.State: {self._what()}, {self.count} items>"


def _quicken(name):
    """Has calls of a method that are short answered without it: by `python/src/quick_state`."""
    own = vars(State)[name]
    names, defaults = own.__code__.co_varnames[:own.__code__.co_argcount], own.__defaults__ or ()
    needed = len(names) - len(defaults)
    given = [f"{one}={value!r}" for one, value in zip(names[needed:], defaults)]
    signature = ", ".join(["$" + names[0], *names[1:needed], *given])
    document = f"{name}({signature})\n--\n\n{own.__doc__ or ''}"
    setattr(State, name, _core.quicken(State, name, document, _gpus.on_its_gpu(own)))


for _name in ("push", "merge", "append", "subtract", "finish", "digest", "copy", "__bytes__", "__eq__"):
    _quicken(_name)


def _again(cls, data, fold):
    state = cls.load(data)
    state._fold = fold  # bytes do not tell a fold of one operation from the operation
    return state


def _fold_of(kinds, options):
    if [kind.code for kind in kinds] == [kind.code for kind in _STATS.kinds] and not options["plain"]:
        return _folds.StatsFold(options["correction"], options["nan"])
    operations = [_operations.of_kind(kind, **options) for kind in kinds]
    if options["plain"] and any(map(_passes.adds, operations)):  # others are what they are without
        plain, others = options, options | {"plain": False}
        operations = [_operations.of_kind(kind, **(plain if kind.name in _passes.PLAIN else others)) for kind in kinds]
    return _folds.as_fold(operations[0]) if len(operations) == 1 else _folds.Fold(operations)
