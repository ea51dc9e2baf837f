#!/usr/bin/env python3
"""The command bench: in memory, of a file, of one on its drive; and what keeps it from measuring."""

import json
import mmap
import os
import re
import resource
import subprocess
import time
import unittest
from pathlib import Path

import numpy as np

from tool import TOOL, ToolTest, is_sanitized, run

COLD = "monofold: a.npy: bench --cold: "


class Bench(ToolTest):
    def test_bench(self):
        out = self.output("bench", "--size", "4M", "--ops", "sum,min,dot")
        self.assertEqual(re.findall(r"^(\w+) +[\d.]+ +[\d.]+ +\d+ %$", out, re.M),
                         ["read", "sum", "min", "dot"])
        rows = [json.loads(line) for line in
                self.output("bench", "--size", "1M", "--dtype", "u8", "--json").splitlines()]
        self.assertEqual(rows[0]["op"], "read")
        self.assertEqual(rows[-1]["op"], "stats")
        self.assertTrue(all(row["gbps"] > 0 and row["bytes"] == 1_000_000 for row in rows))
        tiny = [json.loads(line) for line in
                self.output("bench", "--size", "9", "--dtype", "int8", "--ops", "sum", "--json").splitlines()]
        self.assertEqual([row["op"] for row in tiny], ["read", "sum"])
        self.assertTrue(all(0 < row["gbps"] < 1000 for row in tiny))
        self.assertIn("baseline", self.output("bench", "--size", "1M", "--ops", "sum", "--instruction-set", "baseline"))

    def test_bench_of_a_file(self):
        array = self.save("a.npy", np.arange(5000.0))
        loops = [("loop", io) for io in ("map", "map, pages asked for", "pread, 64 KiB", "pread, 256 KiB",
                                         "pread, 1 MiB")]
        rows = [json.loads(line) for line in self.output("bench", array, "--json").splitlines()]
        self.assertEqual([(row["op"], row["io"]) for row in rows],
                         loops + [(op, io) for op in ("sum", "max") for io in ("auto", "map", "read")])
        self.assertEqual(max(row["share_of_best_loop"] for row in rows if row["op"] == "loop"), 1)
        self.assertTrue(all(row["gbps"] > 0 and row["bytes"] == 40_128 and not row["cold"] for row in rows))
        self.assertTrue(all(("instruction_set" in row) == (row["op"] != "loop") for row in rows))
        raw = self.write("a.bin", np.arange(5000, dtype="i2").tobytes())
        out = self.output("bench", raw, "--dtype", "i16", "--ops", "mean", "--threads", "1")
        self.assertRegex(out, r"^10 kB of int16 in \S+, in the page cache, [\w-]+; median of")
        self.assertEqual(len(re.findall(r"^mean +(?:auto|map|read) +1 +[\d.]+ +[\d.]+ +\d+ %$", out, re.M)), 3)
        self.assertEqual(self.run_tool("bench", self.write("a.txt", "1\n2\n")),
                         (3, "", "monofold: a.txt: bench measures files of .npy and raw items\n"))
        self.assertEqual(self.run_tool("bench", array, "--ops", "xor")[0], 4)

    def test_bench_of_a_cold_file(self):
        """Where files stay in memory, as on tmpfs, there is nothing to measure."""
        code, out, err = self.run_tool("bench", self.save("a.npy", np.arange(5000.0)), "--cold", "--json")
        if code == 0:
            rows = [json.loads(line) for line in out.splitlines()]
            self.assertEqual([(row["op"], row["io"], row["cold"]) for row in rows],
                             [("loop", "O_DIRECT, 1 MiB", True), ("loop", "O_DIRECT, 4 MiB", True)] +
                             [(op, io, True) for op in ("sum", "max") for io in ("auto", "map", "read", "direct")])
            direct = {row["threads"] for row in rows if row["op"] == "loop" or row["io"] == "direct"}
            self.assertEqual(direct, {2 * len(os.sched_getaffinity(0))})
            asked = self.json("bench", "a.npy", "--cold", "--threads", "3")
            self.assertEqual({row["threads"] for row in asked}, {3})
        else:
            self.assertEqual((code, out), (3, ""))
            self.assertRegex(err, r"the file stays in memory|cannot open")

    def test_what_cannot_be_measured(self):
        array = self.save("a.npy", np.arange(5000.0))
        for ops in ("dot", "sum,dot"):
            self.check_error(2, "--ops: dot takes two files", "bench", array, "--ops", ops)
        self.check_error(2, "bench reads its file several times, which standard input cannot be", "bench", "-")
        self.check_error(2, "--size: not with a file", "bench", array, "--size", "1M")
        self.check_error(3, ": cannot open: No such file or directory", "bench", "")
        rows = self.json("bench", array, "--ops", "count,sum")
        self.assertEqual({row["op"] for row in rows}, {"loop", "sum"})

    def test_a_file_that_shrinks(self):
        for wait in (0, 0.01, 0.02, 0.05):
            name = self.write("shrinks.bin", b"")
            os.truncate(self.path(name), 2**28)
            with subprocess.Popen([TOOL, "bench", name, "--dtype", "f64"], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                while process.poll() is None and name not in Path(f"/proc/{process.pid}/maps").read_text():
                    time.sleep(0.001)
                time.sleep(wait)
                os.truncate(self.path(name), 4096)
                out, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, out), (3, b""), err)
            self.assertEqual(err.count(b"\n"), 1)

    @unittest.skipIf(is_sanitized(), "sanitizers have memory of their own")
    def test_threads_and_buffers_that_cannot_be_made(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (14_000_000, 14_000_000))

        name = self.write("a.bin", bytes(2**25))
        for words in ([name, "--dtype", "f64"], [name, "--dtype", "f64", "--cold"], ["--size", "1M", "--ops", "sum"]):
            code, out, err = run("bench", *words, "--threads", "64", cwd=self.folder, preexec_fn=limit)
            if code != 0:
                self.assertIn(code, (1, 3), err)
                self.assertEqual(out, "")
                self.assertRegex(err, r"\Amonofold: .*(out of memory|stays in memory|cannot open).*\n\Z")

    def test_a_file_that_others_keep_in_memory(self):
        name = self.save("a.npy", np.arange(2.0**20))
        if self.run_tool("bench", name, "--cold")[0] != 0:
            self.skipTest("files here stay in memory")
        with open(self.path(name), "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as items:
            half = len(items) // 2
            self.assertEqual(len(items[half:]), len(items) - half)  # not the first page
            self.assertEqual(self.run_tool("bench", name, "--cold"), (3, "", COLD + "the file stays in memory\n"))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_a_file_of_somebody_else(self):
        name = self.save("a.npy", np.arange(5000.0))
        os.chmod(self.folder, 0o755)
        os.chmod(self.path(name), 0o644)
        try:
            found = run("bench", name, "--cold", cwd=self.folder, user=65534, group=65534, extra_groups=[])
        except PermissionError:
            self.skipTest("nobody else can run the tool")
        self.assertEqual(found, (3, "", COLD + "only for a file that is yours or that you may write\n"))


if __name__ == "__main__":
    unittest.main()
