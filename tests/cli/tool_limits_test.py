#!/usr/bin/env python3
"""How much memory the tool takes for inputs that do not fit."""

import os
import resource
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import memory_group
from tool import TOOL, ToolTest, is_sanitized, run

MIB = 2**20
# A small process between this one and the tool. The peak of a process begins at that of the one that started it: with
# NumPy that is more than the tool takes.
WATCH = """
import os, sys
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""
# What any input may take: buffers (a pipe 9 MiB, text 13 MiB), and the program, of which 8 MiB are read into memory.
# This machine measures 16 MiB for a pipe and 20 MiB for text.
LEAST_SEEN, MOST = 4 * MIB, 64 * MIB


def limit_addresses():
    """What a process does before it becomes the tool."""
    resource.setrlimit(resource.RLIMIT_AS, (512 * MIB, 512 * MIB))


@unittest.skipIf(is_sanitized(), "shadow memory")
class Memory(ToolTest):

    def start(self, *words):
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder)

    def feed(self, process, piece=b"", count=0):
        """What it prints, given a piece so many times."""
        def write():
            for _ in range(count):
                process.stdin.write(piece)
            process.stdin.close()
        writer = threading.Thread(target=write)
        writer.start()
        out, err = process.stdout.read(), process.stderr.read()
        writer.join()
        process.wait()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual((process.returncode, err), (0, b""))
        return out.decode()

    def peak(self, *words, piece=b"", count=0):
        """What the tool prints, and the most memory that it had, with pages of files."""
        process = self.start(sys.executable, "-S", "-c", WATCH, self.path("peak"), TOOL, *words)
        out = self.feed(process, piece, count)
        with open(self.path("peak"), encoding="ascii") as file:
            peak = int(file.read()) * 1024
        self.assertGreater(peak, LEAST_SEEN)
        return out, peak

    def test_a_long_pipe_takes_bounded_memory(self):
        piece = np.full(MIB, 0.25).tobytes()
        words = ["sum,top,var", "--dtype", "f64", "--format", "raw", "-k", "2"]
        out, peak = self.peak(*words, piece=piece, count=48)  # 384 MiB
        self.assertTrue(out.startswith(f"sum  {48 * MIB // 4}\n"), out)
        self.assertLess(peak, MOST)

    def test_a_long_text_takes_bounded_memory(self):
        piece = b"0.12345678901234567\n" * 400_000
        answer = f"count  {40 * 400_000}\nmax    0.12345678901234566\n"
        out, peak = self.peak("count,max", piece=piece, count=40)  # 320 MB
        self.assertEqual(out, answer)
        self.assertLess(peak, MOST)
        with open(self.path("long.txt"), "wb") as file:
            file.writelines([piece] * 10)
        out, peak = self.peak("count", "long.txt")
        self.assertEqual(out, f"{10 * 400_000}\n")
        self.assertLess(peak, MOST)

    def test_a_large_file_is_not_copied_into_memory(self):
        num_items = 62_500_000
        array = np.lib.format.open_memmap(self.path("big.npy"), "w+", "f8", (num_items,))
        array[-1] = 3  # the rest are holes, which take no disk
        del array
        process = self.start(TOOL, "stats", "big.npy")
        most = samples = 0
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                    fields = dict(line.split(":", 1) for line in file)
                most = max(most, int(fields.get("RssAnon", "0 kB").split()[0]) * 1024)
                samples += 1
            except (OSError, ValueError):
                break
            time.sleep(0.002)
        out, err = process.communicate()
        self.assertEqual((process.returncode, err), (0, b""))
        self.assertIn("argmax  62499999\n", out.decode())
        self.assertGreater(samples, 3)
        self.assertLess(most, 64 * MIB)

    def large_file(self, num_bytes=2**30):
        """A file of holes, which take no disk, but for its last item."""
        with open(self.path("large.bin"), "wb") as file:
            file.seek(num_bytes - 8)
            file.write(np.float64(3).tobytes())
        return ["sum,max,argmax", "large.bin", "--dtype", "f64", "--format", "raw"]

    @staticmethod
    def answers(num_bytes=2**30):
        return 0, f"sum     3\nmax     3\nargmax  {num_bytes // 8 - 1}\n", ""

    def test_a_ceiling_holds_for_files_much_larger(self):
        words = self.large_file()
        kinds = [[], ["--threads", "64", "--quiet"], ["--io", "map"]]
        if self.run_tool(*words, "--io", "direct")[0] == 0:  # not on every file system
            kinds.append(["--io", "direct"])
        for more in kinds:
            out, peak = self.peak(*words, "--memory", "32Mi", *more)
            self.assertEqual(out, self.answers()[1])
            if "map" not in more:
                self.assertLess(peak, (32 + 32) * MIB)  # with the program's text

    def test_the_system_keeps_the_ceiling(self):
        process = self.start(TOOL, "sum", "-", "--dtype", "f64", "--format", "raw", "--memory", "40Mi")
        process.stdin.write(bytes(8 * MIB))  # more than fits into a pipe: the tool runs
        process.stdin.flush()
        with open(f"/proc/{process.pid}/limits", encoding="ascii") as file:
            self.assertRegex(file.read(), rf"Max data size +{40 * MIB} ")
        self.assertEqual(self.feed(process), "0\n")

    def test_what_does_not_fit_is_an_error(self):
        words = ["top", "-k", "3000000", "large.bin", "--dtype", "f64", "--format", "raw"]
        self.large_file(2**26)
        self.assertEqual(self.run_tool(*words, "--memory", "32Mi"),
                         (1, "", "monofold: out of memory\n"))

    def test_columns_below_a_ceiling(self):
        grid = np.asfortranarray(np.random.default_rng(1).normal(size=(64, 200_000)))
        name = self.save("f.npy", grid)  # 98 MiB, fetched by 16
        self.assertEqual(self.output("argmax", name, "--memory", "48Mi"), f"{grid.argmax()}\n")

    def test_a_limit_from_outside(self):
        words = [*self.large_file(), "--threads", "2"]
        refused = "monofold: large.bin: cannot map the file: Cannot allocate memory\n"
        # By read calls: there is no room for a map.
        for more, expected in (([], self.answers()), (["--io", "map"], (3, "", refused))):
            self.assertEqual(run(*words, *more, cwd=self.folder, preexec_fn=limit_addresses), expected)

    def test_a_control_group(self):
        with memory_group.limited(64 * MIB) as group:
            if group is None:
                self.skipTest("no control group of memory may be made")
            size = 256 * MIB
            words = self.large_file(size)
            kinds = [[], ["--io", "map"], ["--io", "read"], ["--memory", "48Mi"]]
            if self.run_tool(*words, "--io", "direct")[0] == 0:
                kinds.append(["--io", "direct"])
            for more in kinds:
                found = run(*words, *more, cwd=self.folder, preexec_fn=group.enter)
                self.assertEqual(found, self.answers(size), more)
            piece = np.full(16 * MIB, 0.25).tobytes()  # 128 MiB
            raw = ["--dtype", "f64", "--format", "raw"]
            self.assertEqual(run("sum", *raw, stdin=piece, preexec_fn=group.enter), (0, f"{4 * MIB}\n", ""))
            text = b"0.125\n" * (16 * MIB)
            self.assertEqual(run("sum", stdin=text, preexec_fn=group.enter), (0, f"{2 * MIB}\n", ""))
            peak = group.peak_bytes()
            if peak is not None:  # the page cache alone fills the group
                self.assertGreater(peak, 48 * MIB)
                self.assertLessEqual(peak, 64 * MIB)

    def test_groups_that_were_left_are_removed(self):
        names = ["monofold_999999999", f"monofold_{os.getpid()}", "monofold_x"]
        for name in names:
            os.mkdir(self.path(name))
        memory_group.remove_stale(Path(self.folder))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names[1:]))


if __name__ == "__main__":
    unittest.main()
