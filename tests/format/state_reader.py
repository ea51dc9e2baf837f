"""A saved state of the reducer, by its written format alone: read_state(bytes) gives a saved_run.

That has the request (dtype, float, plain, omit, raises, ddof, k; ops: each operation with the names of its states),
count, parts and held. Parts are the closed state and the nodes in their order: of each a dict from the name of a state
to its fields, for ends and best to a list of items with their indices. Held are the held items (x, y, index); y is 1
unless items are pairs. A damaged or unknown file is a ValueError. States of C++ folds are not read.
"""
import struct
import zlib
from fractions import Fraction

# Each item type with its bits; of floats format of struct, fraction bits, L and E of a value sum, of a product sum.
TYPES = (("bool", 8), ("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64),
         ("uint8", 8), ("uint16", 16), ("uint32", 32), ("uint64", 64),
         ("float16", 16, "<e", 10, 3, -50, 4, -100), ("bfloat16", 16, "<f", 7, 6, -178, 10, -292),
         ("float32", 32, "<f", 23, 6, -178, 11, -356), ("float64", 64, "<d", 52, 34, -1074, 67, -2148))
# Each operation; behind the colon its states, where they have other names.
OPERATIONS = [(op.partition(":")[0], op.split(":")[-1].split("+")) for op in (
    "count sum prod:product mean:sum var:moments std:moments min max minmax:min+max argmin:min argmax:max top bottom "
    "any:logical all:logical nonzero:logical norm1 norm2 norminf dot and or xor nan mean_square:norm2 "
    "logsumexp softmax_denominator:logsumexp").split()]
# The states in their order, with their fields of integers / of floats.
STATES = {name: fields.split("/") for name, fields in (state.split("=") for state in (
    "sum=i128/value counts; plain_sum=/real flag; product=u64/f64; moments=i64 i128 u256/value counts product; "
    "spread_sum=/f64; plain_moments=/i64 f64 f64; min=key i64/key i64; max=key i64/key i64; "
    "spread_nan=i64 i64/i64 i64; top=u64/u64; bottom=u64/u64; logical=i64 i64/i64 i64; norm1=i128/value counts; "
    "plain_norm1=/f64; norm2=u256/product counts; plain_norm2=/f64 f64 f64; norminf=u64/u64; dot=i256/product counts; "
    "plain_dot=/f64 flag; logsumexp=/real real; and=key/; or=key/; xor=key/; nan=i64 i64/i64 i64").split("; "))}
ENDS, BEST = ("min", "max"), ("top", "bottom")


def need(condition, sentence):
    if not condition:
        raise ValueError(sentence)


def wrapped(x, bits, signed):
    """The integer of so many bits that x is, modulo their power of two."""
    least = -1 << bits - 1 if signed else 0
    return (x - least) % (1 << bits) + least


class saved_run:
    def __init__(self, data, version):
        self.data, self.at, self.version, self.units = data, 0, version, {}
        self.read_request()
        self.choose_states()
        self.read_run()
        need(self.at == len(data), "The payload goes on behind the last item.")

    def take(self, kinds):
        """The next fields by kind and bits: integers i and u, floats f, flags b, a value sum v, a product sum p."""
        fields = []
        for kind in kinds.split():
            size = int(kind[1:]) // 8
            data = self.data[self.at:self.at + size]
            need(len(data) == size, "The file ends inside a field.")
            self.at += size
            x = int.from_bytes(data, "little", signed=kind[0] in "ivp") * self.units.get(kind[0], 1)
            need(kind[0] != "b" or x < 2, "A flag is neither 0 nor 1.")
            fields.append(struct.unpack("<f" if size == 4 else "<d", data)[0] if kind[0] == "f" else x)
        return fields

    def read_request(self):
        item, rule, self.plain, self.ddof, self.k, m = self.take("i32 i32 b8 i64 i64 u32")
        codes = [self.take("i32")[0] for _ in range(m)]
        need(0 <= item < 13 and 0 <= rule < 3 and self.ddof >= 0 and codes and 0 <= min(codes) <= max(codes) < 27,
             "This is no request.")
        self.ops = [OPERATIONS[code] for code in codes]
        ops = {op for op, _ in self.ops}
        self.float, self.signed, self.omit, self.raises = item > 8, item > 8 or 0 < item < 5, rule == 1, rule == 2
        need((m == 1 or "dot" not in ops) and (self.k > 0 or not ops & {*BEST}) and (self.float or not self.plain)
             and not ops & ({"and", "or", "xor"} if self.float else {"logsumexp", "softmax_denominator"}), "No request asks for this.")
        self.dtype, self.bits, *self.of_float = TYPES[item]
        self.key, self.item_parts = f"{'i' if self.signed else 'u'}{self.bits} ", 1 + ("dot" in ops)
        self.v = max(1, 16 * 8 // (self.bits * self.item_parts))

    def choose_states(self):
        """The states of the request in their order, each with the kinds of its fields."""
        kinds = {"key": self.key, "real": f"f{max(32, self.bits)}", "flag": "b8" if self.omit else "",
                 "counts": "i64 i64 i64 i64 i64"}
        if self.float:
            self.format, self.fraction, l1, e1, l2, e2 = self.of_float
            kinds |= {"value": f"v{64 * l1}", "product": f"p{64 * l2}"}
            self.units = {"v": Fraction(2) ** e1, "p": Fraction(2) ** e2}
        states = {state for _, names in self.ops for state in names}
        if self.plain:
            states = {"plain_" + state if "plain_" + state in STATES else state for state in states}
        if "moments" in states:
            states -= {"sum"}
        if self.float and (self.omit or self.raises):
            states |= {"nan"}
        if not self.omit and states & {*ENDS} and ("plain_moments" if self.float else "moments") in states:
            states = states - {"nan"} | {*ENDS, "spread_nan"} | ({"spread_sum"} if self.float else set())
        self.layouts = {name: " ".join(kinds.get(field, field) for field in fields[self.float].split())
                        for name, fields in STATES.items() if name in states}

    def number(self, bits):
        """The item of these bits."""
        if not self.float:
            return bool(bits) if self.dtype == "bool" else bits
        data = (bits % (1 << self.bits)).to_bytes(self.bits // 8, "little")
        return struct.unpack(self.format, b"\0\0" + data if self.dtype == "bfloat16" else data)[0]

    def entry(self, name, key, index):
        """The item that an order key stands for, and its index."""
        if not self.float:
            return self.number(key), index
        nan_lowest = (name in ENDS and not self.omit) == (name in ("min", "bottom"))
        m = (1 << self.fraction) - 1
        bits = wrapped(key - m if nan_lowest else key + m, self.bits, True)
        return self.number(bits if bits >= 0 else bits ^ ((1 << self.bits - 1) - 1)), index

    def read_states(self):
        """One state of each name."""
        states = {}
        for name, layout in self.layouts.items():
            state = states[name] = self.take(layout)
            if self.version == 1 and layout.count(" i64") == 5:
                state[5] = 0 if state[5] else state[1] - state[2]
            if name in ENDS:
                states[name] = [self.entry(name, *state)] if state[1] >= 0 else []
            if name in BEST:
                need(state[0] <= self.k, "There are more entries than k.")
                states[name] = [self.entry(name, *self.take(self.key + "i64")) for _ in range(state[0])]
                need(self.take(self.key + "b8")[1] == (state[0] == self.k), "Full is wrong.")
        return states

    def read_run(self):
        first, self.count, origin, closed = self.take("i64 i64 i64 b8")
        end, tile = first + self.count, 256 * self.v
        need(first >= 0 and self.count >= 0, "A count is wrong.")
        tree = any("f" in layout for layout in self.layouts.values())
        need(tree or origin == end and closed or not self.count, "An exact run has its total alone.")
        need(first < origin if closed else origin == (first if first % tile else 0), "The origin is wrong.")
        self.parts = [self.read_states()] if closed else []
        at, before = 0 if closed else (first - origin) // tile, None
        for _ in range(self.take("u64")[0]):
            level, place = self.take("i32 i64")
            need(0 <= level < 64 and place << level == at, "A node is not where it should be.")
            need(place % 2 == 0 or before != (level, place - 1), "Two nodes could be one.")
            at, before = at + (1 << level), (level, place)
            self.parts.append(self.read_states())
        held, start = self.take("u64")[0], origin + at * tile
        need(held == end - start and held < tile, "The held items are too many or too few.")
        items = [[*map(self.number, self.take(self.key * self.item_parts)), 1.0] for _ in range(held)]
        self.held = [(x, y, start + i) for i, (x, y, *_) in enumerate(items)]


def read_state(data):
    """The run of a saved state, from the bytes of its file."""
    need(data[:8] == b"\x89mono\r\n\x1a" and len(data) >= 28, "This is no saved state, or ends inside its header.")
    version, name, payload = struct.unpack_from("<IIQ", data, 8)
    need(version in (1, 2) and len(data) == 28 + name + payload, "The version is neither 1 nor 2, or the length wrong.")
    need(zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little"), "The CRC-32 is wrong.")
    need(data[24:24 + name] == b"reducer", "The state of a C++ fold is not read here.")
    return saved_run(data[24 + name:-4], version)
