#!/usr/bin/env python3
"""Sums, means, norms, products and variances of floats are the exact values, rounded once."""

import math
import unittest
from fractions import Fraction

import numpy as np

from tool import FLOATS, ToolTest, bfloat16_bits, bfloat16_values, nearest_root


class Exact(ToolTest):

    def file_of(self, dtype, values, name="a"):
        """Writes the values in a type and gives the words that name the file, and what was written."""
        if dtype == "bfloat16":
            bits = bfloat16_bits(values)
            self.write(name + ".bin", bits.tobytes())
            return [name + ".bin", "--dtype", "bf16"], [float(x) for x in bfloat16_values(bits)]
        items = np.asarray(values).astype(dtype)
        return [self.save(name + ".npy", items)], [float(x) for x in items]

    def check(self, words, items):
        exact = [Fraction(x) for x in items]
        n, total = len(exact), sum(exact)
        squares = sum(x * x for x in exact)
        variance = (n * squares - total * total) / (n * n)
        wanted = {"sum": float(total), "mean": float(total / n), "norm1": float(sum(map(abs, exact))),
                  "norm2": nearest_root(squares), "mean_square": float(squares / n),
                  "var": float(variance), "std": nearest_root(variance)}
        for op, value in wanted.items():
            self.assertEqual(self.value(op, *words), value, (op, words))

    def test_every_type(self):
        random = np.random.default_rng(11)
        for dtype in FLOATS:
            for count in (1, 2, 7, 1000, 4097, 70001):
                # As wide as the type allows, and with sums that cancel.
                top = 4 if dtype == "float16" else 30
                values = random.normal(size=count) * 10.0**random.uniform(-top, top, count)
                if dtype == "float16":
                    values = np.clip(values, -60000, 60000)
                values[count // 2 :] = -values[: count - count // 2][::-1]
                words, items = self.file_of(dtype, values)
                self.check(words, items)

    def test_dot(self):
        random = np.random.default_rng(12)
        for dtype in ("float32", "float64"):
            left, a = self.file_of(dtype, random.normal(size=5000) * 1e10, "a")
            right, b = self.file_of(dtype, random.normal(size=5000) * 1e-15, "b")
            exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a, b))
            self.assertEqual(self.value("dot", *left, *right), float(exact))

    def test_what_floating_point_gets_wrong(self):
        def total(values, dtype="f8"):
            return self.value("sum", self.save("a.npy", np.array(values, dtype)))

        self.assertEqual(total([1, 1e100, 1, -1e100] * 10000), 20000)
        self.assertEqual(total([1.7e308, 1.7e308, -1.7e308]), 1.7e308)
        self.assertEqual(total([1e-310] * 1000), math.fsum([1e-310] * 1000))
        self.assertEqual(total([1e-300] * 1000000), math.fsum([1e-300] * 1000000))
        self.assertEqual(total([math.inf, 1, 2]), math.inf)
        self.assertTrue(math.isnan(total([math.inf, 1, -math.inf])))
        self.assertEqual(math.copysign(1, total([-0.0] * 3)), -1)
        self.assertEqual(total([3e38] * 4, "f4"), 4 * float(np.float32(3e38)))
        self.assertEqual(self.value("mean", self.save("b.npy", np.full(7, np.finfo("f8").max))),
                         np.finfo("f8").max)

    def test_the_order_does_not_matter(self):
        random = np.random.default_rng(13)
        values = random.normal(size=100000) * 10.0**random.uniform(-100, 100, 100000)
        ops = "sum,mean,var,std,norm1,norm2,mean_square"
        first = self.output(ops, self.save("a.npy", values), "--hex")
        for _ in range(3):
            random.shuffle(values)
            self.assertEqual(self.output(ops, self.save("a.npy", values), "--hex"), first)
        self.assertNotEqual(self.output("sum", "a.npy", "--plain", "--hex"), first.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
