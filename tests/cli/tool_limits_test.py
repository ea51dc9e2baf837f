#!/usr/bin/env python3
"""How much memory the tool takes for inputs that do not fit."""

import os
import subprocess
import threading
import time
import unittest

import numpy as np

from tool import TOOL, ToolTest

MIB = 2**20
# The sanitizers' shadow memory is not what is measured here.
SANITIZED = b"__asan_init" in open(TOOL, "rb").read() if os.path.exists(TOOL) else False


@unittest.skipIf(SANITIZED, "shadow memory")
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


if __name__ == "__main__":
    unittest.main()
