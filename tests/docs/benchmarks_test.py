#!/usr/bin/env python3
"""Numbers on README.md and on pages of docs are those of bench/golden."""

import json
import re
import subprocess
import sys
import unittest

from snippets_test import TREE

GOLDEN = TREE / "bench" / "golden"
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
README = (TREE / "README.md").read_text(encoding="utf-8")
MEASURED = (TREE / "docs" / "exact" / "measured.md").read_text(encoding="utf-8")
DATA = {"uniform": "uniform", "normal": "normal", "growing": "growing", "log-normal": "lognormal",
        "any exponent": "any_exponent"}
AXES = (TREE / "docs" / "axes_measured.md").read_text(encoding="utf-8")
PYTHON = (TREE / "docs" / "python.md").read_text(encoding="utf-8")
PAGE = (TREE / "docs" / "benchmarks.md").read_text(encoding="utf-8")
SCALING = (TREE / "docs" / "scaling.md").read_text(encoding="utf-8")
GPU_TABLE = (TREE / "docs" / "gpu_table.md").read_text(encoding="utf-8")


def rows(file):
    return [json.loads(line) for line in (GOLDEN / file).read_text(encoding="utf-8").splitlines()]


def one(found, **keys):
    return [row for row in found if all(row.get(key) == value for key, value in keys.items())][0]


def time_over(found, peer, **keys):
    other = one(found, **{**keys, "path": peer})
    return f"{one(found, **keys)['median_ns'] / other['median_ns']:.2f}"


def cells(table):
    """The rows of a table of markdown, as lists; the line of dashes is left out."""
    lines = [line for line in table.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class Numbers(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cpu = rows("epyc-2core/reduce_cpu.jsonl")
        cls.exact_cpu = rows("xeon-2core/exact_cpu.jsonl")
        cls.gpu = rows("h200/reduce_gpu.jsonl")
        cls.exact_gpu = rows("h200/exact_gpu.jsonl")

    def assert_says(self, text):
        self.assertTrue(text in README, f"README.md does not say: {text}")

    def glance(self):
        big, medium = 4 << 30, 256 << 20
        float32 = {"dtype": "float32", "path": "runtime", "bytes": medium, "pages": "huge"}
        return {
            "CPU: plain sum of float32": time_over(self.cpu, "tbb", op="plain_sum", **float32),
            "CPU: exact sum of float64": time_over(self.exact_cpu, "numpy", path="runtime",
                                                   op="exact sum, uniform", dtype="float64",
                                                   bytes=medium),
            "CPU: eight statistics of float32": time_over(self.cpu, "numpy", op="stats", **float32),
            "GPU: plain sum of float32": time_over(rows("h200/table_gpu.jsonl"), "cub 3.6", op="plain_sum",
                                                   path="gpu", dtype="float32", bytes=big),
            "GPU: exact sum of float32": time_over(self.exact_gpu, "cub 3.6 gpu_to_gpu", path="gpu",
                                                   op="exact sum, uniform", dtype="float32",
                                                   bytes=big),
            "GPU: ordered product of 2 x 2 matrices": time_over(self.gpu, "cub 3.5 scan", path="gpu",
                                                                op="product", bytes=medium),
        }

    def test_at_a_glance(self):
        for name, value in self.glance().items():
            self.assert_says(f"| {name} | {value} |")
            self.assertRegex(PAGE, rf"\| {name}, 256 MiB \| {value} \||\| {name}, 4 GiB \| {value} \|")

    def test_claims(self):
        exact = one(self.exact_gpu, op="exact sum, uniform", dtype="float32", path="gpu",
                    bytes=4 << 30)
        self.assert_says(f"takes {1 / exact['times_as_fast']['plain']:.2f} times the time of a plain")
        product = one(self.cpu, op="product", path="header")
        self.assert_says(f"runs at {product['share']:.2f} of a CPU's")
        orders = [row for row in rows("epyc-2core/disagreement.jsonl") if row["question"] == "orders"]
        values = {name: {row["value"] for row in orders if row["library"].startswith(name)}
                  for name in ("NumPy", "monofold")}
        self.assert_says(f"takes {len(values['NumPy'])} values; ours takes {len(values['monofold'])}")

    def test_operations_of_one_core(self):
        found = rows("epyc-2core/operations_cpu.jsonl")
        part = PAGE.split("(../bench/golden/epyc-2core/operations_cpu.jsonl)")[1]
        count = 0
        for (_, *dtypes), *lines in (cells(text) for text in part.split("\n\n")[1:3]):
            for op, *values in lines:
                for dtype, value in zip(dtypes, values):
                    count += 1
                    row = one(found, op=op, dtype=dtype)
                    self.assertEqual(value, f"{row['before_gbps']:.1f} → {row['gbps']:.1f}")
        self.assertEqual(count, len(found))

    def test_gpu_table(self):
        table = cells(next(part for part in PAGE.split("\n\n") if "| exact sum of float32 |" in part))
        sizes = [int(cell.split()[0]) * UNITS[cell.split()[1]] for cell in table[0][1:]]
        count = 0
        for name, *values in table[1:]:
            op, dtype = re.fullmatch(r"(.*) of (\w+)", name).groups()
            exact = op == "exact sum"
            found = self.exact_gpu if exact else self.gpu
            peer = "cub 3.6 gpu_to_gpu" if exact else "cub 3.5 scan"
            for size, value in zip(sizes, values):
                if value:
                    count += 1
                    self.assertEqual(value, time_over(
                        found, peer, path="gpu", op="exact sum, uniform" if exact else op,
                        dtype=dtype, bytes=size), f"{name}, {size} bytes")
        self.assertEqual(count, 14)

    def test_parts_that_scripts_make(self):
        for script, page in [("table_gpu.py", GPU_TABLE), ("summary_gpu.py", PAGE), ("segments_gpu.py", AXES),
                             ("table_python.py", PYTHON), ("table_python_gpu.py", PYTHON),
                             ("table_scaling.py", SCALING)]:
            made = subprocess.run([sys.executable, TREE / "bench" / script], capture_output=True,
                                  text=True, check=True).stdout
            part = page.split(f"<!-- bench/{script}: begin -->")[1].split(f"<!-- bench/{script}: end")[0]
            self.assertEqual(part.strip(), made.strip(), f"make it again with bench/{script} --write")

    def test_exact_sums_on_a_gpu(self):
        part = MEASURED.split("## On a GPU")[1].split("## On a CPU")[0].split("\n\n")
        *by_size, by_data = [cells(text) for text in part if text.startswith("| items ")][:4]
        found = [row for row in rows("h200/table_gpu.jsonl") if row["path"] == "gpu"]
        for op, table in zip(["exact sum", "variance", "exact statistics"], by_size, strict=True):
            for dtype, *values in table[1:]:
                for size, value in zip(table[0][1:], values):
                    number, unit = size.split()
                    ours, plain = (one(found, op=name, dtype=dtype, bytes=int(number) * UNITS[unit])
                                   for name in (op, "plain_sum"))
                    self.assertEqual(value, f"{ours['median_ns'] / plain['median_ns']:.2f}", f"{op} {dtype} {size}")
        for dtype, *values in by_data[1:]:
            for data, value in zip(by_data[0][1:], values):
                self.assertEqual(value, time_over(self.exact_gpu, "plain", path="gpu", dtype=dtype,
                                                  op=f"exact sum, {DATA[data]}", bytes=4 << 30),
                                 f"{dtype} {data}")

    def test_exact_sums_on_a_cpu(self):
        part = MEASURED.split("## On a CPU")[1].split("\n\n")
        tables = [cells(text) for text in part if text.startswith("| items ")]
        for table, found, size in [(tables[0], self.exact_cpu, 256 << 20),
                                   (tables[1], rows("xeon-16core/exact_cpu.jsonl"), 1 << 30)]:
            for dtype, *values in table[1:]:
                for data, value in zip(table[0][1:], values):
                    plain = data.startswith("plain")
                    row = one(found, dtype=dtype, bytes=size,
                              path="runtime_plain" if plain else "runtime",
                              op=f"exact sum, {DATA['uniform' if plain else data]}")
                    self.assertEqual(value, f"{row['share']:.2f}", f"{dtype} {data}")


if __name__ == "__main__":
    unittest.main()
