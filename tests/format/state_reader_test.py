"""Golden states answer as answers.json says, examples of docs/format.md are states, and damaged files are refused."""
import json
import math
import pathlib
import re
import struct
import unittest
import zlib
from fractions import Fraction

from state_answers import answers_of
from state_reader import read_state

GOLDEN_STATES = pathlib.Path(__file__).resolve().parents[1] / "golden_states"
PAGE = GOLDEN_STATES.parents[1] / "docs" / "format.md"
SMALL = "mean.float16.numbers"
FORMATS = {"float16": "<e", "float32": "<f", "float64": "<d"}
STATS = "count,nan,sum,mean,var,std,min,max,argmin,argmax"
ITEMS = ("min", "max", "argmin", "argmax", "minmax", "top", "bottom")


def answered(data):
    """The answers of a saved state, and what its request says."""
    run = read_state(data)
    names = ("dtype", "plain", "omit", "float", "ddof", "k", "count")
    return {name: getattr(run, name) for name in names} | {"answers": answers_of(run)}


def bits_of(dtype, x):
    """The bits of x in a type, of a decimal too; None where x is none of its numbers."""
    if dtype == "bfloat16":
        # A bfloat16 is a float32 with an empty lower half; a decimal goes to the nearest one.
        low = struct.unpack("<I", struct.pack("<f", x))[0]
        return (low + 0x7fff + (low >> 16 & 1)) >> 16 if x == x else 0x7fc0
    return struct.pack(FORMATS[dtype], x)


def shortest(dtype, x):
    """The shortest decimal that reads back as x in its type."""
    for digits in range(17):
        text = f"{x:.{digits}e}"
        try:
            if bits_of(dtype, float(text)) == bits_of(dtype, x):
                return text
        except OverflowError:
            pass
    raise AssertionError(f"{x!r} is no {dtype}")


def plainly(x, dtype):
    """A value as answers.json has it, exact: a number by its text, -0 apart from 0."""
    if isinstance(x, dict):
        return {name: plainly(part, dtype) for name, part in x.items()}
    if isinstance(x, (list, tuple)):
        return [plainly(part, dtype) for part in x]
    if not isinstance(x, float):
        return x
    if not math.isfinite(x):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    if dtype in ("float16", "bfloat16") and x == int(x) and abs(x) < 1e6:
        return number(str(x))
    return number(shortest(dtype, x))


def number(text):
    return "-0" if Fraction(text) == 0 and text[0] == "-" else Fraction(text)


def sentence(result, op, why):
    """What the tool says where an operation has no answer."""
    count = result["count"]
    omitted = result["omit"] and result["float"] and count
    items = (f"of {count} items too few are not NaN" if omitted else f"{count} item" + "s" * (count != 1))
    few = (f"{items}, -k asks for {result['k']}" if op in ("top", "bottom") else
           f"{items}, --ddof is {result['ddof']}" if op in ("var", "std") and count else
           "every item is NaN" if omitted else "no items")
    return {"few": few, "large": "the exact value does not fit 64 bits"}.get(why, f"item {why} is NaN")


def as_answered(result):
    """The line of answers.json that a result makes."""
    names = [op for op, _ in result["answers"]]
    reasons = [(op, sentence(result, op, fields["none"])) for op, fields in result["answers"] if "none" in fields]
    if reasons:
        same = [op for op, reason in reasons if reason == reasons[0][1]]
        return {"exit": 4, "error": f"{', '.join(same)}: no result: {reasons[0][1]}"}
    line = {"op": ",".join(names), "dtype": result["dtype"], "count": result["count"]}
    line["op"] = "stats" if line["op"] == STATS else line["op"]
    for op, fields in result["answers"]:
        real = result["dtype"] if op in ITEMS else "float64"
        if (op == "sum" and result["plain"] or op == "softmax_denominator") and result["dtype"] != "float64":
            real = "float32"
        fields = plainly(fields, real)
        if len(names) > 1:
            fields = {op: fields.get("index", fields.get("value", fields))}
        line.update(fields)
    return line


class golden_states(unittest.TestCase):
    def test_every_state_answers_as_the_tool_does(self):
        self.answer_all(GOLDEN_STATES)

    def test_states_of_version_1_answer_as_they_did(self):
        self.answer_all(GOLDEN_STATES / "v1")

    def answer_all(self, folder):
        answers = json.loads((folder / "answers.json").read_text(),
                             parse_float=number, parse_int=number)
        files = sorted(folder.glob("*.state"))
        self.assertEqual({file.name[:-6] for file in files}, {*answers})
        for file in files:
            with self.subTest(file.name):
                line = as_answered(answered(file.read_bytes()))
                expected = answers[file.name[:-6]]
                self.assertEqual(line, expected)
                # True is not 1 here.
                for name, value in expected.items():
                    self.assertEqual(isinstance(line[name], bool), isinstance(value, bool), name)


class examples(unittest.TestCase):
    """The page's tables of bytes; tests/docs/console_test.py runs the tool where the page calls it."""

    def bytes_of(self, rows):
        """The bytes of a table, whose offsets are checked; `00 x3` is three bytes."""
        data = b""
        for offset, cell in rows:
            self.assertEqual(int(offset), len(data), cell)
            for byte, times in re.findall(r"([0-9a-f]{2})(?: x(\d+))?(?: |$)", cell):
                data += bytes([int(byte, 16)]) * int(times or 1)
        return data

    def test_tables_are_the_bytes_that_the_tool_wrote(self):
        count = 0
        for part in re.split(r"^##+ ", PAGE.read_text(), flags=re.MULTILINE):
            if "| offset | bytes | meaning |" not in part:
                continue
            count += 1
            with self.subTest(part.splitlines()[0]):
                data = self.bytes_of(re.findall(r"^\| (\d+) \| ([^|]+?) \|", part, re.MULTILINE))
                line = as_answered(answered(data))
                if file := re.search(r"`tests/golden_states/(.+\.state)`", part):
                    self.assertEqual(data, (GOLDEN_STATES / file[1]).read_bytes())
                    continue
                dump = re.findall(r"^\d{7} (.*)$", part, re.MULTILINE)
                self.assertEqual(data, bytes.fromhex(" ".join(dump)))
                printed = re.search(r'^(\{"op":.*),\.\.\.\}$', part, re.MULTILINE)[1] + "}"
                expected = json.loads(printed, parse_float=number, parse_int=number)
                del expected["file"]
                self.assertEqual(line, expected)
        self.assertEqual(count, 3)


class damaged_files(unittest.TestCase):
    def setUp(self):
        self.data = (GOLDEN_STATES / f"{SMALL}.state").read_bytes()

    def test_flipped_bytes(self):
        for i in range(len(self.data)):
            for mask in (0x01, 0x80, 0xff):
                data = bytearray(self.data)
                data[i] ^= mask
                with self.subTest(i), self.assertRaises(ValueError):
                    answered(bytes(data))

    def test_truncations_and_a_byte_more(self):
        for size in range(len(self.data)):
            with self.subTest(size), self.assertRaises(ValueError):
                answered(self.data[:size])
        with self.assertRaises(ValueError):
            answered(self.data + b"\0")

    def sealed(self, payload):
        """The file of a reducer's payload."""
        head = self.data[:16] + struct.pack("<Q", len(payload)) + b"reducer"
        return head + payload + struct.pack("<I", zlib.crc32(head + payload))

    def refuse(self, payload):
        with self.assertRaises(ValueError):
            answered(self.sealed(payload))

    def test_forms_that_no_run_has(self):
        """Runs of float32, plain sum, whose first tile is a node: one field of each is wrong."""
        request = struct.pack("<iiBqqIi", 11, 0, 1, 0, 10, 1, 1)
        node = struct.pack("<iqf", 0, 0, 1024.0)

        def run(first=0, count=1026, origin=0, closed=0, nodes=(node,), held=2):
            return (struct.pack("<qqqB", first, count, origin, closed) + b"\0" * 4 * closed
                    + struct.pack("<Q", len(nodes)) + b"".join(nodes)
                    + struct.pack("<Q", held) + struct.pack("<f", 1.0) * held)

        whole = answered(self.sealed(request + run()))
        self.assertEqual(whole["answers"], [("sum", {"value": 1026.0})])
        second = struct.pack("<iqf", 0, 1, 1024.0)
        pair = struct.pack("<iqf", 1, 0, 2048.0)
        answered(self.sealed(request + run(count=2050, nodes=(pair,))))
        for wrong in (run(first=-1, origin=-1), run(count=1027), run(count=1025), run(origin=1), run(origin=1024),
                      run(closed=1), run(closed=2), run(count=2050, nodes=(node, second)), run(nodes=(second,)),
                      run(nodes=()), run(nodes=(), held=1026), run(count=2050, nodes=(node, node)), run(held=3),
                      run(nodes=(struct.pack("<iqf", -1, 0, 1024.0),)), run(nodes=(struct.pack("<iqf", 64, 0, 1.0),))):
            self.refuse(request + wrong)
        empty = struct.pack("<qqqBQQ", 0, 0, 0, 0, 0, 0)
        for fields in ((13, 0, 1, 0, 10, 1, 1), (-1, 0, 1, 0, 10, 1, 1), (11, 3, 1, 0, 10, 1, 1),
                       (11, 0, 2, 0, 10, 1, 1), (11, 0, 1, -1, 10, 1, 1), (11, 0, 1, 0, 10, 1, 27),
                       (11, 0, 1, 0, 10, 1, -1), (11, 0, 1, 0, 10, 0, 1), (11, 0, 1, 0, 10, 1, 20),
                       (3, 0, 1, 0, 10, 1, 1),
                       (3, 0, 0, 0, 10, 1, 25)):
            self.refuse(struct.pack("<iiBqqIi", *fields) + empty)
        answered(self.sealed(request + empty))
        self.refuse(struct.pack("<iiBqqIii", 11, 0, 1, 0, 10, 2, 1, 19) + empty)
        self.refuse(struct.pack("<iiBqqIi", 3, 0, 0, 0, 0, 1, 11) + empty)
        best = struct.pack("<iiBqqIi", 3, 0, 0, 0, 1, 1, 11) + struct.pack("<qqqB", 0, 2, 2, 1)
        entries = struct.pack("<iq", 5, 1), struct.pack("<iq", 4, 0)
        end = struct.pack("<QQ", 0, 0)
        best_of = lambda count, full: (best + struct.pack("<Q", count) + b"".join(entries[:count])
                                       + struct.pack("<iB", 5, full) + end)
        self.assertEqual(answered(self.sealed(best_of(1, 1)))["answers"][0][1]["values"], [5])
        for wrong in (best_of(1, 0), best_of(2, 0), best_of(1, 2)):
            self.refuse(wrong)

    def test_headers_that_are_not_read(self):
        for at, wrong in ((8, b"\x03"), (12, b"\x06"), (24, b"R")):
            body = self.data[:at] + wrong + self.data[at + len(wrong):-4]
            with self.subTest(at), self.assertRaises(ValueError):
                answered(body + struct.pack("<I", zlib.crc32(body)))
        self.refuse(self.data[31:-4] + b"\0")

    def test_states_that_no_items_have(self):
        """Runs of float32 with a closed state of two items, and so many held ones, which are 1."""
        def closed(op, state, plain=1, held=0):
            return (struct.pack("<iiBqqIi", 11, 0, plain, 0, 10, 1, op) + struct.pack("<qqqB", 0, 2 + held, 2, 1)
                    + state + struct.pack("<QQ", 0, held) + struct.pack("<f", 1.0) * held)

        sum_of, var, norm2, logsumexp = 1, 4, 17, 25
        limbs = lambda count, x: x.to_bytes(8 * count, "little", signed=True) + struct.pack("<5q", 2, 0, 0, 0, 0)
        moments, squares, exponents = struct.Struct("<qdd"), struct.Struct("<ddd"), struct.Struct("<ff")
        for run in (closed(var, moments.pack(2, 0, 2), held=1), closed(norm2, squares.pack(0, 1, 0), held=1),
                    closed(logsumexp, exponents.pack(0, 1), held=1), closed(sum_of, limbs(6, 1), 0),
                    closed(norm2, limbs(11, 1), 0)):
            answered(self.sealed(run))
        for run in (closed(var, moments.pack(3, 0, 2)), closed(var, moments.pack(2, 0, -1)),
                    closed(var, moments.pack(-1, 0, 0), held=1), closed(norm2, squares.pack(0, -1, 0)),
                    closed(norm2, squares.pack(1, 1, -1)), closed(logsumexp, exponents.pack(0, 0.5)),
                    closed(norm2, limbs(11, -1), 0), closed(sum_of, limbs(6, 1), 0, held=1)):
            self.refuse(run)

    def test_damage_under_a_right_checksum_gives_answers_or_is_refused(self):
        for name in (SMALL, "tests.float16.nans", "sum+prod.float16.tiles"):
            data = (GOLDEN_STATES / f"{name}.state").read_bytes()
            for i in range(24, len(data) - 4):
                body = bytearray(data[:-4])
                body[i] ^= 0xff
                body += struct.pack("<I", zlib.crc32(body))
                with self.subTest((name, i)):
                    try:
                        answered(bytes(body))
                    except ValueError as error:
                        self.assertTrue(str(error).endswith("."), str(error))


if __name__ == "__main__":
    unittest.main()
