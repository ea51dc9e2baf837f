#!/usr/bin/env python3
"""How much memory the tool takes for inputs that do not fit."""

import os
import resource
import subprocess
import threading
import time
import unittest

import numpy as np

from tool import TOOL, ToolTest, is_sanitized, run

MIB = 2**20


def limit_addresses():
    """What a process does before it becomes the tool."""
    resource.setrlimit(resource.RLIMIT_AS, (512 * MIB, 512 * MIB))


# A control group below which this test may make one: /sys/fs/cgroup/..., of either version.
GROUP = os.environ.get("MONOFOLD_MEMORY_GROUP")


@unittest.skipIf(is_sanitized(), "shadow memory")
class Memory(ToolTest):

    def start(self, *words):
        return subprocess.Popen([TOOL, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder)

    def feed(self, process, piece, count):
        def write():
            for _ in range(count):
                process.stdin.write(piece)
            process.stdin.close()
        writer = threading.Thread(target=write)
        writer.start()
        out, err = process.stdout.read(), process.stderr.read()
        writer.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual((process.returncode, err), (0, b""))
        return out.decode(), usage.ru_maxrss * 1024

    def test_a_long_pipe_takes_bounded_memory(self):
        piece = np.full(MIB, 0.25).tobytes()
        process = self.start("sum,top,var", "--dtype", "f64", "--format", "raw", "-k", "2")
        out, peak = self.feed(process, piece, 48)  # 384 MiB
        self.assertTrue(out.startswith(f"sum  {48 * MIB // 4}\n"), out)
        self.assertLess(peak, 256 * MIB)

    def test_a_long_text_takes_bounded_memory(self):
        piece = b"0.12345678901234567\n" * 400_000
        process = self.start("count,max")
        out, peak = self.feed(process, piece, 40)  # 320 MB
        self.assertEqual(out, f"count  {40 * 400_000}\nmax    0.12345678901234566\n")
        self.assertLess(peak, 256 * MIB)

    def test_a_large_file_is_not_copied_into_memory(self):
        num_items = 62_500_000
        array = np.lib.format.open_memmap(self.path("big.npy"), "w+", "f8", (num_items,))
        array[-1] = 3  # the rest are holes, which take no disk
        del array
        process = self.start("stats", "big.npy")
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

    ANSWERS = (0, f"sum     3\nmax     3\nargmax  {2**27 - 1}\n", "")

    def test_a_ceiling_holds_for_files_much_larger(self):
        words = self.large_file()
        kinds = [[], ["--threads", "64", "--quiet"], ["--io", "map"]]
        if self.run_tool(*words, "--io", "direct")[0] == 0:  # not on every file system
            kinds.append(["--io", "direct"])
        for more in kinds:
            process = self.start(*words, "--memory", "32Mi", *more)
            out, peak = self.feed(process, b"", 0)
            self.assertEqual(out, self.ANSWERS[1])
            if "map" not in more:
                self.assertLess(peak, (32 + 32) * MIB)  # with the program's text

    def test_the_system_keeps_the_ceiling(self):
        process = self.start("sum", "-", "--dtype", "f64", "--format", "raw", "--memory", "40Mi")
        process.stdin.write(bytes(8 * MIB))  # more than fits into a pipe: the tool runs
        process.stdin.flush()
        with open(f"/proc/{process.pid}/limits", encoding="ascii") as file:
            self.assertRegex(file.read(), rf"Max data size +{40 * MIB} ")
        self.assertEqual(self.feed(process, b"", 0)[0], "0\n")

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
        for more, expected in (([], self.ANSWERS), (["--io", "map"], (3, "", refused))):
            self.assertEqual(run(*words, *more, cwd=self.folder, preexec_fn=limit_addresses), expected)

    @unittest.skipIf(GROUP is None, "MONOFOLD_MEMORY_GROUP names no control group")
    def test_a_control_group(self):
        group = f"{GROUP}/monofold_{os.getpid()}"
        os.mkdir(group)
        self.addCleanup(os.rmdir, group)
        limits = [f"{group}/{name}" for name in ("memory.max", "memory.limit_in_bytes")]
        with open(next(filter(os.path.exists, limits)), "w", encoding="ascii") as file:
            file.write(str(64 * MIB))

        def enter():
            with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(os.getpid()))

        words = self.large_file()
        for more in ([], ["--io", "map"], ["--memory", "48Mi"]):
            self.assertEqual(run(*words, *more, cwd=self.folder, preexec_fn=enter), self.ANSWERS)


if __name__ == "__main__":
    unittest.main()
