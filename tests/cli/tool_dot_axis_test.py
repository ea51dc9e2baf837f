#!/usr/bin/env python3
"""dot --axis: inner products of rows of two files, each with the bits of the two rows alone."""

import itertools
import json
import unittest
from fractions import Fraction

import numpy as np

from tool import ToolTest


class DotAxisTest(ToolTest):

    def load(self, *words):
        self.output("dot", *words, "--output", "out.npy")
        return np.load(self.path("out.npy"))

    def test_every_set_of_axes_of_every_layout(self):
        draw = np.random.default_rng(16)
        x, y = draw.normal(size=(2, 3, 4, 1, 5)).astype(np.float32)
        for swap in (False, True):
            self.save("x.npy", np.asfortranarray(x) if swap else x)
            self.save("y.npy", y.astype(">f4") if swap else np.asfortranarray(y))
            for size in range(5):
                for axes in itertools.combinations(range(4), size):
                    if not axes:
                        continue
                    got = self.load("x.npy", "y.npy", "--axis", ",".join(map(str, axes)))
                    kept = [k for k in range(4) if k not in axes]
                    self.assertEqual(got.shape, tuple(x.shape[k] for k in kept))
                    lefts, rights = (one.transpose(*kept, *axes).reshape(got.size, -1) for one in (x, y))
                    for value, left, right in zip(got.ravel(), lefts.tolist(), rights.tolist()):
                        exact = sum(Fraction(l) * Fraction(r) for l, r in zip(left, right))
                        self.assertEqual(value, float(exact))

    def test_a_row_has_the_bits_that_it_has_alone(self):
        x, y = np.random.default_rng(3).normal(size=(2, 3, 5000))
        self.save("x.npy", x)
        self.save("y.npy", np.asfortranarray(y))
        for more in ([], ["--plain"], ["--threads", "2"]):
            got = self.load("x.npy", "y.npy", "--axis=-1", *more)
            for row in range(3):
                self.save("l.npy", x[row])
                self.save("r.npy", y[row])
                alone = json.loads(self.output("dot", "l.npy", "r.npy", "--json", *more))["value"]
                self.assertEqual(got[row], alone)

    def test_forms(self):
        self.save("x.npy", np.array([[1, 2], [3, 4]], np.int32))
        self.save("y.npy", np.array([[5, -6], [7, 8]], np.int32))
        self.assertEqual(self.output("dot", "x.npy", "y.npy", "--axis", "1"),
                         "axis 0  dot\n     0   -7\n     1   53\n")
        self.assertEqual(self.output("dot", "x.npy", "y.npy", "--axis", "0", "--csv"),
                         "axis_1,value\n0,26\n1,20\n")
        got = self.load("x.npy", "y.npy", "--axis", "0", "--keepdims")
        self.assertEqual((got.dtype, got.shape), (np.int64, (1, 2)))

    def test_bad_requests(self):
        self.save("x.npy", np.ones((2, 3)))
        self.save("y.npy", np.ones((3, 2)))
        self.save("z.npy", np.ones((2, 3), np.float32))
        self.save("n.npy", np.array([[1, 1, 1], [1, np.nan, 1]]))
        for code, message, words in [
                (3, "x.npy: dot along axes needs arrays of one shape: (2, 3), and (3, 2) in y.npy",
                 ["x.npy", "y.npy", "--axis", "0"]),
                (3, "x.npy: dot needs one element type: float64, and float32 in z.npy",
                 ["x.npy", "z.npy", "--axis", "0"]),
                (2, "--axis: no axis 2 in an array of 2", ["x.npy", "x.npy", "--axis", "2"]),
                (2, "--axis: axis -1 twice", ["x.npy", "x.npy", "--axis=1,-1"]),
                (2, "dot takes two files, found 1", ["x.npy", "--axis", "0"]),
                (2, "dot takes two files, found 3", ["x.npy", "x.npy", "x.npy", "--axis", "0"]),
                (4, "x.npy: row (1): dot: no result: item 1 is NaN",
                 ["x.npy", "n.npy", "--axis", "1", "--nan", "raise"])]:
            self.check_error(code, message, "dot", *words)
        code, out, err = self.run_tool("dot", "x.npy", "none.npy", "--axis", "0")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("none.npy", err)


if __name__ == "__main__":
    unittest.main()
