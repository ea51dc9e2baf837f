#!/usr/bin/env python3
"""docs/reference.md is what tools/reference.py prints, and that has what the lists of the code have."""

import re
import subprocess
import sys
import unittest

from snippets_test import TREE

HIDDEN = ("-h", "--man", "--markdown", "--completion")  # for packagers, not in help
MADE = subprocess.run([sys.executable, TREE / "tools" / "reference.py"], capture_output=True, text=True,
                      check=True).stdout


class Reference(unittest.TestCase):
    maxDiff = None

    def test_the_page_is_what_is_made(self):
        page = (TREE / "docs" / "reference.md").read_text(encoding="utf-8")
        self.assertEqual(page, MADE, "make it again with tools/reference.py")

    def test_every_operation_option_and_status_is_there(self):
        read = lambda name: (TREE / name).read_text(encoding="utf-8")
        operations = re.findall(r'\{operation::\w+, "(\w+)"', read("runtime/operation.hpp"))
        self.assertGreater(len(operations), 20)
        for name in operations:
            self.assertEqual(MADE.count(f"\n| `{name}` | ") - (f"\n| `{name}` | " in self.folds()), 1,
                             name)
        options = re.findall(r'^    \{"(-[\w-]+)"', read("cli/options.hpp"), re.MULTILINE)
        self.assertGreater(len(options), 20)
        for flag in options:
            self.assertTrue(flag in HIDDEN or f"\n- `{flag}" in MADE, flag)
        statuses = re.findall(r"^  (\w+) = \d+,", read("include/monofold/platform/status.hpp"),
                              re.MULTILINE)
        for name in statuses:
            self.assertIn(f"| `{name}` |", MADE)

    def test_engines_are_those_that_headers_declare(self):
        headers = "".join(file.read_text(encoding="utf-8") for file in (TREE / "include/monofold").glob("*.[hc]*"))
        table = re.search(r"^\| call \| answers \|(?:.*\n)*?\n", MADE, re.MULTILINE)[0]
        engines = re.findall(r"`mf::(\w+)`", table.splitlines()[0])
        said = {(row.split("`")[1], engine) for row in table.splitlines()[2:] if row
                for engine, cell in zip(engines, row.split("|")[3:]) if cell.strip() == "yes"}
        calls = {call for call, _ in said}
        declared = set(re.findall(r"^auto (\w+)\((?:int root, )?const (\w+)_engine|^void (\w+)\(const (\w+)_engine",
                                  headers, re.MULTILINE))
        declared = {(auto or void, engine or other) for auto, engine, void, other in declared}
        self.assertGreater(len(said), 20)
        self.assertEqual(said, {pair for pair in declared if pair[0] in calls})

    def test_every_call_of_c_is_there(self):
        header = "".join((TREE / "include/monofold" / name).read_text(encoding="utf-8")
                         for name in ("monofold.h", "groups.h"))
        calls = re.findall(r"^MONOFOLD_API [\w*\s]*?\b(monofold_\w+)\(", header, re.MULTILINE)
        self.assertEqual(len(calls), header.count("MONOFOLD_API"))
        self.assertGreater(len(calls), 20)
        for name in calls:
            self.assertRegex(MADE, rf"\n\| `{name}` \| [A-Z].{{10,}} \|\n")

    def test_folds_of_operations_are_folds(self):
        rows = re.findall(r"^\| `\w+` \| .* \| `(.*)` \|$", MADE, re.MULTILINE)
        self.assertGreater(len(rows), 20)
        for fold in rows:
            self.assertIn(f"\n| `{fold}` | ", self.folds())

    @staticmethod
    def folds():
        return MADE.split("<!-- folds -->")[1].split("<!-- end of folds -->")[0]


if __name__ == "__main__":
    unittest.main()
