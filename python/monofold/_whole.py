"""Answers for whole arrays, from one pass over all pieces."""

from . import _arrays, _core
from ._errors import raise_status
from ._results import TopK

FETCHED_BYTES = 2 << 20  # from here on threads for the call are worth their making
QUICK_BYTES = 256 << 20  # longer calls look at signals between pieces


def place_in_pieces(pieces, index):
    """Where the item lies that `index` present ones stand before, when absent ones are counted too."""
    before = 0
    for items, mask in pieces:
        if mask is None:
            present, place = items.count, index
        else:
            present, place = _core.count_marked(mask), -1
        if index < present:
            return before + (place if mask is None else _core.place_of_marked(mask, index))
        index -= present
        before += items.count
    return index


def _packed(source, kinds, how, in_order):
    """The only piece, where it is packed and one call does; else None."""
    (items, mask), *others = source.pieces
    if others or mask is not None:
        return None
    if any(kind.answer == "ranked" for kind in kinds) and (len(kinds) > 1 or how.k > items.count):
        return None
    if not in_order and not items.is_packed:
        items = items.in_memory_order()
    if not items.is_packed or (items.place == 0 and items.num_bytes > QUICK_BYTES):
        return None
    return items


def answers(source, kinds, how, *, plain=False, raises=False):
    """One answer for each operation: (status, value, second, index, first_nan), as the state gives them.

    Parameters
    ----------
    plain, raises : bool
        Whether floats are added in the order of items; whether the place of a NaN matters.
    """
    in_order = plain or raises or not all(kind.any_order for kind in kinds)
    codes = [kind.code for kind in kinds]
    found = _answers(source, kinds, codes, how, in_order)
    return found if source.place_of is None else [_with_places(answer, source.place_of) for answer in found]


def _answers(source, kinds, codes, how, in_order):
    source = _arrays.side_by_side(source, in_order)
    packed = _packed(source, kinds, how, in_order)
    if packed is not None and kinds[0].answer == "ranked":
        return [_core.packed_ranked(packed, codes[0], how)]
    if packed is not None:
        return _core.packed(packed, codes, how)
    [(items, mask), *others] = source.pieces
    if not others and mask is None and items.place == 0 and items.num_bytes > FETCHED_BYTES and not items.is_packed:
        return _core.fetched(items if in_order else items.in_memory_order(), codes, how)
    state = state_of(source, codes, how, in_order)
    return [answer_of(state, position, kind, how.k, source.pieces) for position, kind in enumerate(kinds)]


def _with_places(answer, place_of):
    """An answer about items that were brought together, by where they lay."""
    status, value, second, index, first_nan = answer
    if isinstance(second, list):  # of ranks
        second = [place_of(place) for place in second]
    return status, value, second, *(place_of(place) if place >= 0 else -1 for place in (index, first_nan))


def state_of(source, codes, how, in_order):
    """A state that has seen all pieces."""
    state = _core.state(source.code, codes, 0, how)
    for items, mask in source.pieces:
        state.fill(items if in_order or mask is not None else items.in_memory_order(), mask)
    return state


def rounded(source, kind, how, code, *, plain=False, raises=False):
    """The answer of one operation, rounded once to a type; a pair of them for pairs."""
    in_order = plain or raises or not kind.any_order
    place_of = source.place_of
    source = _arrays.side_by_side(source, in_order)
    return rounded_of(state_of(source, [kind.code], how, in_order), kind, code, source.pieces, place_of=place_of)


def rounded_of(state, kind, code, pieces=(), position=0, place_of=None):
    """The same of a state, for its operation at a position."""
    value, second = _arrays.make((), code), _arrays.make((), code)
    status = state.answer_into(position, code, value[1], second[1] if kind.answer == "pair" else 0)
    if status:
        first_nan = answer_of(state, position, kind, 1, pieces)[-1]
        raise_status(status, kind.name, place_of(first_nan) if place_of and first_nan >= 0 else first_nan)
    return (value[0].item(), second[0].item()) if kind.answer == "pair" else value[0].item()


def answer_of(state, position, kind, k, pieces=()):
    """The answer of a state, its places counted in pieces with absent items."""
    masked = any(mask is not None for _, mask in pieces)
    if kind.answer == "ranked":
        status, values, places, first_nan = state.ranked(position, k)
        if masked:
            places = [place_in_pieces(pieces, place) for place in places]
            first_nan = place_in_pieces(pieces, first_nan) if first_nan >= 0 else -1
        return status, values, places, -1, first_nan
    status, value, second, index, first_nan = state.answer(position)
    if masked:
        index = place_in_pieces(pieces, index) if index >= 0 else -1
        first_nan = place_in_pieces(pieces, first_nan) if first_nan >= 0 else -1
    return status, value, second, index, first_nan


def scalar(kind, answer):
    """What a call without an axis gives: a number, an index, or a pair."""
    status, value, second, index, first_nan = answer
    if status:
        raise_status(status, kind.name, first_nan)
    if kind.answer == "index":
        return index
    return (value, second) if kind.answer == "pair" else value


def in_library(found, like):
    """The same answers, the best items in arrays that like(array) makes."""
    if isinstance(found, TopK):
        return TopK(*map(like, found))
    return tuple(in_library(one, like) for one in found) if type(found) is tuple else found


def ranked(kind, answer):
    """(values, places) of the best items."""
    status, values, places, _, first_nan = answer
    if status:
        raise_status(status, kind.name, first_nan)
    return values, places
