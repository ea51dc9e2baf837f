#!/usr/bin/env python3
"""`mpirun -n N monofold ... --mpi`: what one process prints and writes, byte by byte; failures of one rank.

usage: tool_ranks_check.py MPIRUN [OPTION...]     MONOFOLD_TOOL names the tool
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

TOOL = os.environ["MONOFOLD_TOOL"]
MPIRUN = sys.argv[1:]
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"


def run(*words, env=None):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **(env or {})}, check=False)


def on_ranks(ranks, *words):
    return run(*MPIRUN, "-n", ranks, TOOL, *words, "--mpi", "--threads", 1)


class tool_ranks(unittest.TestCase):
    def test_a_device_a_rank(self):
        if os.environ["MONOFOLD_HAS_EMULATED"] != "1":
            self.skipTest("no emulated device")
        os.environ["MONOFOLD_EMULATED_DEVICES"] = "2"
        self.addCleanup(os.environ.pop, "MONOFOLD_EMULATED_DEVICES")
        for operation in ("sum,argmax", "sum --plain"):
            words = operation.split()
            got = on_ranks(3, *words, self.at / "a.npy", "--device", "emulated")
            self.assertEqual((got.stderr, got.stdout), ("", run(TOOL, *words, self.at / "a.npy").stdout))

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)
        items = np.random.default_rng(1).normal(size=100003)
        np.save(cls.at / "a.npy", items)
        np.save(cls.at / "b.npy", items[::-1] * 3)
        np.save(cls.at / "fortran.npy", np.asfortranarray(items[:100000].reshape(250, 400)))
        np.save(cls.at / "few.npy", items[:3].astype(np.float32))
        np.save(cls.at / "none.npy", items[:0])
        items.astype(np.float32).tofile(cls.at / "a.raw")
        (cls.at / "cut.npy").write_bytes((cls.at / "a.npy").read_bytes()[:5000])
        (cls.at / "text.txt").write_text("1 2 3\n")

    def check_same(self, ranks, *words):
        words = [self.at / word if "." in word else word for word in words]
        one, many = run(TOOL, *words), on_ranks(ranks, *words)
        self.assertEqual((many.returncode, many.stdout), (one.returncode, one.stdout), many.stderr)
        self.assertEqual(one.returncode, 0, one.stderr)

    def test_prints_what_one_process_prints(self):
        for ranks in 1, 3:
            self.check_same(ranks, "stats,norm2,mean_square,argmin", "a.npy", "--hex", "--plain")
        self.check_same(3, "sum,var,count,top", "a.npy", "--hex")
        self.check_same(2, "sum,argmax", "fortran.npy", "--plain")
        self.check_same(2, "prod,mean", "a.raw", "--dtype", "f32", "--plain", "--nan", "omit")
        self.check_same(3, "dot", "a.npy", "b.npy", "--plain", "--hex")
        self.check_same(3, "dot", "a.npy", "b.npy", "--hex")
        self.check_same(3, "sum,max", "few.npy")

    def test_json_knows_the_whole_file(self):
        row = json.loads(on_ranks(2, "sum", self.at / "a.npy", "--json").stdout)
        self.assertEqual((row["count"], row["bytes"]), (100003, (self.at / "a.npy").stat().st_size))

    def test_saves_the_state_of_one_process(self):
        one, many = self.at / "one.state", self.at / "many.state"
        words = ["var,prod", self.at / "a.npy", "--plain", "--save-state"]
        self.assertEqual(run(TOOL, *words, one).returncode, 0)
        self.assertEqual(on_ranks(3, *words, many).returncode, 0)
        self.assertEqual(one.read_bytes(), many.read_bytes())

    def check_fails(self, code, message, done):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("monofold: ")]
        self.assertEqual(said, ["monofold: " + message])

    def test_failures_are_said_once(self):
        missing, text = self.at / "missing.npy", self.at / "text.txt"
        self.check_fails(3, f"{missing}: cannot open: No such file or directory",
                         on_ranks(3, "sum", missing))
        self.check_fails(3, f"{text}: --mpi needs an array in a regular file, .npy or raw",
                         on_ranks(2, "sum", text))
        self.check_fails(4, f"{self.at / 'none.npy'}: min: no result: no items",
                         on_ranks(2, "min", self.at / "none.npy"))
        self.check_fails(2, "--mpi: ranks cannot share standard input", on_ranks(2, "sum", "-"))
        self.check_fails(3, f"{self.at / 'a.npy'}: dot needs as many items in both files: "
                            "100003 and 100000",
                         on_ranks(2, "dot", self.at / "a.npy", self.at / "fortran.npy"))

    def test_one_rank_in_trouble_ends_all(self):
        for bad, why in ("missing.npy", "cannot open: No such file or directory"), \
                        ("cut.npy", "found 4872 bytes of items after the header, expected 800024 "
                                    "(100003 items of float64)"):
            (self.at / "0.npy").write_bytes((self.at / "a.npy").read_bytes())
            script = f'f=a.npy; [ "{RANK}" = 1 ] && f={bad}; exec {TOOL} sum {self.at}/$f --mpi'
            self.check_fails(3, f"{self.at / bad}: {why}",
                             run(*MPIRUN, "-n", 3, "sh", "-c", script))

    def test_a_rank_that_dies_ends_the_job(self):
        # Rank 1 waits for a pipe that nobody writes, the others for it, until it is killed.
        os.mkfifo(self.at / "pipe.npy")
        script = f'f=a.npy; if [ "{RANK}" = 1 ]; then f=pipe.npy; (sleep 0.5; kill -9 $$) & fi; ' \
                 f'exec {TOOL} sum {self.at}/$f --mpi'
        done = run(*MPIRUN, "-n", 3, "sh", "-c", script)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotRegex(done.stdout, r"(?m)^-?\d")
        self.assertRegex(done.stdout + done.stderr, r"signal 9")

    def test_without_the_library(self):
        # A copy of the tool lies beside no library, and none is installed.
        copy = self.at / "alone"
        copy.write_bytes(Path(TOOL).read_bytes())
        copy.chmod(0o755)
        done = run(copy, "sum", self.at / "a.npy", "--mpi", env={"MONOFOLD_LIBRARY_PATH": ""})
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stderr, r"^monofold: --mpi: libmonofold_ranks_\w+ is not installed$")

    def test_ranks_of_another_mpi(self):
        done = run(TOOL, "sum", self.at / "a.npy", "--mpi",
                   env={"OMPI_COMM_WORLD_SIZE": "2"} if "mpirun.openmpi" in " ".join(MPIRUN)
                   else {"PMI_SIZE": "2"})
        self.assertEqual(done.returncode, 5, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
