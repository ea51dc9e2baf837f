"""The arithmetic of saved states: combine them, make them of items, and answer from them."""
import math
import struct
from fractions import Fraction
from functools import reduce

SCALE = 2.0 ** 600


def need(condition, sentence):
    if not condition:
        raise ValueError(sentence)


def rounded(x):
    """The fraction x as the nearest f64, ties to even."""
    m = abs(x)
    unit = m.numerator.bit_length() - m.denominator.bit_length() - 53
    unit = max(unit + (m >= Fraction(2) ** (unit + 53)), -1074)
    units = round(m / Fraction(2) ** unit)
    m = math.inf if units.bit_length() + unit > 1024 else math.ldexp(units, unit)
    return -m if x < 0 else m


def root(x):
    """The square root of a fraction, rounded once: many of its bits, and one for all others."""
    need(x >= 0, "A state holds squares that no items have.")
    whole, rest = divmod(x.numerator << 2600, x.denominator)
    m = math.isqrt(whole)
    return rounded(Fraction(2 * m + (rest > 0 or m * m < whole), 2 << 1300))


class arithmetic:
    """What state_reader.saved_run computes, from what it has read."""
    def term(self, x, y, e):
        """The exact sum of the one term x y: limbs and counts."""
        finite, xy = math.isfinite(x) and math.isfinite(y), x * y
        exact = Fraction(x) * Fraction(y) / Fraction(2) ** e if finite else 0
        minus_zero = finite and exact == 0 and math.copysign(1, xy) < 0
        return [int(exact), 1, xy != xy, not finite and xy > 0, not finite and xy < 0, minus_zero]

    def of_item(self, name, item):
        """The state of one item; x is the item and y is 1, or they are a pair."""
        x, y, bits, index = item[0], item[1], *item[-2:]
        nan, gone, double = x * y != x * y, self.omit and x * y != x * y, self.bits == 64
        large, small = double and abs(x) > 2.0 ** 480, double and abs(x) < 2.0 ** -480
        scaled = x / SCALE if large else x * SCALE if small else x
        return {
            "min": lambda: [] if gone else [[self.from_bits_to_key(bits, name), index]],
            "nan": lambda: [1, index] if nan else [0, -1],
            "logical": lambda: [int(x != 0 and not gone), int(not gone)],
            "sum": lambda: self.term(x, 1.0, self.e1),
            "norm1": lambda: self.term(abs(x), 1.0, self.e1),
            "norm2": lambda: self.term(x, x, self.e2),
            "moments": lambda: self.term(x, 1.0, self.e1) + self.term(x, x, self.e2)[:1],
            "norminf": lambda: [0 if gone else int.from_bytes(struct.pack("<d", abs(x)), "little")],
            "plain_sum": lambda: [-0.0, 0] if gone else [x * y, 1],
            "product": lambda: [1.0 if gone else x],
            "plain_norm1": lambda: [0.0 if gone else abs(x)],
            "plain_norm2": lambda: [0.0 if kind != (large, small) or gone else scaled * scaled
                                    for kind in ((True, False), (False, False), (False, True))],
            "plain_moments": lambda: [0, 0.0, 0.0] if gone else [1, x, x - x],
            "unread": lambda: [0.0],
        }[{"max": "min", "top": "min", "bottom": "min", "pair_nan": "nan",
           "plain_dot": "plain_sum"}.get(name, name)]()

    def in_slots(self, lanes, items, begin, add, join):
        """Items go to slots, then neighbours are joined until one is left."""
        slots = []
        for i, item in enumerate(items):
            at = lanes * (i // self.v % 32) + i % self.v % lanes
            slots[at:at + 1] = [add(slots[at], item) if at < len(slots) else begin(item)]
        while len(slots) > 1:
            slots = [reduce(join, slots[i:i + 2]) for i in range(0, len(slots), 2)]
        return slots[0]

    def pushed(self, name, slot, item):
        """A slot and one more item."""
        if name != "plain_moments" or item[0] != item[0]:
            return self.combined(name, slot, self.of_item(name, item))
        n, mean, d = slot[0] + 1, slot[1], item[0] - slot[1]
        return [n, mean + d / n, slot[2] + d * (item[0] - (mean + d / n))]

    def of_items(self, name, items):
        """The state of the held items."""
        if name != "plain_moments" or self.omit:
            lanes = min(self.v, 4) if name in ("plain_norm2", "plain_moments") else self.v
            return self.in_slots(lanes, items, lambda item: self.of_item(name, item),
                                 lambda slot, item: self.pushed(name, slot, item),
                                 lambda a, b: self.combined(name, a, b))
        n, p, again = len(items), 0.0, True
        while True:
            s, q = self.in_slots(self.v, [x - p for x, *_ in items], lambda d: (d, d * d),
                                 lambda a, d: (a[0] + d, a[1] + d * d),
                                 lambda a, b: (a[0] + b[0], a[1] + b[1]))
            m2 = q - s * (s / n)
            if m2 >= q / 128 and math.isfinite(q) or not again:
                return [n, p + s / n, q if math.isinf(q) else 0.0 if m2 < 0 else m2]
            p, again = s / n, False

    def too_few(self, op):
        """Why an operation has no answer from the items that there are."""
        omitted = self.omit and self.float and self.count
        items = (f"of {self.count} items too few are not NaN" if omitted else
                 f"{self.count} item" + "s" * (self.count != 1))
        if op in ("top", "bottom"):
            return f"{items}, -k asks for {self.k}"
        if op in ("var", "std") and self.count:
            return f"{items}, --ddof is {self.ddof}"
        return "every item is NaN" if omitted else "no items"

    def answer(self, op, state):
        """The fields of an answer, its one value, or why there is none."""
        total = self.total
        nans, first_nan = total.get("nan") or total.get("pair_nan") or [0, -1]
        n = self.count - nans * self.omit
        if op in ("count", "nan"):
            return n if op == "count" else nans
        if self.raises and first_nan >= 0:
            return f"item {first_nan} is NaN"
        if op in ("top", "bottom"):
            state = total.get(op, [])
            return self.too_few(op) if len(state) < self.k else {
                "values": [self.item(op, key) for key, _ in state],
                "indices": [index for _, index in state]}
        if not self.count:
            if op in ("nonzero", "sum", "norm1", "norm2", "norminf", "dot"):
                return 0
            ones = -1 if self.least else (1 << self.bits) - 1
            return {"and": self.number(ones), "or": self.number(0), "xor": self.number(0),
                    "prod": 1, "any": False, "all": True}.get(op, self.too_few(op))
        if op in ("min", "max", "minmax", "argmin", "argmax"):
            ends = [total[name] for name in ("min", "max") if name in op]
            if [] in ends:
                return self.too_few(op)
            items = {name: self.item(name, total[name][0][0])
                     for name in ("min", "max") if name in op}
            return (items if op == "minmax" else items[op[-3:]] if op[:3] != "arg" else
                    {"value": items[op[-3:]], "index": ends[0][0][1]})
        plain = "plain_" + state in total
        if op in ("mean", "var", "std"):
            n = total["plain_moments"][0] if plain and op != "mean" else n
            if n <= (0 if op == "mean" else self.ddof):
                return self.too_few(op)
        if state == "logical":
            x, m = total[state]
            return {"any": x != 0, "all": x == m, "nonzero": x}[op]
        if plain:
            return self.plain_answer(op, total["plain_" + state], n)
        number = total[state if state in total else "moments"]
        if op in ("and", "or", "xor"):
            return self.number(number[0])
        if self.float and op in ("prod", "norminf"):
            return number[0] if op == "prod" else struct.unpack("<d", struct.pack("<Q", *number))[0]
        return (self.float_answer if self.float else self.integer_answer)(op, number, n)

    def plain_answer(self, op, state, n):
        """Of states that are not exact: in f64, rounded at each step."""
        if op == "norm1":
            return state[0]
        if op in ("sum", "mean", "dot"):
            x = 0.0 if self.omit and not state[1] else state[0]
            return x / n if op == "mean" else x
        need(not min(state if op == "norm2" else state[2:]) < 0, "A sum of squares is negative.")
        if op in ("var", "std"):
            x = state[2] / (n - self.ddof)
            return x if op == "var" else math.sqrt(x)
        large, middle, small = state
        return (middle if middle != middle else
                math.sqrt(large + middle / SCALE / SCALE) * SCALE if large > 0 else
                math.sqrt(middle + small / SCALE / SCALE) if middle > 0 else
                math.sqrt(small) / SCALE)

    def integer_answer(self, op, state, n):
        """Of integers; a string says why there is none."""
        signed = self.least and op not in ("norm1", "norminf")
        total = state[1] if len(state) == 3 else state[0]
        if op == "prod":
            return total - (total >> 63 << 64 if signed else 0)
        if op in ("sum", "norm1", "dot", "norminf"):
            return (total if 0 <= total + (2 ** 63 if signed else 0) < 2 ** 64 else
                    "the exact value does not fit 64 bits")
        return self.finite_answer(op, Fraction(total), state[-1], n)

    def float_answer(self, op, state, n):
        """Of exact sums of floats: NaN, infinities and -0 first."""
        limbs, _, nan, positive, negative, minus_zeros = state[:6]
        if nan and not self.omit or positive and negative:
            return math.nan
        if positive or negative:
            return math.nan if op in ("var", "std") else math.inf if positive else -math.inf
        total = limbs * Fraction(2) ** (self.e2 if op in ("norm2", "dot") else self.e1)
        if total == 0 and n > 0 and minus_zeros == n and op in ("sum", "mean", "norm1", "dot"):
            return -0.0
        return self.finite_answer(op, total, state[-1] * Fraction(2) ** self.e2, n)

    def finite_answer(self, op, total, squares, n):
        """Of exact sums, rounded once."""
        if op in ("var", "std"):
            x = (n * squares - total * total) / (n * (n - self.ddof))
            return rounded(x) if op == "var" else root(x)
        return root(total) if op == "norm2" else rounded(total / n if op == "mean" else total)
