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
AXES_CPU = (TREE / "docs" / "axes_cpu.md").read_text(encoding="utf-8")
GROUPS = (TREE / "docs" / "groups.md").read_text(encoding="utf-8")
PYTHON = (TREE / "docs" / "python.md").read_text(encoding="utf-8")
ROLLING = (TREE / "docs" / "rolling.md").read_text(encoding="utf-8")
PAGE = (TREE / "docs" / "benchmarks.md").read_text(encoding="utf-8")
SCALING = (TREE / "docs" / "scaling.md").read_text(encoding="utf-8")
GPU_TABLE = (TREE / "docs" / "gpu_table.md").read_text(encoding="utf-8")
GPU = (TREE / "docs" / "gpu.md").read_text(encoding="utf-8")
ANY_SIZE = (0, 1 << 62)
FLOATS = ("float32", "float64", "bfloat16", "float16")


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


def words(text):
    """A text in one line, so that a sentence of it is found wherever lines end."""
    return " ".join(text.split())


def ends(values):
    return f"{min(values):.2f} to {max(values):.2f}"


class Numbers(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cpu = rows("epyc-2core/reduce_cpu.jsonl")
        cls.exact_cpu = rows("xeon-2core/exact_cpu.jsonl")
        cls.gpu = rows("h200/reduce_gpu.jsonl")
        cls.exact_gpu = rows("h200/exact_gpu.jsonl")

    def assert_says(self, text, page=README):
        self.assertTrue(words(text) in words(page), f"{page.splitlines()[0]} does not say: {text}")

    def beside_cub(self, ops, dtypes, sizes=ANY_SIZE, time="median_ns"):
        """Our times over CUB's in the H200's table."""
        found = rows("h200/table_gpu.jsonl")
        peers = {(row["op"], row["dtype"], row["bytes"]): row[time] for row in found if row["path"] != "gpu"}
        return [row[time] / peers[row["op"], row["dtype"], row["bytes"]] for row in found
                if row["path"] == "gpu" and row["op"] in ops and (not dtypes or row["dtype"] in dtypes)
                and sizes[0] <= row["bytes"] <= sizes[1]]

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
            "GPU: ordered product of 2 x 2 matrices": time_over(self.gpu, "cub 3.6 scan", path="gpu",
                                                                op="product", bytes=medium),
        }

    def test_at_a_glance(self):
        for name, value in self.glance().items():
            self.assert_says(f"| {name} | {value} |")
            self.assertRegex(PAGE, rf"\| {name}, 256 MiB \| {value} \||\| {name}, 4 GiB \| {value} \|")
        losses = [f"{self.beside_cub([op], ['float32'], (1 << 20, 1 << 20))[0]:.2f}"
                  for op in ("exact sum", "exact statistics")]
        self.assert_says(f"exact sum, eight exact statistics | {losses[0]}, {losses[1]} |")
        self.assert_says(f"| GPU: exact sum of float32, 1 MiB | {losses[0]} |", PAGE)
        self.assert_says(f"| GPU: eight exact statistics of float32, 1 MiB | {losses[1]} |", PAGE)

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

    def test_when_not_to_use_it(self):
        mib = 1 << 20
        int64, statistics = ([max(self.beside_cub(*of, time=time)) for time in ("median_ns", "isolated_ns")] for of in
                             [(["sum"], ["int64"]),
                              (["exact statistics", "plain statistics"], [], (mib, mib))])
        self.assert_says(f"sums of int64 take up to {int64[0]:.2f} times CUB's time (isolated {int64[1]:.2f}), "
                         f"eight statistics of 1 MiB {statistics[0]:.2f} ({statistics[1]:.2f})")

    def test_shares_of_a_cpu(self):
        """The first table's cells are the smaller of two shares, the second's those of medians."""
        tables = [cells(part) for part in PAGE.split("## On a CPU")[1].split("\n\n") if part.startswith("|")]
        count = 0
        for op, *values in tables[0][1:]:
            op = {"eight statistics at once": "stats", "top 10": "top10"}.get(op, op)
            for dtype, value in zip(tables[0][0][1:], values):
                if value:
                    count += 1
                    row = one(self.cpu, op=op, dtype=dtype, path="runtime", pages="huge")
                    times = row["times_as_fast"]["numpy"]
                    self.assertEqual(value, f"{min(row['share'], row['undisturbed_share']):.2f} "
                                            f"({times:.{0 if times >= 10 else 1}f})", f"{op} {dtype}")
        self.assertEqual(count, 21)
        of_headers = {name: (share, times) for name, share, times in tables[1][1:]}
        for name, op in [("product of 2 x 2 matrices", "product"), ("longest run", "longest_run"),
                         ("longest run, with `absorb_run`", "run_by_runs"), ("string hash", "hash"),
                         ("string hash, with `absorb_run`", "hash_by_runs")]:
            row = one(self.cpu, op=op, path="header")
            self.assertEqual(of_headers[name], (f"{row['share']:.2f}", f"{row['times_as_fast']['serial']:.1f}"), name)
        for name, (shares, _) in of_headers.items():
            if name.startswith("plain "):
                op = "var" if "variance" in name else "stats"
                self.assertEqual(shares, ", ".join(
                    f"{one(self.cpu, op=op, dtype=dtype, path='header', pages='huge')['share']:.2f}"
                    for dtype in re.findall(r"float\d+|int\d+", name)), name)

    def test_calls_that_wait(self):
        def over(peer, most):
            found = [row for row in self.gpu if row["op"] == "plain_sum and wait" and row["bytes"] <= most]
            return ends([float(time_over(found, peer, path="gpu", bytes=row["bytes"])) for row in found
                         if row["path"] == "gpu"])
        cub, thrust = ([over(peer, most) for most in (4 << 20, 64 << 20)] for peer in ("cub 3.6, copy, wait", "thrust"))
        self.assert_says(f"take {cub[1]} of the time of CUB 3.6's with a copy and a wait, and {thrust[1]} of Thrust's "
                         f"(1 KiB to 64 MiB; up to 4 MiB {cub[0]}, where 0.40 is asked, and {thrust[0]})", PAGE)
        self.assert_says(f"That is {cub[0]} of the time of CUB 3.6 with a copy and a wait, where 0.40 is asked, and "
                         f"{thrust[0]} of Thrust's. Up to 64 MiB it is {cub[1]} and {thrust[1]}.", GPU)

    def test_pytorch_and_cupy(self):
        peers = rows("h200/peers_gpu.jsonl")
        part = PAGE.split("### PyTorch and CuPy")[1]
        lines = cells(next(text for text in part.split("\n\n") if text.startswith("|")))
        columns = [(path, size) for path in ("torch 2.11", "cupy 14.2") for size in (1 << 20, 256 << 20, 4 << 30)]
        for name, *values in lines[1:]:
            op, dtype = name.split(" of ")
            for (path, size), value in zip(columns, values):
                if value:
                    keys = {"op": op, "dtype": dtype, "bytes": size}
                    self.assertEqual(value, time_over(self.gpu + peers, path, path="gpu", **keys), f"{name} {path}")

    def test_what_is_said_of_a_gpu(self):
        """Numbers between tables."""
        kib, mib = 1 << 10, 1 << 20
        sums = [f"{self.beside_cub(['plain_sum'], ['float32'], (size, size))[0]:.2f}"
                for size in (mib, 4 * mib, 16 * mib)]
        self.assert_says(f"A plain sum of float32 takes {sums[0]} of CUB's time at 1 MiB, {sums[1]} at 4 MiB and "
                         f"{sums[2]} at 16 MiB", GPU)
        int64 = ends(self.beside_cub(["sum"], ["int64"], (mib, 1 << 62)))
        self.assert_says(f"Sums of int64 take {int64} of CUB's time from 1 MiB on", GPU)
        short = (0, 16 * kib)
        few, int64 = (max(self.beside_cub(["plain_sum", "sum"], dtypes, short, "isolated_ns")) for dtypes in
                      ([*FLOATS, "int8", "int32"], ["int64"]))
        both, int_types = ["exact statistics", "plain statistics"], ["int8", "int32", "int64"]
        for text in [
                f"sums of up to 16 KiB take up to {few:.2f}, of int64 {int64:.2f}",
                f"({ends(self.beside_cub(['exact sum'], FLOATS, (64 * kib, 16 * mib)))}; of 1 KiB only",
                f"from 64 MiB on** (up to {max(self.beside_cub(['exact sum'], FLOATS, (64 * mib, 1 << 62))):.2f})",
                "(exact ones of float32 and 16-bit floats "
                f"{ends(self.beside_cub(both[:1], [f for f in FLOATS if f != 'float64'], (0, 4 * mib)))}, of float64 "
                f"{ends(self.beside_cub(both[:1], ['float64'], (0, 4 * mib)))}; plain ones "
                f"{ends(self.beside_cub(both[1:], FLOATS, (4 * kib, 4 * mib)))}, of 1 KiB "
                f"{ends(self.beside_cub(both[1:], FLOATS, (0, kib)))})",
                f"of integers up to 1 MiB** ({ends(self.beside_cub(both, int_types, (0, mib)))})",
                f"of int64 from 64 MiB on** ({ends(self.beside_cub(both, ['int64'], (64 * mib, 1 << 62)))})",
                f"of float64 from 16 MiB on** ({ends(self.beside_cub(both[:1], ['float64'], (16 * mib, 1 << 62)))})",
                f"of floats from 16 MiB on** ({ends(self.beside_cub(both[1:], FLOATS, (16 * mib, 1 << 62)))})"]:
            self.assert_says(text, GPU_TABLE)
        missed = dict(re.findall(r"^\| (max|argmax) \|.*?\| (\d+ of 77 \| \d+) of 77", GPU_TABLE, re.MULTILINE))
        counts = [sum(map(int, missed[op].split(" of 77 | "))) for op in ("max", "argmax")]
        self.assert_says(f"({counts[0]} and {counts[1]} cells, in a stream and isolated)", GPU_TABLE)

    def test_kernels_are_those_that_may_be(self):
        bounds = (TREE / "tests" / "weight" / "weight_test.py").read_text(encoding="utf-8")
        folds, of_rows = (re.search(rf"^{name} = (\d+)", bounds, re.MULTILINE)[1]
                          for name in ("MOST_KERNELS", "MOST_ROW_KERNELS"))
        self.assert_says(f"| at most 190 | {folds} |", PAGE)
        self.assert_says(f"not counted above | | | {of_rows} |", PAGE)
        engine = (TREE / "docs" / "axes_engine.md").read_text(encoding="utf-8")
        self.assert_says(f"There are {of_rows}, since one kernel serves several operations", engine)

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

    def test_sixteen_cores(self):
        """What is said beside the table that bench/table_bench.py makes."""
        found = [row for row in rows("xeon-16core/bench_cpu.jsonl")
                 if row["bytes"] == 10**9 and row["instruction_set"] == "AVX3"]
        reads = {row["dtype"]: row["gbps"] for row in found if row["op"] == "read"}
        ends_gbps = [f"{end(reads.values()):.0f}" for end in (min, max)]
        self.assert_says(f"124 to 151 GB/s, in `bench_cpu` {ends_gbps[0]} to {ends_gbps[1]} |", PAGE)
        for row in found:
            self.assertEqual(row["rounds"], 3)
            self.assertGreaterEqual(row["best_share_of_read"], row["share_of_read"])
        rounds = [row["gbps_of_rounds"] for row in found if row["op"] == "read"]
        self.assert_says(f"varies by up to {max(max(own) / min(own) for own in rounds):.1f} times", PAGE)

    def test_gpu_table(self):
        table = cells(next(part for part in PAGE.split("\n\n") if "| exact sum of float32 |" in part))
        sizes = [int(cell.split()[0]) * UNITS[cell.split()[1]] for cell in table[0][1:]]
        count = 0
        for name, *values in table[1:]:
            op, dtype = re.fullmatch(r"(.*) of (\w+)", name).groups()
            exact = op == "exact sum"
            found = self.exact_gpu if exact else self.gpu
            peer = "cub 3.6 gpu_to_gpu" if exact else "cub 3.6 scan"
            for size, value in zip(sizes, values):
                if value:
                    count += 1
                    self.assertEqual(value, time_over(
                        found, peer, path="gpu", op="exact sum, uniform" if exact else op,
                        dtype=dtype, bytes=size), f"{name}, {size} bytes")
        self.assertEqual(count, 14)

    def test_parts_that_scripts_make(self):
        for script, page in [("table_gpu.py", GPU_TABLE), ("summary_gpu.py", PAGE), ("asked_gpu.py", PAGE),
                             ("table_bench.py", PAGE), ("table_files.py", PAGE),
                             ("segments_gpu.py", AXES), ("table_axes.py", AXES_CPU),
                             ("table_groups.py", GROUPS),
                             ("table_python.py", PYTHON), ("table_python_gpu.py", PYTHON),
                             ("table_bitrep.py", PYTHON), ("table_rolling.py", ROLLING),
                             ("table_scaling.py", SCALING),
                             *[("table_groups_gpu.py", GROUPS) for _ in GOLDEN.glob("*/groups_gpu.jsonl")][:1]]:
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

    def test_exact_sums_at_a_glance(self):
        found = [row for row in rows("h200/table_gpu.jsonl") if row["path"] == "gpu"]
        plain = {(row["dtype"], row["bytes"]): row["median_ns"] for row in found if row["op"] == "plain_sum"}
        over = {(row["dtype"], row["bytes"]): row["median_ns"] / plain[row["dtype"], row["bytes"]]
                for row in found if row["op"] == "exact sum"}
        kib, mib = 1 << 10, 1 << 20
        middle = ends([value for (_, size), value in over.items() if 64 * kib <= size <= 4 * mib])
        short = ends([value for (_, size), value in over.items() if size < 64 * kib])
        at_16 = ends([value for (dtype, size), value in over.items() if size == 16 * mib and dtype != "float64"])
        self.assert_says(f"take {middle} times as long as plain ones from 64 KiB to 4 MiB, and {short} times below. "
                         f"At 16 MiB it is {over['float64', 16 * mib]:.2f} for float64, {at_16} for float32", MEASURED)

        def slowest(found, least, most, value):
            """The largest ratio of far exponents' sums to uniform data's."""
            both = {(row["op"].split(", ")[1], row["dtype"], row["bytes"]): value(row) for row in found
                    if row["path"] in ("gpu", "runtime") and row["op"].startswith("exact sum, ")}
            return max(time / both["uniform", dtype, size] for (_, dtype, size), time in both.items()
                       if least <= size <= most)

        large, small = (slowest(self.exact_gpu, *sizes, lambda row: row["median_ns"])
                        for sizes in ((256 * mib, 1 << 62), (mib, mib)))
        cpu = max(slowest(file, 256 * mib, 1 << 62, lambda row: 1 / row["share"])
                  for file in (self.exact_cpu, rows("xeon-16core/exact_cpu.jsonl")))
        self.assert_says(f"take up to {large:.1f} times as long as uniform data on a GPU from 256 MiB on, up to "
                         f"{small:.1f} times at 1 MiB, and up to {cpu:.1f} times on a CPU", MEASURED)

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
