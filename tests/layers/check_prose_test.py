"""tools/check_prose.py finds long lines, links that lead nowhere and comments that begin with "Of", and only those."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).parents[2] / "tools" / "check_prose.py"


def check(source="", suffix="py", **pages):
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        (tree / "docs").mkdir()
        for name, text in pages.items():
            (tree / "docs" / f"{name}.md").write_text(text)
        (tree / f"source.{suffix}").write_text(source)
        run = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True,
                             check=False)
        return run.returncode, run.stdout + run.stderr


class CheckProse(unittest.TestCase):

    def test_pages_that_hold(self):
        for text in ["x" * 120, "[a](b.md) ![a](../docs/b.md) [a](https://example.org/no)",
                     "[a](b.md#two-words-k) [own](#own-heading)\n# Own `heading`\n",
                     "```text\n[a](gone.md)\n```\n", "[folder](../docs)"]:
            code, output = check(a=text, b="# Two words: k\n")
            self.assertEqual(code, 0, output)

    def test_pages_that_do_not(self):
        for text, wanted in [("x\n" + "y" * 121, "a.md:2: 121 characters"),
                             ("x\n[a](gone.md)", "a.md:2: there is no gone.md"),
                             ("[a](b.md#gone)", "b.md has no heading #gone"),
                             ("[a](#gone)", "a.md has no heading #gone"),
                             ("```\n# gone\n```\n[a](#gone)", "a.md:4: a.md has no heading #gone"),
                             ("[a](../../..)", "is outside the tree")]:
            code, output = check(a=text, b="# There\n")
            self.assertEqual(code, 1, output)
            self.assertIn(wanted, output)
            self.assertIn(" 1 violations", output)

    def test_only_tables_of_the_ladder_may_be_wide(self):
        row = "|" + "x" * 300
        self.assertEqual(check(ladder=row)[0], 0)
        self.assertEqual(check(a=row)[0], 1)
        self.assertEqual(check(ladder="x" * 300)[0], 1)

    def test_comments_that_begin_with_of(self):
        for suffix, text in [("cuh", "int x;\n/// {} all lanes.\n"), ("cpp", "\nint x;  // {} a lane."),
                             ("c", "\n/* {} bool 0. */"), ("py", "\n    # {} a\n"),
                             ("py", '\n    """{} a line."""')]:
            code, output = check(text.format("Of"), suffix, a="x")
            self.assertEqual(code, 1, output)
            self.assertIn(f'source.{suffix}:2: begins with "Of"', output)
        for suffix, text in [("cuh", "/// The sum.\n/// {} these one is read.\n"), ("cpp", 'f("// {} a");'),
                             ("py", "x = 1  # of {} a line"), ("txt", "# {} a")]:
            code, output = check(text.format("Of"), suffix, a="x")
            self.assertEqual(code, 0, output)

    def test_no_page_at_all(self):
        self.assertEqual(check()[0], 1)


if __name__ == "__main__":
    unittest.main()
