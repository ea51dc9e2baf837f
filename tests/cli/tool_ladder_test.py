#!/usr/bin/env python3
"""The command ladder: rows, refusals, pages, devices."""

import json
import unittest

from tool import ToolTest

EVERY = """warp_shared_halving warp_shared_halving_unguarded warp_shared_adjacent warp_shared_adjacent_padded
warp_shuffle warp_redux block_global_inplace block_global_constant_bounds block_shared block_shared_dynamic
block_shared_warp_sync block_shared_shuffle block_accumulate block_warps block_ordered_stream grid_partials_host
grid_two_launch grid_atomic grid_atomic_warp_sync grid_atomic_shuffle grid_stride_two_launch grid_last_block
grid_ordered_two_launch grid_ordered_last_block grid_vector grid_bulk engine top2_two_phase top2_shuffle
top_k""".split()  # the catalogue's names and order: the registry must not lose or rename one


class Ladder(ToolTest):

    def setUp(self):
        super().setUp()
        code, _, self.why_not = self.run_tool("ladder", "--device", "emulated", "--n", 1, "--only",
                                              "warp_shuffle")
        self.assertIn(code, (0, 5), self.why_not)
        self.has_emulated = code == 0

    def rows(self, *words, code=0):
        if not self.has_emulated:
            self.skipTest(self.why_not.strip())
        found, out, err = self.run_tool("ladder", "--device", "emulated", *words, "--json")
        self.assertEqual((found, err), (code, ""))
        return [json.loads(line) for line in out.splitlines()]

    def test_every_rung_in_order(self):
        rows = self.rows("--n", 512)
        self.assertEqual([row["name"] for row in rows], EVERY)
        for row in rows:
            self.assertTrue(row["ok"], row)
            self.assertIn(row["level"], ("warp", "block", "grid", "selection"))
            self.assertEqual(row["operator"], "top2" if row["level"] == "selection" else "sum")
            self.assertEqual(row["n"], 32 if row["level"] == "warp" else 512)
            self.assertGreaterEqual(row["launches"], 1)
            self.assertGreater(row["seconds"], 0)
            self.assertAlmostEqual(row["gbps"] * row["seconds"] * 1e9, row["n"] * 4, delta=1)
        kept = [row["name"] for row in rows if row["order"] == "kept"]
        self.assertIn("engine", kept)
        self.assertNotIn("grid_vector", kept)

    def test_rows_that_refuse(self):
        rows = {row["name"]: row for row in self.rows("--n", 100, "--op", "matmul")}
        self.assertEqual(rows["grid_atomic"]["refused"],
                         "does not keep order, which the product of matrices needs")
        self.assertNotIn("ok", rows["grid_atomic"])
        self.assertTrue(rows["block_ordered_stream"]["ok"])
        (row,) = self.rows("--n", 100, "--only", "block_global_inplace", code=2)
        self.assertEqual(row["refused"], "has no bounds test: n must be a multiple of 256, not 100")
        self.check_error(2, "ladder: warp_redux: takes int32, not float64", "ladder", "--device",
                         "emulated", "--only", "warp_redux", "--dtype", "f64")

    def test_text(self):
        if not self.has_emulated:
            self.skipTest(self.why_not.strip())
        out = self.output("ladder", "--device", "emulated", "--n", 300, "--op", "max")
        self.assertTrue(out.startswith("300 items of int32 on the emulated device\n"))
        self.assertRegex(out, r"\ngrid_two_launch +any +max +300 +ok +2 +[\d.]+ [um]s")
        self.assertRegex(out, r"\nblock_warps +kept +max +300 +ok +1 ")
        self.assertIn("\nRefused:\nblock_global_inplace: has no bounds test", out)

    def test_pages(self):
        for name in EVERY:
            page = self.output("ladder", "--explain", name)
            self.assertTrue(page.startswith(f"monofold ladder, {name}: "))
            for word in ("idea", "bytes", "limit", "mistake", "next", "order", "operators", "needs"):
                self.assertIn(f"\n  {word} ", page)
        self.assertIn("lockstep", self.output("ladder", "--explain", "warp_shared_halving"))

    def test_wrong_words(self):
        self.check_error(2, "--only: unknown rung 'grid_vektor' (did you mean 'grid_vector'?)", "ladder",
                         "--only", "grid_vektor")
        self.check_error(2, "--dtype: rungs take int32, int64, float32, float64, not int8", "ladder",
                         "--dtype", "i8")
        self.check_error(2, "ladder takes no file, found 'a.npy'", "ladder", "a.npy")
        code, out, err = self.run_tool("ladder", "--op", "mode")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--op: unknown operator 'mode'", err)

    def test_a_device_that_is_not_there(self):
        facts = json.loads(self.output("info", "--json"))
        engines = {engine["name"]: engine for engine in facts["engines"]}
        gpu = engines["gpu"]
        if gpu["available"]:
            self.skipTest("there is a GPU")
        self.check_error(5, f"--device gpu: {gpu['why']}", "ladder", "--device", "gpu")
        if not self.has_emulated:
            no_emulated = "libmonofold_emulated_ladder is not installed"
            self.check_error(5, f"ladder: no device: {gpu['why']}, and {no_emulated}", "ladder")


if __name__ == "__main__":
    unittest.main()
