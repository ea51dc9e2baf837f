"""The answers of a saved run, as docs/format.md says: answers_of(run), where run comes from state_reader.read_state.

Each operation has a pair: its name and a dict of its fields (value; value, index; min, max; values, indices), or else
the reason why there is no answer: "few" items, a "large" integer, or the index of a NaN.
"""
import math
import operator
import struct
from ctypes import c_float
from fractions import Fraction
from functools import reduce

from state_reader import BEST, ENDS, need, wrapped

BIG, LN_2 = 2.0 ** 600, sum(Fraction(1, n << n) for n in range(1, 200))
# The state of no items, where it is not zeros.
NOTHING = {"plain_sum": [-0.0, 0], "plain_dot": [-0.0, 0], "product": [1], "logsumexp": [-math.inf, 0.0], "and": [-1],
           "nan": [0, -1], "spread_nan": [0, -1], "min": [], "max": [], "top": [], "bottom": []}
# How states of one number are combined, where they are not added.
JOINS = {"product": operator.mul, "norminf": max, "and": operator.and_, "or": operator.or_, "xor": operator.xor}


def rounded(x):
    """The fraction x as the nearest f64, ties to even."""
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return -math.inf if x < 0 else math.inf


def root(x):
    """The square root of a float or a fraction, rounded once: of fractions many of its bits, and one for all others."""
    need(not x < 0, "A state holds squares that no items have.")
    if isinstance(x, float):
        return math.sqrt(x)
    whole, rest = divmod(x.numerator << 2600, x.denominator)
    m = math.isqrt(whole)
    return rounded(Fraction(2 * m + (rest > 0 or m * m < whole), 2 << 1300))


def polynomial(coefficients, x, real=float):
    """From the highest power on, rounded at each step."""
    return reduce(lambda p, c: real(real(p * x) + c), coefficients)


def logarithm(x):
    """log(x) of a number from 1 on."""
    need(not x < 1, "A sum of exponentials is below that of its largest item.")
    f, k = math.frexp(x)
    f, k = (2 * f, k - 1) if f < 0.75 else (f, k)
    z = (f - 1.0) / (f + 1.0)
    q = z * z
    w = polynomial([1.0 / n for n in range(23, 1, -2)], q) * q
    return k * float(LN_2) + (2.0 * z + 2.0 * z * w)


def term(x, y=1.0):
    """The exact sum of the one term x y, and its counts."""
    xy, finite = x * y, math.isfinite(x) and math.isfinite(y)
    exact = Fraction(x) * Fraction(y) if finite else 0
    return [exact, 1, xy != xy, not finite and xy > 0, not finite and xy < 0,
            finite and exact == 0 and math.copysign(1, xy) < 0]


def square(x):
    """Large, middle and small, one of which has the square of x."""
    if abs(x) > 2.0 ** 480:
        return [(x / BIG) * (x / BIG), 0.0, 0.0]
    return [0.0, 0.0, (x * BIG) * (x * BIG)] if abs(x) < 2.0 ** -480 else [0.0, x * x, 0.0]


# The state of an item x, or of a pair x and y, at an index; y is 1 where items are no pairs.
LIFTS = {name: lift for names, lift in (
    ("sum dot", lambda x, y, index: term(x, y)),
    ("norm1", lambda x, y, index: term(abs(x))),
    ("norm2", lambda x, y, index: term(x, x)),
    ("moments", lambda x, y, index: term(x) + term(x, x)[:1]),
    ("nan spread_nan", lambda x, y, index: [1, index] if x * y != x * y else [0, -1]),
    ("min max top bottom", lambda x, y, index: [(x, index)]),
    ("logical", lambda x, y, index: [int(x != 0), 1]),
    ("norminf", lambda x, y, index: [*struct.unpack("<Q", struct.pack("<d", abs(x)))]),
    ("product", lambda x, y, index: [x]),
    ("logsumexp", lambda x, y, index: [x + 0.0, 1.0]),
    ("plain_sum plain_dot", lambda x, y, index: [x * y, 1]),
    ("plain_norm1", lambda x, y, index: [abs(x)]),
    ("plain_norm2", lambda x, y, index: square(x)),
    ("spread_sum", lambda x, y, index: [0.0])  # no answer reads it
) for name in names.split()}


def with_one_more(moments, x):
    (n, mean, m2), d = moments, x - moments[1]
    mean += d / (n + 1)
    return [n + 1, mean, m2 + d * (x - mean)]


def joined_moments(a, b):
    need(a[0] >= 0 and b[0] >= 0, "A count is negative.")
    if not a[0] or not b[0]:
        return a if a[0] else b
    n, d = a[0] + b[0], b[1] - a[1]
    r = b[0] / n
    return [n, a[1] + d * r, (a[2] + b[2]) + (d * d) * (a[0] * r)]


def rank(name, x, index):
    """The better item has the lower rank: NaN is the best of ends and the worst of best; -0 lies below 0."""
    sign = 1 if name in ("min", "bottom") else -1
    return (x != x) != (name in ENDS), 0 if x != x else sign * x, x == 0 and sign * math.copysign(1, x), index


class answered_run:
    def __init__(self, run):
        self.run, self.float, self.omit, self.ddof, self.k = run, run.float, run.omit, run.ddof, run.k
        self.real = float if run.bits == 64 else lambda x: c_float(x).value
        highest = 13 if run.bits == 64 else 7
        self.powers = [self.real(float(LN_2 ** k / math.factorial(k))) for k in range(highest, -1, -1)]
        self.total = {}
        for name in run.layouts:
            parts = [part[name] for part in run.parts] + ([self.of_held(name)] if run.held else [])
            self.total[name] = reduce(lambda right, left: self.joined(name, left, right), parts[::-1],
                                      self.nothing(name))

    def nothing(self, name):
        return NOTHING.get(name, [0] * len(self.run.layouts[name].split()))

    def joined(self, name, a, b):
        """The states a and b in one."""
        if name in (*ENDS, *BEST):
            return sorted(a + b, key=lambda entry: rank(name, *entry))[:self.k if name in BEST else 1]
        if name in ("nan", "spread_nan"):
            return [a[0] + b[0], min(a[1], b[1], key=lambda index: index % 2 ** 64)]
        if name == "plain_moments":
            return joined_moments(a, b)
        if name == "logsumexp":
            d = 0.0 if a[0] == b[0] else self.real(a[0] - b[0])
            (m, s), (_, less) = (a, b) if b[0] <= a[0] else (b, a)
            return [d if d != d else m, self.real(s + self.real(less * self.exponential(-abs(d))))]
        if name in JOINS:
            return [JOINS[name](a[0], b[0])]
        return [self.real(x + y) if name == "plain_sum" else x + y for x, y in zip(a, b)]

    def exponential(self, d):
        """exp(d) of a number that is not positive."""
        t = self.real(d * self.real(1 / float(LN_2)))
        if not t > (-1021.5 if self.run.bits == 64 else -125.5):
            return 0.0
        return polynomial(self.powers, self.real(t - round(t)), self.real) * 2.0 ** round(t)

    def of_held(self, name):
        """The state of the held items."""
        def add(state, item):
            x, y, _ = item
            if self.omit and x * y != x * y and name != "nan" and " i64" * 5 not in self.run.layouts[name]:
                return state
            return with_one_more(state, x) if name == "plain_moments" else join(state, LIFTS[name](*item))

        def join(a, b):
            return self.joined(name, a, b)
        if name == "plain_moments" and not self.omit:
            return self.moments([x for x, _, _ in self.run.held])
        most = 4 if name in ("plain_norm2", "plain_moments") else self.run.v
        return self.in_slots(self.run.held, min(most, self.run.v), self.nothing(name), add, join)

    def in_slots(self, items, lanes, nothing, add, join):
        """Adds items to 32 slots of each lane, in turn; then joins neighbours until one is left."""
        slots = [nothing] * (32 * lanes)
        for i, item in enumerate(items):
            slot = lanes * (i // self.run.v % 32) + i % self.run.v % lanes
            slots[slot] = add(slots[slot], item)
        while len(slots) > 1:
            slots = [join(*slots[i:i + 2]) for i in range(0, len(slots), 2)]
        return slots[0]

    def moments(self, items):
        """n, mean and m2 by sums of x - p and of its squares; again, where too much cancels, with p the mean."""
        n, p = len(items), 0.0
        for last in (False, True):
            s, q = self.in_slots([x - p for x in items], self.run.v, (0.0, 0.0), lambda a, d: (a[0] + d, a[1] + d * d),
                                 lambda a, b: (a[0] + b[0], a[1] + b[1]))
            m2 = q - s * (s / n)
            if last or m2 >= q / 128 and math.isfinite(q):
                return [n, p + s / n, q if math.isinf(q) else max(m2, 0.0)]
            p = s / n

    def answer(self, op, names):
        """The fields of an answer, its one value, or as a string why there is none."""
        nans, first_nan = self.total.get("nan") or self.total.get("spread_nan") or (0, -1)
        n = self.run.count - nans * self.omit
        if op in ("count", "nan"):
            return n if op == "count" else nans
        if self.run.raises and first_nan >= 0:
            return str(first_nan)
        if names[0] in (*ENDS, *BEST):
            return self.items(op, names)
        if n <= {"mean": 0, "mean_square": 0, "var": self.ddof, "std": self.ddof}.get(op, -math.inf):
            return "few"
        name = next(name for name in ("plain_" + names[0], names[0], "moments") if name in self.total)
        state = self.total[name]
        x = state[0]
        if name.startswith("plain_"):
            return self.plain(op, state, n)
        return {
            "logical": lambda: {"any": x != 0, "all": x == state[1], "nonzero": x}[op],
            "logsumexp": lambda: self.exponentials(op, *state),
            "product": lambda: x if self.float else wrapped(x, 64, self.run.signed),
            "norminf": lambda: struct.unpack("<d", struct.pack("<Q", x))[0] if self.float else x,
            **dict.fromkeys(("and", "or", "xor"), lambda: self.run.number(wrapped(x, self.run.bits, self.run.signed)))
        }.get(name, lambda: self.exact(op, state, n))()

    def exponentials(self, op, largest, total):
        if op == "softmax_denominator":
            return {"max": largest, "sum": total}
        return largest + logarithm(total) if math.isfinite(largest) else largest

    def items(self, op, names):
        found = [self.total[name] for name in names]
        if min(map(len, found)) < (self.k if op in BEST else 1):
            return "few"
        values, indices = map(list, zip(*sum(found, [])))
        if op == "minmax":
            return {"min": values[0], "max": values[1]}
        if op in BEST:
            return {"values": values, "indices": indices}
        return {"value": values[0], "index": indices[0]} if op.startswith("arg") else values[0]

    def plain(self, op, state, n):
        """The answer of states that are not exact: in f64, rounded at each step."""
        if op in ("sum", "dot", "norm1", "mean"):
            x = state[0] if n else 0.0
            return x / n if op == "mean" else x
        if op in ("var", "std"):
            need(state[0] == n and not state[2] < 0, "These moments have other items, or none at all.")
            return state[2] / (n - self.ddof) if op == "var" else root(state[2] / (n - self.ddof))
        need(not min(state) < 0, "A sum of squares is negative.")
        large, middle, small = state
        a, b, scale = (large, middle, BIG) if large else (middle, small, 1.0) if middle else (small, 0.0, 1 / BIG)
        squares = a + b / BIG / BIG
        return root(squares) * scale if op == "norm2" else squares / n * scale * scale

    def exact(self, op, state, n):
        """The answer of exact sums, rounded once; NaN, infinities and -0 of floats come first."""
        spread = op in ("var", "std")
        if self.float:
            total, _, nan, positive, negative, minus_zeros = state[:6]
            if nan and not self.omit or positive and negative or (positive or negative) and spread:
                return math.nan
            if positive or negative:
                return math.inf if positive else -math.inf
            if total == 0 and 0 < n == minus_zeros and not spread:
                return -0.0
        else:
            total = state[1 if len(state) == 3 else 0]
            if op in ("sum", "norm1", "dot"):
                return total if total == wrapped(total, 64, self.run.signed and op != "norm1") else "large"
        if spread:
            x = (n * state[-1] - total * total) / Fraction(n * (n - self.ddof))
            return rounded(x) if op == "var" else root(x)
        return root(total) if op == "norm2" else rounded(Fraction(total) / n if op.startswith("mean") else total)


def answers_of(run):
    answered = answered_run(run)
    answers = []
    for op, names in run.ops:
        x = answered.answer(op, names)
        answers.append((op, {"none": x} if isinstance(x, str) else x if isinstance(x, dict) else {"value": x}))
    return answers
