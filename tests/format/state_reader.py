"""Answers from a saved state of the reducer, by its written format alone: read_state(bytes).

It returns a dict: dtype, float, plain, omit, ddof, k, count, and answers: a pair for each operation, its name and a dict
of its fields (value; value, index; min, max; values, indices) or of none, the reason why there is no answer: "few" items,
a "large" integer, or the index of a NaN. A damaged or unknown file is a ValueError. States of C++ folds are not read.
"""
import ctypes
import math
import struct
import zlib
from fractions import Fraction
from functools import reduce

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()
# Of a float type: a format of struct, fraction bits; L and E of a value sum and of a product sum.
FLOATS = {9: ("<e", 10, 3, -50, 4, -100), 10: ("<f", 7, 6, -178, 10, -292),
          11: ("<f", 23, 6, -178, 11, -356), 12: ("<d", 52, 34, -1074, 67, -2148)}
# Each operation, and behind the colon its state where that has another name.
OPERATIONS = [(op.split(":") * 2)[:2] for op in (
    "count sum prod:product mean:sum var:moments std:moments min max minmax:extrema argmin:min argmax:max top bottom "
    "any:logical all:logical nonzero:logical norm1 norm2 norminf dot and or xor nan mean_square:norm2 "
    "logsumexp").split()]
# The states in their order with their fields, of integers / of floats: i64, u256, f32, b8 (flag).
STATES = dict(line.split("=") for line in (
    "sum=i128/terms;plain_sum=/real b8;product=u64/f64;unread=/f64;moments=i64 i128 u256/terms limbs;"
    "plain_moments=/i64 f64 f64;summary=;min=key i64/key i64;max=key i64/key i64;extrema=;top=u64/u64;bottom=u64/u64;"
    "logical=i64 i64/i64 i64;norm1=i128/terms;plain_norm1=/f64;norm2=u256/products;plain_norm2=/f64 f64 f64;"
    "norminf=u64/u64;dot=i256/products;plain_dot=/f64 b8;logsumexp=/real real;and=key/;or=key/;xor=key/;"
    "nan=i64 i64/i64 i64;pair_nan=/i64 i64").split(";"))
BIG, LN_2 = 2.0 ** 600, sum(Fraction(1, n << n) for n in range(1, 200))
ENDS, BEST, MEANS = ("min", "max"), ("top", "bottom"), ("mean", "mean_square")


def need(condition, sentence):
    if not condition:
        raise ValueError(sentence)


def rounded(x):
    """The fraction x as the nearest f64, ties to even."""
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return -math.inf if x < 0 else math.inf


def root(x):
    """The square root of a fraction, rounded once: many of its bits, and one for all others."""
    need(x >= 0, "A state holds squares that no items have.")
    whole, rest = divmod(x.numerator << 2600, x.denominator)
    m = math.isqrt(whole)
    return rounded(Fraction(2 * m + (rest > 0 or m * m < whole), 2 << 1300))


def logarithm(x):
    """log(x) of a number from 1 on, in f64, rounded at each step."""
    f, k = math.frexp(x)
    f, k = (2 * f, k - 1) if f < 0.75 else (f, k)
    z = (f - 1.0) / (f + 1.0)
    q, series = z * z, 0.0
    for n in range(23, 1, -2):
        series = (series + 1.0 / n) * q
    return k * float(LN_2) + (2.0 * z + 2.0 * z * series)


class saved_run:
    """A request, its items and keys, and the total of its run."""
    def __init__(self, data, version):
        self.data, self.at, self.version = data, 0, version
        item, rule, self.plain, self.ddof, self.k, m = self.take("i32 i32 b8 i64 i64 u32")
        ops, self.float = {*self.take("i32 " * min(m, len(data)))}, item > 8
        self.dtype, self.omit, self.raises, dot = TYPES[item % 13], rule == 1, rule == 2, 19 in ops
        need(0 <= item < 13 and 0 <= rule < 3 and ops and 0 <= min(ops) <= max(ops) < 26 and self.ddof >= 0
             and (m == 1 or not dot) and (self.k > 0 or not {11, 12} & ops)
             and not (self.plain and not self.float or (
                 {20, 21, 22} if self.float else {25}) & ops), "This is no request.")
        self.at -= 4 * m
        self.ops = [OPERATIONS[op] for op in self.take("i32 " * m)]
        self.pair, self.bits = 1 + dot, int(self.dtype.strip("abdfilnotu") or 8)
        self.v = max(1, 128 // (self.bits * self.pair))
        self.least = -1 << self.bits - 1 if self.float or 1 <= item <= 4 else 0
        self.m, kinds = 0, {"key": f"{'i' if self.least else 'u'}{self.bits}", "real": f"f{max(32, self.bits)}"}
        if self.float:
            self.format, fraction, l1, self.e1, l2, self.e2 = FLOATS[item]
            self.m, counts = (1 << fraction) - 1, " i64" * 5
            kinds |= {"terms": f"i{64 * l1}{counts}", "products": f"i{64 * l2}{counts}", "limbs": f"i{64 * l2}"}
        states = {state for _, state in self.ops} - {"count"}
        if self.plain:
            states = {"plain_" + s if "plain_" + s in STATES else s for s in states}
        if "extrema" in states or {*ENDS} <= states:
            states = states - {*ENDS} | {"extrema"}
        states -= {"sum"} if "moments" in states else set()
        states |= {"pair_nan" if dot else "nan"} if self.float and rule else set()
        parts = ["unread", "plain_moments"] if self.float else ["moments"]
        if not self.omit and parts[-1] in states and states & {*ENDS, "extrema"}:
            states = states - {*ENDS, "extrema", "nan", parts[-1]} | {"summary"}
        parts = {"extrema": ENDS, "summary": (*parts, *ENDS, "nan")}
        self.layouts, self.key_kind = {}, kinds["key"]
        for name in [s for n in STATES if n in states for s in parts.get(n, [n])]:
            fields = STATES[name].split("/")[self.float].replace("b8", "b8" * self.omit).split()
            self.layouts[name] = " ".join(kinds.get(field, field) for field in fields)
        self.read_run(256 * self.v)

    def take(self, kinds):
        """The next fields."""
        fields = []
        for kind in kinds.split():
            data = self.data[self.at:self.at + int(kind[1:]) // 8]
            self.at += int(kind[1:]) // 8
            need(self.at <= len(self.data), "The file ends inside a field.")
            fields.append(int.from_bytes(data, "little", signed=kind[0] == "i") if kind[0] != "f"
                          else struct.unpack("<f" if len(data) == 4 else "<d", data)[0])
            need(kind[0] != "b" or fields[-1] < 2, "A flag is neither 0 nor 1.")
        return fields

    def number(self, bits):
        """The item of these bits."""
        if not self.float:
            return bool(bits) if self.dtype == "bool" else bits
        data = (bits % (1 << self.bits)).to_bytes(self.bits // 8, "little")
        return struct.unpack(self.format, bytes(2 * (self.dtype == "bfloat16")) + data)[0]

    def key(self, bits, name, back=False):
        """The order key of an item's bits for a state, or back."""
        flip, wrap = (lambda b: b ^ ~self.least if b < 0 and self.float else b,
                      lambda b: (b - self.least) % (1 << self.bits) + self.least)
        lowest = name == "top" or name == ("max" if self.omit else "min")
        m, x = self.m if lowest else -self.m, self.number(bits)
        nan = self.least if lowest else ~self.least
        return flip(wrap(bits - m)) if back else nan if x != x else wrap(flip(bits) + m)

    def joined(self, name, a, b):
        """The states a and b in one."""
        if name in (*ENDS, *BEST):
            sign = 1 if name in ("min", "bottom") else -1
            return sorted(a + b, key=lambda entry: (sign * entry[0], entry[1]))[:self.k if name in BEST else 1]
        if name in ("nan", "pair_nan"):
            return [a[0] + b[0], min(a[1], b[1], key=lambda index: index % 2 ** 64)]
        if name == "plain_moments":
            if not a[0] or not b[0]:
                return a if a[0] else b
            d, r = b[1] - a[1], b[0] / (a[0] + b[0])
            return [a[0] + b[0], a[1] + d * r, (a[2] + b[2]) + (d * d) * (a[0] * r)]
        if name in ("product", "norminf"):
            return [a[0] * b[0] if name == "product" else max(a[0], b[0])]
        if name == "logsumexp":
            apart = 0.0 if a[0] == b[0] else self.real(a[0] - b[0])
            factor = self.exponential(-abs(apart))
            x, y = (a[1], self.real(b[1] * factor)) if b[0] <= a[0] else (self.real(a[1] * factor), b[1])
            return [apart if apart != apart else max(a[0], b[0]), self.real(x + y)]
        return [x | y if kind[0] == "b" else ctypes.c_float(x + y).value if kind == "f32" else x + y
                for kind, x, y in zip(self.layouts[name].split(), a, b)]

    def real(self, x):
        """The number that states of the type have for x."""
        return x if self.bits == 64 else ctypes.c_float(x).value

    def exponential(self, d):
        """exp(d) of a number that is not positive, rounded at each step."""
        terms, least = (13, -1021.5) if self.bits == 64 else (7, -125.5)
        t = self.real(d * self.real(1.4426950408889634))
        if not t > least:
            return 0.0
        p, f = 0.0, self.real(t - round(t))
        for k in range(terms, -1, -1):
            p = self.real(self.real(p * f) + self.real(float(LN_2 ** k / math.factorial(k))))
        return p * 2.0 ** round(t)

    def read_states(self):
        """One state of each name; of ends and entries a list of [key, index]."""
        total = {}
        for name, layout in self.layouts.items():
            state = total[name] = self.take(layout)
            if self.version == 1 and self.float and layout.split().count("i64") == 5:
                state[5] = 0 if state[5] else state[1] - state[2]
            if name in ENDS:
                total[name] = [state] if state[1] >= 0 else []
            if name in BEST:
                need(state[0] <= self.k, "There are more entries than k.")
                total[name] = [self.take(self.key_kind + " i64") for _ in range(state[0])]
                need(self.take(self.key_kind + " b8")[1] == (state[0] == self.k), "Full is wrong.")
        return total

    def read_run(self, tile):
        """Reads the run to its end, checks its form, and combines the total."""
        first, self.count, origin, closed = self.take("i64 i64 i64 b8")
        end, tree = first + self.count, any(s[:6] == "plain_" or s in ("product", "logsumexp") and self.float
                                            for s in self.layouts)
        need(first >= 0 and self.count >= 0 and (first < origin and (tree or origin == end) if closed else (
            tree or not self.count) and origin == (first if first % tile else 0)), "A count or the origin is wrong.")
        parts, before, at = [self.read_states()] if closed else [], None, 0 if closed else (first - origin) // tile
        for _ in range(self.take("u64")[0]):
            level, place = self.take("i32 i64")
            need(0 <= level < 64 and place << level == at and (place % 2 == 0 or before != (level, place - 1)),
                 "A node is not where it should be, or two could be one.")
            before, at = (level, place), at + (1 << level)
            parts.append(self.read_states())
        held, start = self.take("u64")[0], origin + at * tile
        need(held == end - start and held < tile, "The held items are too many or too few.")
        items = [self.take((self.key_kind + " ") * self.pair) for _ in range(held)]
        need(self.at == len(self.data), "The payload goes on behind the last item.")
        items = [(*map(self.number, bits), 1.0, bits[0], start + i) for i, bits in enumerate(items)]
        parts += [{name: self.of_items(name, items) for name in self.layouts}] if held else []
        self.total = reduce(lambda b, a: {s: self.joined(s, a[s], b[s]) for s in a}, parts[::-1]) if parts else {}

    def term(self, x, y, e):
        """The exact sum of the one term x y: limbs and counts."""
        xy, finite = x * y, math.isfinite(x) and math.isfinite(y)
        exact = Fraction(x) * Fraction(y) / Fraction(2) ** e if finite else 0
        return [int(exact), 1, xy != xy, not finite and xy > 0, not finite and xy < 0,
                finite and exact == 0 and math.copysign(1, xy) < 0]

    def of_item(self, name, item):
        """The state of one item; x is the item and y is 1, or they are a pair."""
        x, y, bits, index = *item[:2], *item[-2:]
        nan, double, a = x * y != x * y, self.bits == 64, abs(x)
        gone, scale = self.omit and nan, double * ((a > 2.0 ** 480) - (a < 2.0 ** -480))
        scaled = (x / BIG if scale > 0 else x * BIG if scale else x) ** 2
        return {
            "min": lambda: [] if gone else [[self.key(bits, name), index]],
            "nan": lambda: [1, index] if nan else [0, -1], "sum": lambda: self.term(x, 1.0, self.e1),
            "logical": lambda: [int(x != 0 and not gone), int(not gone)],
            "norm1": lambda: self.term(a, 1.0, self.e1), "norm2": lambda: self.term(x, x, self.e2),
            "moments": lambda: self.term(x, 1.0, self.e1) + self.term(x, x, self.e2)[:1],
            "norminf": lambda: [0 if gone else int.from_bytes(struct.pack("<d", a), "little")],
            "plain_sum": lambda: [-0.0, 0] if gone else [x * y, 1], "product": lambda: [1.0 if gone else x],
            "logsumexp": lambda: [-math.inf, 0.0] if gone else [x + 0.0, 1.0],
            "plain_norm1": lambda: [0.0 if gone else a], "unread": lambda: [0.0],
            "plain_norm2": lambda: [0.0 if gone or scale != which else scaled for which in (1, 0, -1)],
            "plain_moments": lambda: [0, 0.0, 0.0] if gone else [1, x, x - x],
        }[{"max": "min", "top": "min", "bottom": "min", "pair_nan": "nan", "plain_dot": "plain_sum"}.get(name, name)]()

    def in_slots(self, lanes, items, begin, add, join):
        """Items go to slots, then neighbours are joined until one is left."""
        slots = []
        for i, item in enumerate(items):
            at = lanes * (i // self.v % 32) + i % self.v % lanes
            slots[at:at + 1] = [add(slots[at], item) if at < len(slots) else begin(item)]
        while len(slots) > 1:
            slots = [reduce(join, slots[i:i + 2]) for i in range(0, len(slots), 2)]
        return slots[0]

    def of_items(self, name, items):
        """The state of the held items."""
        def add(slot, item):
            if name != "plain_moments" or item[0] != item[0]:
                return self.joined(name, slot, self.of_item(name, item))
            n, mean, d = slot[0] + 1, slot[1], item[0] - slot[1]
            return [n, mean + d / n, slot[2] + d * (item[0] - (mean + d / n))]
        if name != "plain_moments" or self.omit:
            return self.in_slots(min(self.v, 4) if name in ("plain_norm2", "plain_moments") else self.v, items,
                                 lambda item: self.of_item(name, item), add, lambda a, b: self.joined(name, a, b))
        n, p, again = len(items), 0.0, True
        while True:
            s, q = self.in_slots(self.v, [x - p for x, *_ in items], lambda d: (d, d * d), lambda a, d: (
                a[0] + d, a[1] + d * d), lambda a, b: (a[0] + b[0], a[1] + b[1]))
            m2 = q - s * (s / n)
            if m2 >= q / 128 and math.isfinite(q) or not again:
                return [n, p + s / n, q if math.isinf(q) else 0.0 if m2 < 0 else m2]
            p, again = s / n, False

    def answer(self, op, state):
        """The fields of an answer, its one value, or as a string why there is none."""
        total, few = self.total, "few"
        nans, first_nan = total.get("nan") or total.get("pair_nan") or [0, -1]
        n = self.count - nans * self.omit
        if op in ("count", "nan"):
            return n if op == "count" else nans
        if self.raises and first_nan >= 0:
            return str(first_nan)
        if op in BEST:
            best = total.get(op, [])
            return few if len(best) < self.k else {"values": [self.number(self.key(key, op, True)) for key, _ in best],
                                                   "indices": [index for _, index in best]}
        if not self.count:
            ones = self.number(-1 if self.least else (1 << self.bits) - 1)
            return {"and": ones, "or": self.number(0), "xor": self.number(0), "prod": 1, "any": False, "all": True,
                    "logsumexp": -math.inf}.get(
                op, 0 if op in ("nonzero", "sum", "norm1", "norm2", "norminf", "dot") else few)
        if ends := [end for end in ENDS if op in (end, "minmax", "arg" + end)]:
            if [] in [total[end] for end in ends]:
                return few
            items = {end: self.number(self.key(total[end][0][0], end, True)) for end in ends}
            return items if op == "minmax" else {"value": items[ends[0]]} | (
                {"index": total[ends[0]][0][1]} if op[:3] == "arg" else {})
        plain, spread = total.get("plain_" + state), op in ("var", "std")
        n = plain[0] if plain and spread else n
        if op in MEANS and n <= 0 or spread and n <= self.ddof:
            return few
        if state == "logical":
            return {"any": total[state][0] != 0, "all": len({*total[state]}) == 1, "nonzero": total[state][0]}[op]
        if plain:
            return self.plain_answer(op, plain, n)
        number = total[state if state in total else "moments"]
        if op == "logsumexp":
            return number[0] + logarithm(number[1]) if math.isfinite(number[0]) else number[0]
        if op in ("and", "or", "xor"):
            return self.number(number[0])
        if self.float and op in ("prod", "norminf"):
            return number[0] if op == "prod" else struct.unpack("<d", struct.pack("<Q", *number))[0]
        return self.exact_answer(op, number, n)

    def plain_answer(self, op, state, n):
        """Of states that are not exact: in f64, rounded at each step."""
        if op == "norm1":
            return state[0]
        if op in ("sum", "mean", "dot"):
            x = 0.0 if self.omit and not state[1] else state[0]
            return x / n if op == "mean" else x
        need(not min(state[2:] if op in ("var", "std") else state) < 0, "A sum of squares is negative.")
        if op in ("var", "std"):
            return state[2] / (n - self.ddof) if op == "var" else math.sqrt(state[2] / (n - self.ddof))
        large, middle, small = state
        if op == "mean_square" and middle == middle:
            return ((large + middle / BIG / BIG) / n * BIG * BIG if large > 0 else
                    (middle + small / BIG / BIG) / n if middle > 0 else small / n / BIG / BIG)
        return (middle if middle != middle else math.sqrt(large + middle / BIG / BIG) * BIG if large > 0 else
                math.sqrt(middle + small / BIG / BIG) if middle > 0 else math.sqrt(small) / BIG)

    def exact_answer(self, op, state, n):
        """Of exact sums, rounded once; of floats NaN, infinities and -0 first."""
        if not self.float:
            signed = self.least and op not in ("norm1", "norminf")
            total, squares = state[1 if len(state) == 3 else 0], state[-1]
            if op == "prod":
                return total - (total >> 63 << 64 if signed else 0)
            if op in ("sum", "norm1", "dot", "norminf"):
                return total if 0 <= total + (2 ** 63 if signed else 0) < 2 ** 64 else "large"
        else:
            limbs, _, nan, positive, negative, minus_zeros = state[:6]
            if nan and not self.omit or positive and negative or (positive or negative) and op in ("var", "std"):
                return math.nan
            if positive or negative:
                return math.inf if positive else -math.inf
            total = limbs * Fraction(2) ** (self.e2 if op in ("norm2", "mean_square", "dot") else self.e1)
            squares = state[-1] * Fraction(2) ** self.e2
            if total == 0 and 0 < n == minus_zeros and op in ("sum", "mean", "norm1", "dot"):
                return -0.0
        total = Fraction(total)
        if op in ("var", "std"):
            x = (n * squares - total * total) / (n * (n - self.ddof))
            return rounded(x) if op == "var" else root(x)
        return root(total) if op == "norm2" else rounded(total / n if op in MEANS else total)


def read_state(data):
    """The answers of a saved state, from the bytes of its file."""
    need(data[:8] == b"\x89mono\r\n\x1a" and len(data) >= 28, "This is no saved state, or ends inside its header.")
    version, name, payload = struct.unpack_from("<IIQ", data, 8)
    need(version in (1, 2) and len(data) == 28 + name + payload, "The version is neither 1 nor 2, or the length wrong.")
    need(zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little"), "The CRC-32 is wrong.")
    need(data[24:24 + name] == b"reducer", "The state of a C++ fold is not read here.")
    run = saved_run(data[24 + name:-4], version)
    found = {name: getattr(run, name) for name in ("dtype", "plain", "omit", "float", "ddof", "k", "count")}
    answers = [(op, run.answer(op, state)) for op, state in run.ops]
    return found | {"answers": [(op, {"none": x} if isinstance(x, str) else x if isinstance(x, dict) else {"value": x})
                                for op, x in answers]}
