#!/usr/bin/env python3
"""Every operation on every element type against references in NumPy and exact fractions."""

import math
import unittest
from fractions import Fraction

import numpy as np

from tool import (FLOATS, INTEGERS, ToolTest, bfloat16_bits, bfloat16_values, is_sanitized,
                  nearest_root, number)

UNIT = Fraction(1, 2**53)
COUNTS = [1, 2, 31, 1000, 4097]


def items_of(dtype, count, seed=1):
    """Bits to write, and the items as Python numbers."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        bits = random.integers(0, 2, count).astype(np.bool_)
        return bits, [int(x) for x in bits]
    if dtype in INTEGERS:
        facts = np.iinfo(dtype)
        low, high = max(facts.min, -2**40), min(facts.max, 2**40)
        bits = random.integers(low, high, count, endpoint=True, dtype=dtype)
        return bits, [int(x) for x in bits]
    values = random.normal(0.5, 2, count)
    if dtype == "bfloat16":
        bits = bfloat16_bits(values)
        return bits, [float(x) for x in bfloat16_values(bits)]
    bits = values.astype(dtype)
    return bits, [float(x) for x in bits]


def as_item(dtype, value):
    """The item that a text, which is the shortest of its type, reads back to."""
    if dtype == "bfloat16":
        return float(bfloat16_values(bfloat16_bits([value]))[0])
    return float(np.dtype(dtype).type(value)) if dtype in FLOATS else value


class Answers(ToolTest):

    def file_of(self, dtype, bits, name="a"):
        """Writes the items and gives the words that name the file."""
        if dtype == "bfloat16":
            self.write(name + ".bin", bits.tobytes())
            return [name + ".bin", "--dtype", "bf16"]
        return [self.save(name + ".npy", bits)]

    def near(self, found, wanted, bound, what):
        self.assertTrue(abs(Fraction(found) - Fraction(wanted)) <= bound, f"{what}: {found} {wanted}")

    def check_sums(self, dtype, words, items, answers):
        n, exact = len(items), [Fraction(x) for x in items]
        total, size = sum(exact), sum(map(abs, exact))
        depth = math.ceil(math.log2(n)) + 5
        wanted = {"sum": total, "mean": total / n, "norm1": size}
        for op, value in wanted.items():
            if dtype in FLOATS:
                self.near(answers[op], value, depth * UNIT * size / (n if op == "mean" else 1),
                          f"{op} {dtype}")
            elif op == "mean":
                self.assertEqual(answers[op], float(value), f"{op} {dtype}")
            else:
                self.assertEqual(answers[op], value, f"{op} {dtype}")
        squares = sum(x * x for x in exact)
        norm = Fraction(answers["norm2"])
        self.near(norm * norm, squares, (2 * depth + 16) * UNIT * squares, f"norm2 {dtype}")
        variance = squares / n - (total / n)**2
        # A tile's share may lose 7 bits to cancellation and then has 2000 units of error.
        bound = (2000 + depth) * UNIT * squares / n if dtype in FLOATS else UNIT * variance
        self.near(answers["var"], variance, bound, f"var {dtype}")
        self.assertEqual(answers["std"], nearest_root(variance), f"std {dtype}")
        if n > 1:
            sample = number(self.json("var", *words, "--ddof", 1)[0]["value"])
            self.near(sample, variance * n / (n - 1), 2 * bound * n / (n - 1) + 2 * UNIT * variance,
                      f"var --ddof 1 {dtype}")

    def check_extrema(self, dtype, items, answers):
        low, high = min(items), max(items)
        self.assertEqual(as_item(dtype, answers["min"]), low)
        self.assertEqual(as_item(dtype, answers["max"]), high)
        self.assertEqual(answers["minmax"], {"min": answers["min"], "max": answers["max"]})
        self.assertEqual(answers["argmin"], items.index(low))
        self.assertEqual(answers["argmax"], items.index(high))
        self.assertEqual(answers["norminf"], max(map(abs, items)))
        order = sorted(range(len(items)), key=lambda i: (items[i], i))
        back = sorted(range(len(items)), key=lambda i: (-items[i], i))
        k = len(answers["top"]["values"])
        self.assertEqual(answers["bottom"]["indices"], order[:k])
        self.assertEqual(answers["top"]["indices"], back[:k])
        values = [as_item(dtype, value) for value in answers["top"]["values"]]
        self.assertEqual(values, [items[i] for i in back[:k]])

    def check_others(self, dtype, items, answers):
        nonzero = sum(x != 0 for x in items)
        self.assertEqual(answers["count"], len(items))
        self.assertEqual(answers["nan"], 0)
        self.assertEqual(answers["nonzero"], nonzero)
        self.assertIs(answers["any"], nonzero > 0)
        self.assertIs(answers["all"], nonzero == len(items))
        if dtype in FLOATS:
            return
        everything, anything, odd = items[0], 0, 0
        product = 1
        for x in items:
            everything, anything, odd = everything & x, anything | x, odd ^ x
            product = product * x % 2**64
        self.assertEqual(answers["and"], everything)
        self.assertEqual(answers["or"], anything)
        self.assertEqual(answers["xor"], odd)
        signed = dtype == "bool" or dtype.startswith("i")
        self.assertEqual(answers["prod"], product - 2**64 if signed and product >= 2**63 else product)

    def test_every_operation_on_every_type(self):
        ops = ("count,sum,prod,mean,var,std,min,max,minmax,argmin,argmax,top,bottom,any,all,nonzero,"
               "norm1,norm2,norminf,nan")
        for dtype in ["bool", *INTEGERS, *FLOATS]:
            for count in COUNTS:
                bits, items = items_of(dtype, count)
                words = self.file_of(dtype, bits)
                label = ops if dtype in FLOATS else ops + ",and,or,xor"
                row = self.json(label, *words, "-k", min(count, 9))[0]
                self.assertEqual((row["dtype"], row["count"]), (dtype, count))
                answers = {op: value if isinstance(value, (dict, bool)) else number(value)
                           for op, value in row.items() if op in label.split(",")}
                self.check_sums(dtype, words, items, answers)
                self.check_extrema(dtype, items, answers)
                self.check_others(dtype, items, answers)

    @unittest.skipIf(is_sanitized(), "500 starts")
    def test_each_operation_alone_gives_what_it_gives_among_others(self):
        ops = "count sum prod mean var std min max any all nonzero norm1 norm2 norminf nan".split()
        for dtype in ["bool", *INTEGERS, *FLOATS]:
            words = self.file_of(dtype, items_of(dtype, 3000)[0])
            own = ops if dtype in FLOATS else ops + ["and", "or", "xor"]
            together = self.json(",".join(own), *words)[0]
            for op in own:
                self.assertEqual(self.json(op, *words)[0]["value"], together[op], (op, dtype))
                text = self.output(op, *words).strip()
                value = text == "true" if text in ("true", "false") else float(text)
                self.assertEqual(value, float(together[op]), (op, dtype))

    def test_product_of_floats(self):
        for dtype in FLOATS:
            _, items = items_of(dtype, 40)
            items = [x if x else 1.0 for x in items]
            bits = bfloat16_bits(items) if dtype == "bfloat16" else np.array(items, dtype)
            wanted = math.prod(map(Fraction, items))
            found = self.value("prod", *self.file_of(dtype, bits))
            self.near(found, wanted, 39 * UNIT * abs(wanted) * Fraction(101, 100), f"prod {dtype}")

    def test_dot(self):
        for dtype in ["bool", *INTEGERS, *FLOATS]:
            for count in (1, 999, 4097):
                bits, left = items_of(dtype, count, 1)
                more, right = items_of(dtype, count, 2)
                if dtype in INTEGERS and bits.itemsize >= 4:  # so that the sum fits
                    shift = 20 if bits.itemsize == 8 else 12
                    bits, more = bits >> shift, more >> shift
                    left, right = [int(x) for x in bits], [int(x) for x in more]
                words = self.file_of(dtype, bits, "a")
                other = self.file_of(dtype, more, "b")[0]
                found = self.value("dot", other, *words)
                products = [Fraction(x) * Fraction(y) for x, y in zip(left, right)]
                depth = math.ceil(math.log2(count)) + 5
                bound = depth * UNIT * sum(map(abs, products)) if dtype in FLOATS else 0
                self.near(found, sum(products), bound, f"dot {dtype}")

    def test_plain_sums(self):
        single = self.save("a.npy", np.array([1e8, 1, 1, 1, -1e8], "f4"))
        self.assertEqual(self.value("sum", single), 3)
        self.assertIn(self.value("sum", single, "--plain"), [0, 3, 8])
        double = self.save("b.npy", np.arange(1000) * 0.1)
        self.assertAlmostEqual(self.value("sum", double, "--plain"), 49950)

    def test_nan_policies(self):
        data = np.array([3, np.nan, -1, np.nan, 2])
        for dtype in ("float16", "float32", "float64"):
            a = self.save("a.npy", data.astype(dtype))
            for op in "sum prod mean var std min max norm1 norm2 norminf".split():
                self.assertEqual(self.output(op, a), "nan\n")
                self.check_error(4, f"a.npy: {op}: no result: item 1 is NaN", op, a, "--nan", "raise")
            self.assertEqual(self.output("argmin,argmax,count,nan", a).split()[1::2],
                             ["1", "1", "5", "2"])
            self.assertEqual(self.output("top", a, "-k", 5), "3 0\n2 4\n-1 2\nnan 1\nnan 3\n")
            self.assertEqual(self.output("bottom", a, "-k", 4), "-1 2\n2 4\n3 0\nnan 1\n")
            omit = self.json("sum,mean,min,max,argmin,argmax,count,nan,nonzero", a, "--nan", "omit")[0]
            wanted = {"sum": 4, "min": -1, "max": 3, "argmin": 2, "argmax": 0, "count": 3, "nan": 2,
                      "nonzero": 3, "mean": 4 / 3}
            self.assertEqual({key: omit[key] for key in wanted}, wanted)
            self.check_error(4, "a.npy: top: no result: of 5 items too few are not NaN, -k asks for 4",
                             "top", a, "-k", 4, "--nan", "omit")
        nothing = self.save("n.npy", np.array([np.nan]))
        self.check_error(4, "n.npy: min: no result: every item is NaN", "min", nothing, "--nan", "omit")
        self.assertEqual(self.output("sum", nothing, "--nan", "omit"), "0\n")
        self.assertEqual(self.output("count,nan", nothing, "--nan", "raise"), "count  1\nnan    1\n")

    def test_dot_with_nan(self):
        a = self.save("a.npy", np.array([1.0, np.nan, 3]))
        b = self.save("b.npy", np.array([4.0, 5, 6]))
        self.assertEqual(self.output("dot", a, b), "nan\n")
        self.assertEqual(self.output("dot", a, b, "--nan", "omit"), "22\n")
        self.check_error(4, "a.npy: dot: no result: item 1 is NaN", "dot", a, b, "--nan", "raise")

    def test_empty_input(self):
        e = self.save("e.npy", np.array([]))
        for op, wanted in {"sum": "0", "prod": "1", "count": "0", "any": "false", "all": "true",
                           "nonzero": "0", "norm1": "0", "norm2": "0", "norminf": "0",
                           "nan": "0"}.items():
            self.assertEqual(self.output(op, e), wanted + "\n")
        for op in "min max minmax argmin argmax mean var std mean_square".split():
            self.check_error(4, f"e.npy: {op}: no result: no items", op, e)
        self.check_error(4, "e.npy: top: no result: 0 items, -k asks for 10", "top", e)
        self.assertEqual(self.output("and", self.save("i.npy", np.array([], "u1"))), "255\n")

    def test_zeros_infinities_and_ties(self):
        a = self.save("a.npy", np.array([0.0, -0.0, 0.0]))
        self.assertEqual(self.output("min", a), "-0\n")
        self.assertEqual(self.output("max", a), "0\n")
        self.assertEqual(self.output("argmin", a), "1\n")
        self.assertIn('"value":-0.0,', self.output("min", a, "--json"))
        self.assertEqual(self.output("sum", self.save("z.npy", np.array([-0.0, -0.0]))), "-0\n")
        b = self.save("b.npy", np.array([1.0, np.inf, -np.inf, np.inf]))
        self.assertEqual(self.output("minmax", b), "-inf inf\n")
        self.assertEqual(self.output("argmax", b), "1\n")
        self.assertEqual(self.output("sum", b), "nan\n")
        self.assertEqual(self.json("max", b)[0]["value"], "inf")
        self.assertEqual(self.output("argmax", self.save("t.npy", np.array([2, 5, 5, 1]))), "1\n")

    def test_logsumexp(self):
        values = np.random.default_rng(6).normal(size=(7, 9001)) * 30
        for dtype, error in (("f8", 2.0**-44), ("f4", 2.0**-15), ("f2", 2.0**-15)):
            items = values.astype(dtype)
            a = self.save("a.npy", items)
            wide = items.astype("f8")
            exact = [math.log(math.fsum(np.exp(row - row.max()))) + row.max() for row in (wide.ravel(), *wide)]
            self.assertLessEqual(abs(self.json("logsumexp", a)[0]["value"] - exact[0]), error)
            rows = self.output("logsumexp", a, "--axis", "1", "--csv").splitlines()[1:]
            for i, row in enumerate(rows):
                self.assertLessEqual(abs(float(row.split(",")[-1]) - exact[i + 1]), error)
                self.assertEqual(self.output("logsumexp", self.save("row.npy", items[i])).strip(), row.split(",")[-1])
        self.assertEqual(self.output("logsumexp", self.save("e.npy", np.array([]))), "-inf\n")
        gap = self.save("g.npy", np.array([np.nan, 5.0]))
        self.assertEqual(self.output("logsumexp", gap), "nan\n")
        self.assertEqual(self.output("logsumexp", gap, "--nan", "omit"), "5\n")
        self.check_error(4, "g.npy: logsumexp: no result: item 0 is NaN", "logsumexp", gap, "--nan", "raise")
        self.check_error(4, "i.npy: logsumexp: no result: not defined for int64", "logsumexp",
                         self.save("i.npy", np.array([1, 2])))

    def test_softmax_denominator(self):
        values = np.random.default_rng(8).normal(size=(5, 3001)) * 20
        for dtype, error in (("f8", 2.0**-44), ("f4", 2.0**-15), ("f2", 2.0**-15)):
            items = values.astype(dtype)
            a = self.save("a.npy", items)
            wide = items.astype("f8")
            exact = [math.fsum(np.exp(row - row.max())) for row in wide]
            rows = self.json("softmax_denominator", a, "--axis", "1")
            real = np.float64 if dtype == "f8" else np.float32  # what the texts stand for
            for i, row in enumerate(rows):
                self.assertEqual(real(row["max"]), items[i].max())
                self.assertLessEqual(abs(row["sum"] - exact[i]), error * exact[i])
                alone = self.json("softmax_denominator,logsumexp", self.save("row.npy", items[i]))[0]
                self.assertEqual(alone["softmax_denominator"], {"max": row["max"], "sum": row["sum"]})
                logarithm = float(real(row["max"])) + math.log(real(row["sum"]))
                self.assertLessEqual(abs(alone["logsumexp"] - logarithm), 1e-13)
            self.output("softmax_denominator", a, "--axis", "1", "--output", "out.npy")
            saved = np.load(self.path("out.npy"))
            self.assertEqual(saved.dtype.names, ("max", "sum"))
            self.assertEqual(saved["sum"].dtype, real)
            self.assertEqual(list(saved["sum"]), [real(row["sum"]) for row in rows])
        self.assertEqual(self.output("softmax_denominator", self.save("e.npy", np.array([]))), "-inf 0\n")
        self.assertEqual(self.output("softmax_denominator", self.save("o.npy", np.array([1.0, 1, -np.inf]))), "1 2\n")
        self.write("k.csv", "k,x\na,3\nb,1\na,3\n")
        self.assertEqual(self.output("softmax_denominator", "k.csv", "--column", "x", "--by", "k", "--csv"),
                         "k,softmax_denominator_max,softmax_denominator_sum\na,3,2\nb,1,1\n")
        both = [self.save("o.npy", np.array([1.0, 1])), self.save("p.npy", np.array([2.0]))]
        self.assertEqual(self.output("softmax_denominator", *both).split()[:9],
                         ["file", "max", "sum", "o.npy", "1", "2", "p.npy", "2", "1"])
        gap = self.save("g.npy", np.array([np.nan, 5.0]))
        self.assertEqual(self.output("softmax_denominator", gap).split()[0], "nan")
        self.assertEqual(self.output("softmax_denominator", gap, "--nan", "omit"), "5 1\n")
        self.check_error(4, "g.npy: softmax_denominator: no result: item 0 is NaN", "softmax_denominator", gap,
                         "--nan", "raise")
        self.check_error(4, "i.npy: softmax_denominator: no result: not defined for int64", "softmax_denominator",
                         self.save("i.npy", np.array([1, 2])))

    def test_integer_overflow_is_an_error(self):
        big = self.save("big.npy", np.array([2**63 - 1, 1]))
        self.check_error(4, "big.npy: sum: no result: the exact value does not fit 64 bits", "sum", big)
        self.assertEqual(self.output("mean", big), f"{float(2**62)!r}\n".replace(".0\n", "\n"))
        fits = self.save("fits.npy", np.array([2**63 - 1, 5, -5]))
        self.assertEqual(self.output("sum", fits), f"{2**63 - 1}\n")
        self.assertEqual(self.output("sum", self.save("u.npy", np.array([2**64 - 1], "u8"))),
                         f"{2**64 - 1}\n")
        self.assertEqual(self.output("prod", big), f"{2**63 - 1}\n")

    def test_every_16_bit_number_reads_back(self):
        halves = np.arange(65536, dtype=np.uint16).view(np.float16)
        halves = halves[np.isfinite(halves)]
        values = self.json("bottom", self.save("h.npy", halves), "-k", len(halves))[0]["values"]
        again = np.array(values, np.float64).astype(np.float16)
        self.assertEqual(again.tobytes(), sorted_halves(halves).tobytes())
        longest = max(len(np.format_float_scientific(x, trim="-").split("e")[0]) for x in values)
        self.assertLessEqual(longest, 8)
        patterns = np.arange(65536, dtype=np.uint16)
        patterns = patterns[np.isfinite(bfloat16_values(patterns))]
        self.write("b.bin", patterns.tobytes())
        values = self.json("bottom", "b.bin", "--dtype", "bf16", "-k", len(patterns))[0]["values"]
        keys = np.where(patterns >> 15, 0xFFFF - patterns.astype(int), patterns.astype(int) + 0x8000)
        self.assertEqual(bfloat16_bits(values).tobytes(), patterns[np.argsort(keys)].tobytes())


def sorted_halves(halves):
    """In the order of the tool: -0 below +0."""
    bits = halves.view(np.uint16).astype(int)
    return halves[np.argsort(np.where(bits >> 15, 0xFFFF - bits, bits + 0x8000))]


if __name__ == "__main__":
    unittest.main()
