#!/usr/bin/env python3
"""--device emulated: the GPU's kernels on the processor give the answers of --device cpu."""

import json
import os
import unittest

import numpy as np

from tool import FLOATS, INTEGERS, ToolTest, bfloat16_bits

SOME = "sum,mean,var,std,minmax,argmin,argmax,top,bottom,any,all,nonzero,norm1,norm2,norminf,mean_square"


class Emulated(ToolTest):

    def setUp(self):
        super().setUp()
        facts = json.loads(self.output("info", "--json"))
        self.engine = next(e for e in facts["engines"] if e["name"] == "emulated")
        self.assertEqual(self.engine["available"], os.environ.get("MONOFOLD_HAS_EMULATED") == "1")
        if not self.engine["available"]:
            self.skipTest(self.engine["why"])

    def check_same(self, *words):
        rows = {}
        for device in ("cpu", "emulated"):
            rows[device] = self.json(*words, "--device", device)
            for row in rows[device]:
                self.assertEqual(row.pop("engine"), device)
                row.pop("seconds")
        self.assertEqual(rows["emulated"], rows["cpu"], words)

    def test_every_type(self):
        random = np.random.default_rng(5)
        for dtype in ["bool", *INTEGERS, *FLOATS]:
            values = random.normal(10, 30, 5003)
            if dtype == "bfloat16":
                self.write("a.bin", bfloat16_bits(values).tobytes())
                file = ["a.bin", "--dtype", "bf16"]
            else:
                file = [self.save("a.npy", np.abs(values).astype(dtype))]
            self.check_same(SOME, *file, "-k", 5, "--hex")
            if dtype not in FLOATS:
                self.check_same("and,or,xor", *file)
                continue
            for nan in ("propagate", "omit"):
                self.check_same("prod,logsumexp,softmax_denominator", *file, "--nan", nan, "--hex")

    def test_nan_and_plain_sums(self):
        values = np.random.default_rng(6).normal(size=3000).astype("f4")
        values[[17, 2500]] = np.nan
        a = self.save("a.npy", values)
        for nan in ("propagate", "omit"):
            self.check_same("stats", a, "--nan", nan)
            self.check_same("prod,logsumexp,softmax_denominator", a, "--nan", nan, "--hex")
        self.check_same("sum", a, "--plain", "--nan", "omit", "--hex")
        self.check_error(4, "a.npy: sum: no result: item 17 is NaN", "sum", a, "--nan", "raise",
                         "--device", "emulated")

    def test_dot_several_files_and_standard_input(self):
        random = np.random.default_rng(7)
        a = self.save("a.npy", random.normal(size=4500))
        b = self.save("b.npy", random.normal(size=4500))
        self.check_same("dot", a, b, "--hex")
        self.check_same("sum,argmax", a, b)
        text = "\n".join(map(str, range(1000))).encode()
        self.assertEqual(self.output("sum", "-", "--device", "emulated", stdin=text), "499500\n")

    def test_rows(self):
        some = "sum,mean,var,std,minmax,argmax,top,bottom,any,all,nonzero,count,norm1,norm2,norminf,mean_square"
        more = {"f4": "prod,logsumexp,softmax_denominator", "i2": "prod,and,or,xor", "f2": "nan,logsumexp,softmax_denominator"}
        for dtype in ("f4", "i2", "f2"):
            values = np.random.default_rng(8).normal(10, 30, (20, 9, 30)).astype(dtype)
            for file in (self.save("c.npy", values), self.save("f.npy", np.asfortranarray(values))):
                for axis in ("0", "1", "2", "1,2"):
                    if file.endswith("f.npy") and axis == "1,2":
                        continue
                    words = (f"{some},{more[dtype]}", file, "--axis", axis, "-k", "3", "--csv")
                    self.assertEqual(self.output(*words, "--device", "emulated"), self.output(*words))
                words = ("stats", file, "--axis", "0", "--json")
                self.assertEqual(self.output(*words, "--device", "emulated"), self.output(*words))
        self.check_error(2, "--device emulated: no kernel for rows by prod of float16", "prod", file, "--axis", "0",
                         "--device", "emulated")
        self.check_error(2, "--device emulated: no kernel for rows by top of float16 with k 1025", "top", file, "--axis",
                         "0", "-k", "1025", "--device", "emulated")
        self.check_error(4, "f.npy: row (0, 0): top: no result: 20 items, -k asks for 21", "top", file, "--axis", "0", "-k",
                         "21", "--device", "emulated")
        empty = self.save("e.npy", np.ones((2, 0)))
        for device in ("cpu", "emulated"):
            self.check_error(4, "e.npy: row (0): max: no result: no items", "max", empty, "--axis", "1", "--device", device)

    def test_several_devices(self):
        # Three pieces of 8 MiB, from a file that threads fetch and from a pipe.
        a = self.save("a.npy", np.random.default_rng(8).normal(size=5_100_000).astype("f4"))
        os.environ["MONOFOLD_EMULATED_DEVICES"] = "2"
        try:
            self.check_same("sum", a, "--plain", "--hex")
            with open(self.path(a), "rb") as file:
                piped = self.output("sum", "-", "--plain", "--device", "emulated", stdin=file.read())
            self.assertEqual(piped, self.output("sum", a, "--plain"))
        finally:
            del os.environ["MONOFOLD_EMULATED_DEVICES"]

    def test_errors_are_those_of_any_engine(self):
        self.check_error(3, "nope.npy: cannot open: No such file or directory", "sum", "nope.npy",
                         "--device", "emulated")


if __name__ == "__main__":
    unittest.main()
