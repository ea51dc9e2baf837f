#!/usr/bin/env python3
"""The lines of README.md and docs/ that start with `$` print what the page says.

The blocks of a page run one after the other in an empty folder, with the tool on the path. Three dots
in the output of a page stand for any text of one line.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from snippets_test import PAGES, TREE, all_pieces, blocks, files

TOOL = os.environ.get("MONOFOLD_TOOL", "monofold")
# What installs or builds for minutes, or needs a device; ./dev lists its own commands.
NOT_RUN = re.compile(r"\./dev |cmake |mpi|srun |sbatch |.*--device (gpu|emulated)|compute-sanitizer " +
                     ("" if os.environ.get("MONOFOLD_HAS_EMULATED") == "1" else "|.*--trace "))


def commands(text):
    """(command, the lines it prints) of a block; what follows four blanks and a # is a remark."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:].split("    #")[0].strip(), []))
        else:
            found[-1][1].append(line)
    return found


def is_as_printed(wanted, found):
    pattern = ".*".join(re.escape(part) for part in "\n".join(wanted).split("..."))
    return re.fullmatch(pattern, found.rstrip("\n")) is not None


class Console(unittest.TestCase):

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="monofold_"))
        self.addCleanup(shutil.rmtree, self.folder)
        work = self.folder / "work"
        work.mkdir()
        (self.folder / "bin").mkdir()
        for name, target in [("monofold", TOOL), ("python3", sys.executable)]:
            (self.folder / "bin" / name).symlink_to(shutil.which(target))
        # What the reader has: the source tree, and a program of the page's first block.
        (work / "monofold").symlink_to(TREE)
        first = all_pieces()["tests/docs/readme_test.cpp [readme_call]"].splitlines()
        head = [line for line in first if line.startswith(("#", "namespace"))]
        body = [line for line in first if line not in head]
        (work / "sum.cpp").write_text("\n".join(
            ["#include <vector>", *head, "int main() {", "const std::vector<float> values{1, 2};",
             *body, "return total == 3 && n == 2 ? 0 : 1;", "}", ""]))

    def run_line(self, line):
        # The tool is called by a link: libraries that it loads do not lie beside that.
        libraries = Path(shutil.which(TOOL)).resolve().parents[1] / "lib"
        environment = {"MONOFOLD_LIBRARY_PATH": str(libraries), **os.environ,
                       "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", line], cwd=self.folder / "work", env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              check=False)
        return done.stdout.decode()

    def check_page(self, page):
        count = 0
        for where, language, text in blocks():
            if language != "console" or where.split(":")[0] != page:
                continue
            for line, wanted in commands(text):
                if NOT_RUN.match(line):
                    continue
                found = self.run_line(line)
                count += 1
                self.assertTrue(is_as_printed(wanted, found),
                                f"{where}: $ {line}\nprints:\n{found}\nand not:\n" +
                                "\n".join(wanted))
        return count

    def test_readme(self):
        self.assertGreater(self.check_page("README.md"), 5)
        self.assertEqual(self.run_line("./sum; echo $?"), "0\n")

    def test_pages(self):
        for path in files(PAGES):
            name = str(path.relative_to(TREE))
            if name != "README.md":
                with self.subTest(name):
                    self.check_page(name)

    def test_output_is_compared(self):
        self.assertTrue(is_as_printed(["a 1.5 b", "c"], "a 1.5 b\nc\n"))
        self.assertTrue(is_as_printed(['{"seconds":..., "bytes":4}'], '{"seconds":0.1, "bytes":4}\n'))
        self.assertFalse(is_as_printed(["1.5"], "1x5\n"))
        self.assertFalse(is_as_printed(["1.5"], "1.5\n2\n"))
        self.assertFalse(is_as_printed(["a...c"], "a\nc\n"))
        self.assertEqual(commands("$ x    # why\n1\n2\n$ y\n"), [("x", ["1", "2"]), ("y", [])])


if __name__ == "__main__":
    unittest.main()
