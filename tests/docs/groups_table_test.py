#!/usr/bin/env python3
"""bench/table_groups_gpu.py makes the tables that its rows say, between its marks on docs/groups.md alone."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from benchmarks_test import GROUPS, cells
from snippets_test import TREE


class Tables(unittest.TestCase):

    def write(self, tree, made):
        """The page of groups in a tree of its own, after its script has written what made rows say."""
        for script in ("figures.py", "table_groups_gpu.py"):
            (tree / "bench").mkdir(exist_ok=True)
            shutil.copy(TREE / "bench" / script, tree / "bench")
        (tree / "docs").mkdir(exist_ok=True)
        (tree / "docs" / "groups.md").write_text(GROUPS, encoding="utf-8")
        if made:
            golden = tree / "bench" / "golden" / "h300"
            golden.mkdir(parents=True)
            (golden / "groups_gpu.jsonl").write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
        code = subprocess.run([sys.executable, tree / "bench" / "table_groups_gpu.py", "--write"], check=False,
                              capture_output=True).returncode
        return code, (tree / "docs" / "groups.md").read_text(encoding="utf-8")

    def test_tables_of_made_rows(self):
        def row(kind, op, path, dtype, keys, **more):
            return {"kind": kind, "op": op, "path": path, "dtype": dtype, "keys": keys, "commit": "c0ffee",
                    "instruction_set": "a GPU", **more}

        made = []
        for length, cub in [(1, 4e6), (3, 2e6)]:
            shape = {"bytes": 12 << 28, "length": length, "num_segments": (1 << 28) // length}
            for op, path, ns in [("plain_sum", "gpu", 2e6), ("sum", "gpu", 3e6), ("mean", "gpu", 5e6),
                                 ("max", "gpu", 1e6), ("plain_sum", "cub 9.9", cub), ("max", "cub 9.9", cub / 4),
                                 ("plain_sum", "cub 9.9 called", cub * 5 / 4), ("max", "cub 9.9 called", cub / 2)]:
                made.append(row("runs", op, path, "float32", "int64", median_ns=ns, **shape))
        shape = {"bytes": 160_000_000, "length": 50_000, "num_segments": 200}
        for kind, op, path, ns in [
                ("sorted", "plain_sum", "gpu", 1e6), ("sorted", "sum", "gpu", 2e6), ("sorted", "mean", "gpu", 3e6),
                ("sorted", "max", "gpu", 4e6), ("first", "plain_sum", "gpu", 5e6), ("first", "sum", "gpu", 6e6),
                ("first", "mean", "gpu", 7e6), ("first", "max", "gpu", 8e6), ("sorted", "sum", "gpu, to the host", 9e6),
                ("sorted", "plain_sum", "cub 9.9 all bits", 11e6), ("sorted", "max", "cub 9.9 all bits", 12e6),
                ("sorted", "plain_sum", "cub 9.9 known bits", 4e6), ("sorted", "max", "cub 9.9 known bits", 5e6)]:
            made.append(row(kind, op, path, "float64", "int64", median_ns=ns, **shape))

        with tempfile.TemporaryDirectory() as tree:
            code, page = self.write(Path(tree), made)
        self.assertEqual(code, 0)
        begin, end = (f"<!-- bench/table_groups_gpu.py: {which} -->" for which in ("begin", "end"))
        for text in (page, GROUPS):
            self.assertEqual((text.count(begin), text.count(end)), (1, 1))
        self.assertEqual(page.split(begin)[0] + page.split(end)[1], GROUPS.split(begin)[0] + GROUPS.split(end)[1])
        part = page.split(begin)[1].split(end)[0]
        for text in ["(h300: a GPU; commit c0ffee;", "[rows](../bench/golden/h300/groups_gpu.jsonl)"]:
            self.assertIn(text, part)
        self.assertEqual(cells(part), [
            ["2^28 by int64, items in a run", "1", "3"], ["plain sums", "0.50", "1.00"], ["exact sums", "0.75", "1.50"],
            ["exact means", "1.25", "2.50"], ["max", "1.00", "2.00"], ["CUB 9.9's plain sums, ms", "4.00", "2.00"],
            ["10 000 000 float64 by int64", "200 groups"], ["plain sums, by key", "1.00 (0.25)"],
            ["exact sums, by key", "2.00 (0.50)"], ["exact means, by key", "3.00 (0.75)"],
            ["max, by key", "4.00 (0.80)"],
            ["plain sums, in order of first items", "5.00"], ["exact sums, in order of first items", "6.00"],
            ["exact means, in order of first items", "7.00"], ["max, in order of first items", "8.00"],
            ["exact sums, by key, in vectors of the host", "9.00"],
            ["CUB 9.9: plain sums, all 64 bits sorted", "11.00"],
            ["CUB 9.9: max, all 64 bits sorted", "12.00"],
            ["CUB 9.9: plain sums, only the bits sorted that these keys have", "4.00"],
            ["CUB 9.9: max, only the bits sorted that these keys have", "5.00"]])
        self.assertEqual([text for text in part.splitlines() if text.startswith("- ")], [
            "- exact sums: 1 of 2, at worst 1.50 (2^28 by int64, runs of 3)",
            "- exact means: 2 of 2, at worst 2.50 (2^28 by int64, runs of 3)",
            "- max: 1 of 2, at worst 2.00 (2^28 by int64, runs of 3)",
            "- exact sums: 1 of 2, at worst 1.20 (2^28 by int64, runs of 3)",
            "- exact means: 1 of 2, at worst 2.00 (2^28 by int64, runs of 3)"])

    def test_page_without_rows_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as tree:
            code, page = self.write(Path(tree), [])
        self.assertNotEqual(code, 0)
        self.assertEqual(page, GROUPS)


if __name__ == "__main__":
    unittest.main()
