#!/usr/bin/env python3
"""ladder --trace: every rung is played, mistakes are caught, bad input is refused in words."""

import json
import os
import re
import unittest
from pathlib import Path

from tool import ToolTest
from tool_ladder_test import EVERY

SELECTION = {"top2_two_phase", "top2_shuffle", "top_k"}
# What the emulated device says of a mistake, or the result that is wrong.
MISTAKES = {
    "warp_shared_halving": "which thread 16 wrote without a barrier between",
    "warp_shared_halving_unguarded": "which thread 0 read without a barrier between",
    "warp_shared_adjacent": "FEDCBAzyxwvutsrqponmlkjihgfedcba, where abcdefghijklmnopqrstuvwxyzABCDEF is right",
    "warp_shared_adjacent_padded": "0, where -",
    "warp_shuffle": "whose mask names lane 20, which the warp has not",
    "warp_redux": "where 22400000158 is right",
    "block_global_inplace": "reads 8 bytes at byte 800 of a buffer of 800 bytes",
    "block_global_constant_bounds": "is right",
    "block_shared": "__syncthreads is reached by 32 of 64 threads",
    "block_shared_dynamic": "which thread 0 wrote without a barrier between",
    "block_shared_warp_sync": "which thread 16 wrote without a barrier between",
    "block_shared_shuffle": "whose mask names lane 16, which has ended",
    "block_accumulate": "where 179200001293 is right",
    "block_warps": "which thread 1 read without a barrier between",
    "block_ordered_stream": "0, where -",
    "grid_partials_host": "0, where 1293 is right",
    "grid_two_launch": "320, where 632 is right",  # the first 8 of 16 partials
    "grid_atomic": "1073743360, where 1073743439 is right",
    "grid_atomic_warp_sync": "1073743360, where 1073743439 is right",
    "grid_atomic_shuffle": "1073743360, where 1073743439 is right",
    "grid_stride_two_launch": "1887, where 1293 is right",
    "grid_last_block": "nothing, where 1293 is right",
    "grid_ordered_last_block": "stuvwxyzabcdefghijklmnopqr, where abcdefghijklmnopqrstuvwxyz is right",
    "grid_vector": "reads 16 bytes at byte 4 of a buffer of 516 bytes, an address that is no multiple of 8",
    "grid_bulk": "which thread 0 read without a barrier between",
    "top2_two_phase": "__syncthreads is reached by 32 of 64 threads",
    "top2_shuffle": "is right",
    "top_k": "k is 2 and the range has 1 items",  # refused before a kernel starts
}
# Slow, and right.
SLOW = {"grid_ordered_two_launch": "2262"}
UNPLAYED = {
    "engine": "it is in how one measures; the emulated device reads host memory too",
}
# What the page says above the play: of two calls the first one's answer, or why nothing is to be caught.
ROUNDED = dict.fromkeys(["grid_atomic", "grid_atomic_warp_sync", "grid_atomic_shuffle"], "The call before gave 1073743488.")
NOTES = {
    **ROUNDED,
    "grid_last_block": "The call before gave 1293.",
    "grid_ordered_two_launch": "The result is right: see how many steps it takes.",
    "top_k": "The call is refused: no result: too few items for this operation: k is 2 and the range has 1 items.",
}


def numbers(text):
    """The numbers of a series: '0-4/2,7*2' is 0 2 4 7 7."""
    out = []
    for run in text.split(",") if text else []:
        first, last, stride, times = re.fullmatch(r"(-?\d+)(?:-(\d+)(?:/(\d+))?)?(?:\*(\d+))?", run).groups()
        for at in range(int(first), int(last or first) + 1, int(stride or 1)):
            out += [at] * int(times or 1)
    return out


class Traces(ToolTest):

    def setUp(self):
        super().setUp()
        code, _, why_not = self.run_tool("ladder", "warp_shuffle", "--trace-json", "a.json")
        self.assertIn(code, (0, 5), why_not)
        if code != 0:
            self.assertIn("./dev build emulated builds it", why_not)
            self.assertNotEqual(os.environ.get("MONOFOLD_HAS_EMULATED"), "1", why_not)
            self.skipTest(why_not.strip())

    def traced(self, *words):
        """What the tool prints, and the runs of the JSON; the page is written too."""
        out = self.output("ladder", *words, "--trace-json", "a.json", "--trace", "a.html")
        document = json.loads(Path(self.folder, "a.json").read_text(encoding="utf-8"))
        self.assertEqual((document["format"], document["version"]), ("monofold trace", 1))
        page = Path(self.folder, "a.html").read_bytes()
        self.assertLess(len(page), 400_000)
        self.assertIn(json.dumps(document["format"]).encode(), page)
        return out, document["runs"]

    def check_run(self, run):
        """Every part of a step says as many cells and values as lanes; every place is a line that is there."""
        spaces = [set(numbers(space["cells"])) for space in run["spaces"]]
        with_items = 0
        for step in run["steps"]:
            self.assertTrue(step)
            for part in step:
                lanes = numbers(part.get("l", ""))
                self.assertEqual(len(set(lanes)), len(lanes))
                if "s" in part:
                    cells = numbers(part["c"])
                    self.assertEqual(len(cells), len(lanes))
                    self.assertLessEqual(set(cells), spaces[part["s"]])
                if "v" in part:
                    self.assertEqual(len(part["v"]), len(lanes) * part.get("n", 1))
                if "p" in part:
                    source = run["sources"][part["p"][0]]
                    self.assertLess(part["p"][1] - source["first"], len(source["lines"]))
                with_items += "i" in part
        return with_items

    def test_every_rung(self):
        for name in EVERY:
            with self.subTest(name):
                out, (run,) = self.traced(name, "--n", 64 if name.startswith("block_global") else 32)
                self.assertEqual((run["name"], run["problem"]), (name, None))
                self.assertEqual(run["operation"], "top2" if name in SELECTION else "sum")
                self.assertEqual(run["result"], run["wanted"])
                self.assertTrue(out.endswith(f"{run['result']}\n"), out)
                self.assertTrue(run["sources"] and run["title"] and run["launches"])
                with_items = self.check_run(run)
                # Who has met whom is known of every sum, to the last: each item once.
                if name not in SELECTION and name != "warp_redux":
                    self.assertGreater(with_items, 2)
                    last = [part["i"] for step in run["steps"] for part in step if part.get("k") == "write" and "i" in part
                            and run["spaces"][part["s"]]["name"] in ("results", "partials")]
                    if last:
                        self.assertEqual(sorted(numbers(last[-1][-1])), list(range(run["items"])))

    def test_values(self):
        _, (run,) = self.traced("warp_shared_adjacent", "--op", "letters")
        writes = [part for step in run["steps"] for part in step if part["k"] == "write"]
        self.assertEqual(writes[1]["v"][:2], ["ab", "cd"])
        self.assertEqual((writes[1]["l"], writes[1]["c"]), ("0-30/2", "0-30/2"))
        self.assertEqual(run["result"], "abcdefghijklmnopqrstuvwxyzABCDEF")
        _, (run,) = self.traced("warp_shuffle", "--op", "matmul", "--n", 5)
        self.assertEqual(run["result"], "7 5 / 4 3")

    def test_counters(self):
        """A stride of two cells of 8 bytes asks every phase of 16 lanes twice; items come in sectors of 32."""
        _, (run,) = self.traced("warp_shared_adjacent")
        parts = [part for step in run["steps"] for part in step]
        self.assertEqual(parts[0]["t"], 4)
        self.assertEqual([part.get("x", 0) for part in parts if part["k"] == "read" and part["s"] == 1][:2], [0, 0])
        _, (run,) = self.traced("block_ordered_stream", "--n", 128)
        parts = [part for step in run["steps"] for part in step]
        self.assertEqual([part["x"] for part in parts if part.get("c", "") == "0-62/2"], [2])

    def test_every_mistake(self):
        for name in EVERY:
            with self.subTest(name):
                if name in UNPLAYED:
                    self.check_error(2, f"--trace: {name} has a mistake that cannot be played: {UNPLAYED[name]}",
                                     "ladder", name, "--mistake", "--trace", "a.html")
                    continue
                out, runs = self.traced(name, name, "--mistake")
                self.assertIn(MISTAKES.get(name, SLOW.get(name)), out)
                for run in runs:
                    self.check_run(run)
                self.assertEqual([bool(run["mistake"]) for run in runs], [False, True])
                self.assertEqual(runs[0]["result"], runs[0]["wanted"])
                if name in SLOW:
                    self.assertEqual(runs[1]["result"], runs[1]["wanted"])
                    self.assertGreater(len(runs[1]["steps"]), len(runs[0]["steps"]))
                else:
                    self.assertTrue(runs[1]["problem"] or runs[1]["result"] != runs[1]["wanted"])
                self.assertEqual(runs[1]["note"], NOTES.get(name, ""))
                if "without a barrier" in out:
                    self.assertGreaterEqual(runs[1]["problem"]["other"], 0)

    def test_two_rungs(self):
        out, runs = self.traced("warp_shared_halving", "warp_shuffle", "--n", 8)
        self.assertEqual([run["name"] for run in runs], ["warp_shared_halving", "warp_shuffle"])
        self.assertEqual(out.count("\n"), 2)
        self.assertEqual(self.output("ladder", "warp_shuffle", "--trace-json", "-"),
                         self.output("ladder", "--only", "warp_shuffle", "--trace-json", "-"))

    def test_bad_input(self):
        def refused(why, *words, code=2):
            self.check_error(code, why, "ladder", *words)
        refused("--trace: unknown rung 'warp_shufle' (did you mean 'warp_shuffle'?)", "warp_shufle", "--trace", "a")
        refused("--trace: which rung? for example: monofold ladder warp_shuffle --trace a.html", "--trace", "a")
        refused("--trace: at most two rungs, found 3", "engine", "engine", "engine", "--trace", "a")
        refused("--trace: block_shared n is 1025; a page shows up to 1024 items", "block_shared", "--n", 1025,
                "--trace", "a")
        refused("--trace: block_shared n is 65; a page shows up to 64 letters", "block_shared", "--n", 65, "--op",
                "letters", "--trace", "a")
        refused("--trace: block_shared n is 0; a page needs an item", "block_shared", "--n", 0, "--trace", "a")
        refused("--trace: block_global_inplace has no bounds test: n must be a multiple of 64, not 65",
                "block_global_inplace", "--n", 65, "--trace", "a")
        refused("--trace: grid_atomic is played with sum, max, not letters", "grid_atomic", "--op", "letters",
                "--trace", "a")
        refused("--trace: block_shared shows its mistake with 64 items and sum alone", "block_shared", "--mistake",
                "--n", 128, "--trace", "a")
        refused("--mistake is for --trace", "--mistake")
        refused("--trace: only the emulated device sees what threads do", "engine", "--device", "gpu", "--trace", "a")
        refused("--trace: items are int32", "engine", "--dtype", "f64", "--trace", "a")
        refused("--trace: --trace-json FILE writes JSON", "engine", "--json", "--trace", "a")
        refused("--trace: unknown operator 'mean'", "engine", "--op", "mean", "--trace", "a")
        refused("no/a.html: cannot write: No such file or directory", "engine", "--trace", "no/a.html", code=1)

    def test_the_largest_page(self):
        code, _, err = self.run_tool("ladder", "engine", "engine", "--op", "matmul", "--n", 1024, "--trace", "a.html")
        self.assertEqual((code, err), (0, ""))
        self.assertLess(Path(self.folder, "a.html").stat().st_size, 400_000)

    def test_structs_in_shared_memory(self):
        """What a function returns in registers and its caller stores in a cell is seen as written."""
        for name in ("warp_shared_adjacent", "warp_shared_adjacent_padded", "block_ordered_stream",
                     "grid_ordered_two_launch", "grid_ordered_last_block"):
            _, (run,) = self.traced(name, "--op", "matmul", "--n", 20 if name.startswith("warp") else 100)
            self.assertEqual((run["problem"], run["result"]), (None, run["wanted"]), name)


if __name__ == "__main__":
    unittest.main()
