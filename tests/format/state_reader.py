"""Answers from a saved state of the reducer, by its written format alone: read_state(bytes).

It returns a dict: dtype, plain, count, and answers: a pair for each operation, its name and a dict
of its fields (value; value, index; min, max; values, indices) or of none, the reason why there is
no answer. A damaged or unknown file is a ValueError. States of the C++ headers are not read.
"""
import ctypes
import struct
import zlib
from functools import reduce

from state_arithmetic import arithmetic, need

TYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 "
         "float64").split()
# Of a float type: a format of struct, fraction bits; L and E of a value sum and a product sum.
FLOATS = {9: ("<e", 10, 3, -50, 4, -100), 10: ("<f", 7, 6, -178, 10, -292),
          11: ("<f", 23, 6, -178, 11, -356), 12: ("<d", 52, 34, -1074, 67, -2148)}
# Each operation, and behind the colon its state where that has another name.
OPERATIONS = [(op.split(":") * 2)[:2] for op in (
    "count sum prod:product mean:sum var:moments std:moments min max minmax:extrema argmin:min "
    "argmax:max top bottom any:logical all:logical nonzero:logical norm1 norm2 norminf dot and or "
    "xor nan").split()]
# The states in their order with their fields, of integers / of floats: i64, u256, f32, b8 (flag).
STATES = {
    "sum": "i128/terms", "plain_sum": "/real b8", "product": "u64/f64", "unread": "/f64",
    "moments": "i64 i128 u256/terms limbs", "plain_moments": "/i64 f64 f64", "summary": "",
    "min": "key i64/key i64", "max": "key i64/key i64", "extrema": "", "top": "u64/u64",
    "bottom": "u64/u64", "logical": "i64 i64/i64 i64", "norm1": "i128/terms", "plain_norm1": "/f64",
    "norm2": "u256/products", "plain_norm2": "/f64 f64 f64", "norminf": "u64/u64",
    "dot": "i256/products", "plain_dot": "/f64 b8", "and": "key/", "or": "key/", "xor": "key/",
    "nan": "i64 i64/i64 i64", "pair_nan": "/i64 i64"}


class saved_run(arithmetic):
    """A request, its items and keys, and the total of its run."""
    def __init__(self, data, version):
        self.data, self.at, self.version = data, 0, version
        item, rule, self.plain, self.ddof, self.k, m = self.take("i32 i32 b8 i64 i64 u32")
        ops = self.take("i32 " * min(m, len(data)))
        self.dtype, self.float = TYPES[item % 13], item > 8
        self.omit, self.raises, self.dot = rule == 1, rule == 2, 19 in ops
        need(0 <= item <= 12 and 0 <= rule <= 2 and all(0 <= op <= 23 for op in ops),
             "An item type, NaN rule or operation is unknown.")
        need(not {20, 21, 22} & {*ops} if self.float else not self.plain, "Not for this type.")
        need(m and (m == 1 or not self.dot), "There is no operation, or dot is not alone.")
        need(self.ddof >= 0 and (self.k > 0 or not {11, 12} & {*ops}), "ddof or k is too low.")
        self.ops, bits = [OPERATIONS[op] for op in ops], int(self.dtype.strip("abdfilnotu") or 8)
        self.v, self.bits = max(1, 128 // (bits << self.dot)), bits
        self.least = -1 << bits - 1 if self.float or 1 <= item <= 4 else 0
        kinds = {"key": f"{'i' if self.least else 'u'}{bits}", "real": f"f{max(32, bits)}"}
        if self.float:
            self.format, fraction, l1, self.e1, l2, self.e2 = FLOATS[item]
            self.m, counts = (1 << fraction) - 1, " i64" * 5
            kinds |= {"terms": f"i{64 * l1}" + counts, "products": f"i{64 * l2}" + counts,
                      "limbs": f"i{64 * l2}"}
        states = {state for _, state in self.ops} - {"count"}
        if self.plain:
            states = {"plain_" + s if "plain_" + s in STATES else s for s in states}
        if "extrema" in states or {"min", "max"} <= states:
            states = states - {"min", "max"} | {"extrema"}
        states -= {"sum"} if "moments" in states else set()
        states |= {"pair_nan" if self.dot else "nan"} if self.float and rule else set()
        parts = ["unread", "plain_moments"] if self.float else ["moments"]
        if not self.omit and parts[-1] in states and states & {"min", "max", "extrema"}:
            states = states - {"min", "max", "extrema", "nan", parts[-1]} | {"summary"}
        parts = {"extrema": ["min", "max"], "summary": parts + ["min", "max", "nan"]}
        self.layouts = {}
        for name in [s for n in STATES if n in states for s in parts.get(n, [n])]:
            fields = STATES[name].split("/")[self.float].replace("b8", "b8" * self.omit).split()
            self.layouts[name] = " ".join(kinds.get(field, field) for field in fields)
        self.key = kinds["key"]
        self.read_run(256 * self.v)

    def number(self, bits):
        """The item of these bits."""
        if not self.float:
            return bool(bits) if self.dtype == "bool" else bits
        data = (bits % (1 << self.bits)).to_bytes(self.bits // 8, "little")
        return struct.unpack(self.format, bytes(2 * (self.dtype == "bfloat16")) + data)[0]

    def from_bits_to_key(self, bits, name, back=False):
        """The order key of an item's bits for a state, or back."""
        if not self.float:
            return bits
        flip = lambda b: b ^ ~self.least if b < 0 else b
        wrap = lambda b: (b - self.least) % (1 << self.bits) + self.least
        lowest = name == "top" or name == ("max" if self.omit else "min")
        m = self.m if lowest else -self.m
        if back:
            return flip(wrap(bits - m))
        nan = self.least if lowest else ~self.least
        return wrap(flip(bits) + m) if self.number(bits) == self.number(bits) else nan

    def item(self, name, key):
        """The item that a key of a state stands for."""
        return self.number(self.from_bits_to_key(key, name, True))

    def combined(self, name, a, b):
        """The states a and b in one."""
        if name in ("min", "max", "top", "bottom"):
            sign = 1 if name in ("min", "bottom") else -1
            best = sorted(a + b, key=lambda entry: (sign * entry[0], entry[1]))
            return best[:self.k if name in ("top", "bottom") else 1]
        if name in ("nan", "pair_nan"):
            return [a[0] + b[0], min(a[1], b[1], key=lambda index: index % 2 ** 64)]
        if name == "plain_moments":
            if not a[0] or not b[0]:
                return a if a[0] else b
            n, d = a[0] + b[0], b[1] - a[1]
            r = b[0] / n
            return [n, a[1] + d * r, (a[2] + b[2]) + (d * d) * (a[0] * r)]
        if name in ("product", "norminf"):
            return [a[0] * b[0] if name == "product" else max(a[0], b[0])]
        return [x | y if kind[0] == "b" else ctypes.c_float(x + y).value if kind == "f32"
                else x + y for kind, x, y in zip(self.layouts[name].split(), a, b)]

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

    def read_states(self):
        """One state of each name; of ends and entries a list of [key, index]."""
        total = {}
        for name, layout in self.layouts.items():
            state = total[name] = self.take(layout)
            if self.version == 1 and self.float and layout.split().count("i64") == 5:
                state[5] = 0 if state[5] else state[1] - state[2]
            if name in ("min", "max"):
                total[name] = [state] if state[1] >= 0 else []
            if name in ("top", "bottom"):
                need(state[0] <= self.k, "There are more entries than k.")
                total[name] = [self.take(self.key + " i64") for _ in range(state[0])]
                need(self.take(self.key + " b8")[1] == (state[0] == self.k), "Full is wrong.")
        return total

    def read_run(self, tile):
        """Read the run to its end, check its form, and combine the total."""
        first, self.count, origin, closed = self.take("i64 i64 i64 b8")
        end, tree = first + self.count, any(
            s[:6] == "plain_" or s == "product" and self.float for s in self.layouts)
        need(first >= 0 and self.count >= 0, "An index or a count is negative.")
        need(first < origin and (tree or origin == end) if closed else (tree or not self.count)
             and origin == (first if first % tile else 0), "The origin is wrong.")
        parts, before = [self.read_states()] if closed else [], None
        at = 0 if closed else (first - origin) // tile
        for _ in range(self.take("u64")[0]):
            level, place = self.take("i32 i64")
            need(0 <= level < 64 and place << level == at, "A node is not where it should be.")
            need(place % 2 == 0 or before != (level, place - 1), "Two nodes could be one.")
            before, at = (level, place), at + (1 << level)
            parts.append(self.read_states())
        held, start = self.take("u64")[0], origin + at * tile
        need(held == end - start and held < tile, "The held items are too many or too few.")
        items = [self.take((self.key + " ") * (1 + self.dot)) for _ in range(held)]
        need(self.at == len(self.data), "The payload goes on behind the last item.")
        if held:
            items = [(*[self.number(b) for b in bits], 1.0, bits[0], start + i)
                     for i, bits in enumerate(items)]
            parts.append({name: self.of_items(name, items) for name in self.layouts})
        self.total = reduce(lambda b, a: {s: self.combined(s, a[s], b[s]) for s in a},
                            reversed(parts)) if parts else {}


def read_state(data):
    """The answers of a saved state, from the bytes of its file."""
    need(data[:8] == b"\x89mono\r\n\x1a", "This is no saved state.")
    need(len(data) >= 28, "The file ends inside its header.")
    version, name, payload = struct.unpack_from("<IIQ", data, 8)
    need(version in (1, 2), f"The version is {version}, neither 1 nor 2.")
    need(len(data) == 28 + name + payload, "The file is longer or shorter than it says.")
    need(zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little"), "The CRC-32 is wrong.")
    need(data[24:24 + name] == b"reducer", "The state of a C++ fold is not read here.")
    run, answers = saved_run(data[24 + name:-4], version), []
    for op, state in run.ops:
        x = run.answer(op, state)
        answers.append((op, {"none": x} if isinstance(x, str) else
                        x if isinstance(x, dict) else {"value": x}))
    return {"dtype": run.dtype, "plain": bool(run.plain), "count": run.count, "answers": answers}
