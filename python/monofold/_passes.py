"""Passes: which operations of a fold one read of the items answers, by the options that matter to each."""

from itertools import zip_longest

# Which add floats, and so exactly or plainly; to others it is all the same.
_ADDING = frozenset("sum mean mean_square var std norm1 norm dot".split())
PLAIN = _ADDING | {"prod"}  # which `monofold.plain` has


def adds(operation):
    return operation.kind.name in _ADDING


def passes_of(operations):
    """The places of the operations of each pass, as few as their options need, each in rising order.

    A pass has one rule for NaN, one way to add, one correction and one k. Operations that an option does not matter to
    join a pass that is there.
    """
    passes = []
    for nan in dict.fromkeys(one.nan for one in operations):
        alike = [place for place, one in enumerate(operations) if one.nan == nan]
        passes += _of_one_rule(operations, alike)
    return [sorted(places) for places in passes]


def _of_one_rule(operations, alike):
    def spread(place):
        return "correction" in operations[place].options

    adding = [place for place in alike if adds(operations[place])]
    sums = {}  # by the way to add and the correction
    for place in sorted(adding, key=lambda place: not spread(place)):
        own = operations[place]
        way = next((way for way in sums if way[0] == own.plain), (own.plain, None))
        sums.setdefault((own.plain, own.correction) if spread(place) else way, []).append(place)
    ranks = {}
    for place in alike:
        if "k" in operations[place].options:
            ranks.setdefault(operations[place].k, []).append(place)
    # Sums and ranks ask for nothing of each other: the first of both share a pass, and so on.
    passes = [one + other for one, other in zip_longest(sums.values(), ranks.values(), fillvalue=[])] or [[]]
    taken = {place for one in passes for place in one}
    passes[0] += [place for place in alike if place not in taken]
    return passes


_MATTERS = {"nan": lambda one: True, "plain": adds, "correction": lambda one: "correction" in one.options,
            "k": lambda one: "k" in one.options}


def options_of(operations):
    """The options of operations that share a pass."""
    options = {name: next((getattr(one, name) for one in operations if matters(one)), None)
               for name, matters in _MATTERS.items()}
    if options["plain"] is None:  # then it changes no answer, but stands in saved states
        options["plain"] = any(one.plain for one in operations)
    return options


def differing(operations):
    """The names of the options by which operations need several passes."""
    return [name for name, matters in _MATTERS.items()
            if len({getattr(one, name) for one in operations if matters(one)}) > 1]
