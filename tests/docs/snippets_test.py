#!/usr/bin/env python3
"""Code blocks of README.md and docs/ are marked pieces of sources that are compiled and run.

A piece lies between the lines `// [name]` and `// [/name]` (in CMake files `# [name]`) of a file in
SOURCES; pieces of one name in one file are put together. Each block of cpp, cuda and cmake on a page
must be a piece, and each piece must be on a page.
"""

import difflib
import re
import textwrap
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
SOURCES = ["tests/docs/*.cpp", "tests/gpu/readme_test.cu", "tests/gpu/rms_norm_test.cu", "tests/gpu/gpus_test.cu",
           "tests/gpu/row_tops_test.cu", "tests/gpu/segment_faults_test.cu", "tests/gpu/groups_page_test.cu",
           "tests/api/examples_test.cpp", "tests/mpi/*.cpp", "tests/emulation/*.cu", "tests/emulation/*.cuh", "tests/install/*/CMakeLists.txt",
           "tests/install/consumer/*.cpp", "tests/install/*/*.cu"]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/**/*.md"]
CHECKED = {"cpp", "cuda", "cmake"}
MARK = re.compile(r"\s*(?://|#) \[(/?)(\w+)\]$")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def files(patterns):
    return sorted(path for pattern in patterns for path in TREE.glob(pattern))


def pieces_of(text):
    """{name: code} of a source."""
    pieces, name, lines = {}, None, []
    for number, line in enumerate(text.splitlines(), 1):
        mark = MARK.match(line)
        if not mark:
            lines += [] if "// clang-format o" in line else [line]
        elif mark[1]:
            assert name == mark[2], f"line {number}: [/{mark[2]}] ends [{name}]"
            code = textwrap.dedent("\n".join(lines)) + "\n"
            pieces[name] = pieces.get(name, "") + code
            name = None
        else:
            assert name is None, f"line {number}: [{mark[2]}] begins inside [{name}]"
            name, lines = mark[2], []
    assert name is None, f"[{name}] does not end"
    return pieces


def all_pieces():
    found = {}
    for path in files(SOURCES):
        for name, code in pieces_of(path.read_text(encoding="utf-8")).items():
            found[f"{path.relative_to(TREE)} [{name}]"] = code
    return found


def blocks():
    """(page and line, language, text) of every block of code."""
    for path in files(PAGES):
        text = path.read_text(encoding="utf-8")
        for block in FENCE.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            yield f"{path.relative_to(TREE)}:{line}", block[1], block[2]


def difference(block, pieces):
    """How a block differs from the piece that is most like it."""
    name = max(pieces, key=lambda one: difflib.SequenceMatcher(None, block, pieces[one]).ratio())
    lines = difflib.unified_diff(pieces[name].splitlines(), block.splitlines(), name, "the page",
                                 lineterm="")
    return "\n".join(lines)


class Snippets(unittest.TestCase):

    def test_every_block_is_a_piece(self):
        pieces = all_pieces()
        known = set(pieces.values())
        count = 0
        for where, language, text in blocks():
            if language in CHECKED:
                count += 1
                with self.subTest(where):
                    self.assertTrue(text in known, f"{where}:\n{difference(text, pieces)}")
        self.assertGreater(count, 5)

    def test_every_piece_is_shown(self):
        shown = {text for _, language, text in blocks() if language in CHECKED}
        for name, code in all_pieces().items():
            with self.subTest(name):
                self.assertTrue(code in shown, f"{name} is on no page")

    def test_a_block_has_a_language(self):
        """Else nothing would be compared."""
        known = CHECKED | {"console", "text", "python"}  # python/tests/test_pages.py runs it
        for where, language, _ in blocks():
            if not where.startswith("docs/ladder.md"):  # drawings, which the tool prints
                with self.subTest(where):
                    self.assertIn(language, known)

    def test_pieces_of_one_name_are_joined(self):
        text = "a\n// [x]\nb\n// [/x]\n  # [x]\n    c\n  d\n  # [/x]\n// [e f]\n"
        self.assertEqual(pieces_of(text), {"x": "b\n  c\nd\n"})
        for wrong in ["// [x]\n", "// [x]\n// [y]\n", "// [x]\n// [/y]\n", "// [/x]\n"]:
            with self.assertRaises(AssertionError):
                pieces_of(wrong)


if __name__ == "__main__":
    unittest.main()
