#!/usr/bin/env python3
"""Help, the files made from it, and the commands info, verify and generate."""

import json
import os
import pty
import shutil
import subprocess
import time
import unittest

import numpy as np

from tool import TOOL, TREE, ToolTest, is_sanitized


class Texts(ToolTest):

    def committed(self, name):
        with open(os.path.join(TREE, name), encoding="utf-8") as file:
            return file.read()

    def test_committed_copies_are_those_that_the_tool_makes(self):
        self.assertEqual(self.committed("docs/man/monofold.1"), self.output("--man"))
        self.assertEqual(self.committed("completions/monofold.bash"),
                         self.output("--completion", "bash"))
        self.assertEqual(self.committed("completions/_monofold"), self.output("--completion", "zsh"))
        self.assertEqual(self.committed("docs/ladder.md"), self.output("ladder", "--markdown"))

    def complete(self, *words):
        script = (f"source {TREE}/completions/monofold.bash; COMP_WORDS=({' '.join(words)!s}); "
                  f"COMP_CWORD={len(words) - 1}; _monofold; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash_completion(self):
        self.assertEqual(self.complete("monofold", "argm"), ["argmin", "argmax"])
        self.assertEqual(self.complete("monofold", "sum,argmi"), ["sum,argmin"])
        self.assertEqual(self.complete("monofold", "sum", "--thr"), ["--threads"])
        self.assertEqual(self.complete("monofold", "sum", "--nan", "o"), ["omit"])
        self.assertEqual(self.complete("monofold", "bench", "--si"), ["--size"])
        self.assertIn("float32", self.complete("monofold", "sum", "--dtype", "fl"))
        self.assertEqual(self.complete("monofold", "sum", "--header", "y"), ["yes"])
        self.assertEqual(self.complete("monofold", "in"), ["info"])
        self.assertEqual(self.complete("monofold", "ladder", "--only", "grid_v"), ["grid_vector"])
        self.assertEqual(self.complete("monofold", "ladder", "--op", "ma"), ["max", "matmul"])
        self.assertIn("emulated", self.complete("monofold", "ladder", "--device", "e"))
        after_comma = self.complete("monofold", "mean,")
        self.assertIn("mean,max", after_comma)
        for command in ("info", "verify", "bench", "generate", "ladder"):
            self.assertNotIn(f"mean,{command}", after_comma)
        self.assertEqual(self.complete("monofold", "bench", "--ops", "mean,m"),
                         ["mean,mean", "mean,min", "mean,max", "mean,minmax", "mean,mean_square"])
        self.assertEqual(self.complete("monofold", "bench", "--ops", "argm"), ["argmin", "argmax"])

    def test_the_man_page_is_well_formed(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", f"{TREE}/docs/man/monofold.1"],
                              capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")

    def test_help(self):
        overview = self.output("--help")
        self.assertLessEqual(max(map(len, overview.splitlines())), 80)
        self.assertNotIn("--completion", overview)
        for command in ("info", "verify", "bench", "generate", "ladder"):
            self.assertTrue(self.output(command, "--help").startswith(f"monofold {command} "))
        self.assertIn("answer", self.output("argmin", "--help"))
        self.assertRegex(self.output("--version"), r"^monofold \d+\.\d+\.\d+\n$")

    def test_no_colour(self):
        self.assertNotIn("\x1b", self.output("--help") + self.output("info"))


class Progress(ToolTest):

    def slow_sum(self, stderr, *words):
        """A sum of numbers that arrive over more than a second and a half."""
        process = subprocess.Popen([TOOL, "sum", *words], stdin=subprocess.PIPE, stderr=stderr,
                                   stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm"})
        for _ in range(16):
            process.stdin.write(b"1\n" * 200_000)
            process.stdin.flush()
            time.sleep(0.1)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, b"3200000\n"))
        return err

    def on_terminal(self, *words):
        ours, theirs = pty.openpty()
        self.slow_sum(theirs, *words)
        os.close(theirs)
        try:
            return os.read(ours, 1 << 16).decode()
        except OSError:  # nothing was written
            return ""
        finally:
            os.close(ours)

    def test_progress_is_for_those_who_watch(self):
        begin = time.monotonic()
        shown = self.on_terminal()
        seconds = time.monotonic() - begin  # more than the pauses, where others keep the processor busy
        self.assertRegex(shown, r"^\r\x1b\[Kstandard input: [\d.]+ MB, [\d.]+ GB/s")
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown))
        self.assertLess(shown.count("GB/s"), 10 * (seconds - 1) + 3)  # ten a second, after the first
        self.assertEqual(self.on_terminal("--quiet"), "")
        self.assertEqual(self.slow_sum(subprocess.PIPE), b"")


class Commands(ToolTest):

    def test_info(self):
        self.assertIn("not here", self.output("info"))
        first = min(os.sched_getaffinity(0))
        pinned = subprocess.run([TOOL, "info"], stdout=subprocess.PIPE, text=True, check=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, {first}))
        self.assertIn(" 1 core, threads by ", pinned.stdout)
        facts = json.loads(self.output("info", "--json"))
        self.assertEqual([engine["name"] for engine in facts["engines"]],
                         ["cpu", "gpu", "gpus", "emulated"])
        available = {engine["name"]: engine["available"] for engine in facts["engines"]}
        self.assertEqual(available.pop("gpu"), available.pop("gpus"))  # that depends on the machine
        self.assertEqual(available, {"cpu": True, "emulated":
                                     os.environ.get("MONOFOLD_HAS_EMULATED") == "1"})
        self.assertIn(facts["instruction_set"], facts["instruction_sets"])
        self.assertEqual(facts["auto"]["engine"], "cpu")

    @unittest.skipIf(is_sanitized(), "36 s; tests of runtime/ take each instruction set there")
    def test_verify(self):
        array = self.save("a.npy", np.random.default_rng(4).normal(size=(300, 500)))
        code, out, err = self.run_tool("verify", array, "nope.npy")
        self.assertEqual((code, err),
                         (3, "monofold: nope.npy: cannot open: No such file or directory\n"))
        self.assertNotIn("DIFFERENT", out)
        self.assertRegex(out, r"generated +cpu \S+ +same +same +same +same +same +same\n")
        self.assertRegex(out, r"a\.npy +cpu \S+ +same +same +same +same +same +same\n")
        self.assertIn("16 threads", out)
        self.assertNotIn("nope", out)

    def test_generate(self):
        self.assertEqual(self.output("generate", "u.npy", "--count", "200K"), "")
        uniform = np.load(self.path("u.npy"))
        self.assertEqual((uniform.dtype, uniform.shape), (np.float64, (200_000,)))
        self.assertTrue(0 <= uniform.min() < 0.001 and 0.999 < uniform.max() < 1)
        # The standard error of the mean is 0.2887 / sqrt(n); five of them are exceeded by no seed
        # but an unlucky one, and the seed is fixed.
        self.assertLess(abs(uniform.mean() - 0.5), 5 * 0.2887 / 200_000**0.5)
        self.output("generate", "n.npy", "--count", "200K", "--distribution", "normal")
        normal = np.load(self.path("n.npy"))
        self.assertLess(abs(normal.mean()), 5 / 200_000**0.5)
        self.assertLess(abs(normal.std() - 1), 5 / 400_000**0.5)
        self.output("generate", "r.npy", "--count", 1000, "--distribution", "ramp", "--dtype", "u8")
        self.assertEqual(np.load(self.path("r.npy")).tolist(), [i % 256 for i in range(1000)])
        self.output("generate", "i.npy", "--count", 1000, "--distribution", "integers", "--dtype", "f16")
        whole = np.load(self.path("i.npy"))
        self.assertEqual(whole.dtype, np.float16)
        self.assertTrue(((whole == np.round(whole)) & (whole >= 0) & (whole <= 100)).all())
        again = self.output("generate", "v.npy", "--count", "200K", "--seed", 2)
        self.assertEqual(again, "")
        self.assertFalse((np.load(self.path("v.npy")) == uniform).any())

    def test_generated_files_are_read_back_in_every_type(self):
        for dtype in ("bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64").split():
            for shape in ("uniform", "normal", "ramp", "integers"):
                self.output("generate", "a.npy", "--count", 777, "--dtype", dtype, "--distribution",
                            shape)
                words = ["--dtype", "bf16"] if dtype == "bf16" else []
                self.assertEqual(self.output("count", "a.npy", *words), "777\n")
        self.check_error(1, "no/such.npy: cannot write: No such file or directory", "generate",
                         "no/such.npy")


if __name__ == "__main__":
    unittest.main()
