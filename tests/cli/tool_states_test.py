#!/usr/bin/env python3
"""--save-state and merge: work in pieces gives the answers of one call; other files are refused."""

import os
import unittest
import zlib

import numpy as np

from tool import FLOATS, ToolTest

ALL = "count,sum,prod,mean,var,std,minmax,argmin,argmax,top,bottom,any,all,nonzero,norm1,norm2,mean_square"


class States(ToolTest):

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.items = random.normal(size=50_021).astype(np.float32)
        self.save("all.npy", self.items)

    def shards(self, cuts, *options, op=ALL):
        """A state for each part; their names."""
        names = []
        for i, (begin, end) in enumerate(zip([0] + cuts, cuts + [len(self.items)])):
            self.save("part.npy", self.items[begin:end])
            name = f"{i}.state"
            self.run_tool(op, "part.npy", "--save-state", name, *options)
            names.append(name)
        return names

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_exact_operations_have_the_bits_of_one_call(self):
        for op in ("sum", "stats", "mean,var,argmax", "top", "norm2", "minmax"):
            whole = self.output(op, "all.npy", "--save-state", "all.state")
            for cuts in ([1], [30_000], [7, 8, 49_000]):
                names = self.shards(cuts, op=op)
                merged = self.output("merge", *names, "--save-state", "merged.state")
                self.assertEqual(merged, whole)
                self.assertEqual(self.read("merged.state"), self.read("all.state"))
            self.assertEqual(self.output("merge", "merged.state"), whole)

    def test_sums_in_any_order_have_the_same_file(self):
        names = self.shards([100, 30_000, 30_001], op="sum")
        self.output("merge", *names, "--save-state", "there")
        self.output("merge", *names[::-1], "--save-state", "back")
        self.assertEqual(self.read("there"), self.read("back"))

    def test_plain_sums_of_parts_that_begin_with_tiles(self):
        whole = self.output("stats", "all.npy", "--plain")
        self.save("a.npy", self.items[:32_768])
        self.save("b.npy", self.items[32_768:])
        self.output("stats", "a.npy", "--plain", "--save-state", "a.state")
        self.output("stats", "b.npy", "--plain", "--save-state", "b.state", "--first-index", 32_768)
        self.assertEqual(self.output("merge", "a.state", "b.state"), whole)
        self.output("logsumexp", "a.npy", "--save-state", "a.state")
        self.output("logsumexp", "b.npy", "--save-state", "b.state", "--first-index", 32_768)
        self.assertEqual(self.output("merge", "a.state", "b.state"), self.output("logsumexp", "all.npy"))
        self.output("softmax_denominator,logsumexp", "a.npy", "--save-state", "a.state")
        self.output("softmax_denominator,logsumexp", "b.npy", "--save-state", "b.state", "--first-index", 32_768)
        self.assertEqual(self.output("merge", "a.state", "b.state"),
                         self.output("softmax_denominator,logsumexp", "all.npy"))
        # By itself a part has the indices of the whole.
        self.assertEqual(self.output("argmin", "b.npy", "--first-index", 32_768),
                         f"{32_768 + int(np.argmin(self.items[32_768:]))}\n")

    def test_every_type(self):
        for dtype in ("bool", "int8", "uint16", "int64", "uint64", "float16", "float64"):
            # Unsigned sums fit 64 bits, and so do all products but those of floats.
            items = np.abs(self.items[:3000] * 20).astype(dtype)
            self.save("t.npy", items)
            self.save("l.npy", items[:1234])
            self.save("r.npy", items[1234:])
            whole = self.output(ALL.replace("prod,", "") if dtype in FLOATS else ALL, "t.npy")
            label = ALL.replace("prod,", "") if dtype in FLOATS else ALL
            self.output(label, "l.npy", "--save-state", "l.state")
            self.output(label, "r.npy", "--save-state", "r.state")
            self.assertEqual(self.output("merge", "l.state", "r.state"), whole, dtype)

    def test_dot_and_several_files(self):
        self.save("a.npy", self.items[:20_000])
        self.save("b.npy", self.items[20_000:40_000])
        dot = self.output("dot", "a.npy", "b.npy", "--save-state", "dot.state")
        self.assertEqual(self.output("merge", "dot.state"), dot)
        self.save("ab.npy", self.items[:40_000])
        self.output("sum,argmax", "a.npy", "b.npy", "--save-state", "ab.state", "--quiet")
        self.assertEqual(self.output("merge", "ab.state"), self.output("sum,argmax", "ab.npy"))

    def test_empty_parts_and_answers_that_come_later(self):
        self.save("none.npy", self.items[:0])
        code, out, _ = self.run_tool("min", "none.npy", "--save-state", "none.state")
        self.assertEqual((code, out), (4, ""))
        self.output("min", "all.npy", "--save-state", "some.state")
        whole = self.output("min", "all.npy")
        self.assertEqual(self.output("merge", "none.state", "some.state"), whole)
        self.assertEqual(self.output("merge", "some.state", "none.state"), whole)
        self.check_error(4, "min: no result: no items", "merge", "none.state")

    def test_forms(self):
        self.output("sum", "all.npy", "--save-state", "a.state")
        row = self.json("merge", "a.state")[0]
        self.assertEqual((row["op"], row["file"], row["dtype"], row["count"]),
                         ("sum", "merged", "float32", len(self.items)))
        self.assertEqual(row["bytes"], len(self.read("a.state")))
        self.assertEqual(self.output("merge", "a.state", "--hex"),
                         self.output("sum", "all.npy", "--hex"))
        self.assertIn("merged", self.output("merge", "a.state", "--csv"))
        self.assertEqual(self.output("merge", "-", stdin=self.read("a.state")),
                         self.output("sum", "all.npy"))
        # A device is written to, not replaced.
        self.output("sum", "all.npy", "--save-state", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_the_checksum_is_that_of_zip(self):
        self.output("sum", "all.npy", "--save-state", "a.state")
        content = self.read("a.state")
        self.assertEqual(int.from_bytes(content[-4:], "little"), zlib.crc32(content[:-4]))
        self.assertEqual(content[:8], b"\x89mono\r\n\x1a")

    def test_a_failed_run_leaves_no_file(self):
        self.write("bad.npy", b"\x93NUMPY\x01\x00")
        self.assertEqual(self.run_tool("sum", "bad.npy", "--save-state", "bad.state")[0], 3)
        self.assertFalse(os.path.exists(self.path("bad.state")))
        code, _, err = self.run_tool("sum", "all.npy", "--save-state", "nowhere/a.state")
        self.assertEqual(code, 1)
        self.assertIn("nowhere/a.state: cannot write", err)

    def test_other_files_are_refused_by_name(self):
        self.output("sum", "all.npy", "--save-state", "a.state")
        content = self.read("a.state")
        broken = {"cut": content[:-20], "tail": content + b"\n", "short": content[:10], "empty": b"",
                  "text": b"1\n2\n", "bit": content[:60] + bytes([content[60] ^ 4]) + content[61:],
                  "newer": content[:8] + b"\x03" + content[9:]}
        reasons = {"cut": "truncated", "tail": "bytes follow its end", "short": "truncated",
                   "empty": "another kind of file", "text": "another kind of file",
                   "bit": "the checksum differs", "newer": "format 3"}
        for name, bad in broken.items():
            self.write(name, bad)
            code, out, err = self.run_tool("merge", "a.state", name, "--save-state", "out")
            self.assertEqual((code, out), (3, ""), name)
            self.assertIn(f"monofold: {name}: not a saved state: ", err)
            self.assertIn(reasons[name], err)
        self.assertFalse(os.path.exists(self.path("out")))
        self.check_error(3, "all.npy: not a saved state: another kind of file", "merge", "all.npy")
        self.check_error(3, "a.state: a saved state; monofold merge reads it", "sum", "a.state")
        self.check_error(3, "gone: cannot open: No such file or directory", "merge", "gone")

    def test_different_reductions_are_refused(self):
        self.output("sum", "all.npy", "--save-state", "a.state")
        for words in (["max"], ["sum", "--plain"], ["sum", "--nan", "omit"]):
            self.output(*words, "all.npy", "--save-state", "b.state")
            code, out, err = self.run_tool("merge", "a.state", "b.state")
            self.assertEqual((code, out), (3, ""))
            self.assertIn("and a.state sum of float32", err)
        self.output("var", "all.npy", "--ddof", 1, "--save-state", "v1.state")
        self.output("var", "all.npy", "--save-state", "v0.state")
        self.check_error(3, "v0.state: holds var of float32, ddof 0, and v1.state var of float32, "
                         "ddof 1", "merge", "v1.state", "v0.state")

    def test_subtracted_parts_leave_no_trace(self):
        op = "sum,mean,var,nonzero,norm1,norm2,mean_square"
        parts = self.shards([20_000, 20_001], op=op)
        self.save("rest.npy", self.items[20_000:20_001])
        rest = self.output(op, "rest.npy", "--save-state", "rest.state")
        self.output(op, "all.npy", "--save-state", "all.state")
        left = self.output("merge", "all.state", parts[2], parts[0], "--subtract", "--save-state", "left.state")
        self.assertEqual(left, rest)
        self.assertEqual(self.read("left.state"), self.read("rest.state"))
        self.check_error(3, "all.state: invalid argument: fewer items than are taken out", "merge", "left.state",
                         "all.state", "--subtract")
        self.save("other.npy", self.items[:1] + 1)
        self.output(op, "other.npy", "--save-state", "other.state")
        self.check_error(3, "other.state: invalid argument: items that were not there are taken out", "merge", "left.state",
                         "other.state", "--subtract")
        self.output("max", "all.npy", "--save-state", "max.state")
        self.check_error(3, "max.state: max of float32 cannot be subtracted", "merge", "max.state",
                         "max.state", "--subtract")
        code, out, err = self.run_tool("merge", "all.state", "max.state", "--subtract")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("max.state: holds max of float32, and all.state ", err)

    def test_parts_that_do_not_follow(self):
        self.output("sum", "all.npy", "--save-state", "a.state")
        self.output("sum", "all.npy", "--save-state", "b.state", "--first-index", 7)
        self.check_error(3, f"b.state: begins with item 7, and item {len(self.items)} comes next",
                         "merge", "a.state", "b.state")

    def test_usage(self):
        self.check_error(2, "merge takes saved states, found none", "merge")
        self.check_error(2, "--first-index is for one file, found 2", "sum", "a", "b",
                         "--first-index", 3)
        self.check_error(2, "--first-index: expected a whole number of at least 0 (K, M, G may follow), "
                         "found '-1'", "sum", "all.npy", "--first-index", "-1")

    def test_mixed_types_have_no_state(self):
        self.save("whole.npy", self.items.astype(np.int32))
        code, _, err = self.run_tool("sum", "all.npy", "whole.npy", "--save-state", "a.state")
        self.assertEqual(code, 4)
        self.assertIn("--save-state: no total, the element types differ", err)


if __name__ == "__main__":
    unittest.main()
