"""tools/check_names.py finds names in doc comments that do not exist, and only those."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).parents[2] / "tools" / "check_names.py"


def check(comment, **files):
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        (tree / "include").mkdir()
        (tree / "include" / "sum.hpp").write_text(f"{comment}\nint total_of(int first);\n")
        for name, text in files.items():
            (tree / f"{name}.cpp").write_text(text)
        run = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True,
                             check=False)
        return run.returncode, run.stdout + run.stderr


class CheckNames(unittest.TestCase):
    def test_known_names(self):
        for comment in ["/// `total_of(first)` over `n` items", "/// `std::frexp` does this",
                        "/// nowhere without backticks", "  /// `include/sum.hpp` and `long`",
                        "/// tested by  include/sum.hpp", "// `nowhere` in a plain comment\n/// ok"]:
            code, output = check(comment)
            self.assertEqual(code, 0, output)

    def test_unknown_names(self):
        for comment, wanted in [("/// `total_off` is it", "sum.hpp:1: `total_off` is nowhere"),
                                ("/// fine\n/// `first` and `no_such(first)`", "sum.hpp:2: `no_such`"),
                                ("/// see `tests/gone_test.cpp`", "no file tests/gone_test.cpp"),
                                ("/// tested by  tests/gone_test.cpp", "no file tests/gone_test.cpp")]:
            code, output = check(comment)
            self.assertEqual(code, 1, output)
            self.assertIn(wanted, output)
            self.assertIn(" 1 violations", output)

    def test_a_comment_is_not_code_but_a_literal_is(self):
        self.assertEqual(check("/// `gone`", other="int a;  // gone\n")[0], 1)
        self.assertEqual(check("/// `gone`", other="/* gone\n gone */ int a;\n")[0], 1)
        self.assertEqual(check("/// `there`", other='auto a = "// there";\n')[0], 0)

    def test_words_that_were_renamed(self):
        for code in ["void climb();", "int climb_row;", "struct climber_of {};", "// fine\nint own_mail_room;"]:
            status, output = check("/// fine", other=code + "\n")
            self.assertEqual(status, 1, output)
            self.assertIn(f"other.cpp:{1 + code.count(chr(10))}: `", output)
            self.assertIn(" 1 violations", output)
        for code in ["int climbing;", "// climb", "/* climb\n climb */", 'auto a = "climb";', "int ends;",
                     '#include "ladder/climb.hpp"']:
            status, output = check("/// fine", other=code + "\n")
            self.assertEqual(status, 0, output)

    def test_words_of_one_folder(self):
        for folder, is_there in [("engine/gpu/tree", True), ("engine/gpu/segment", False), ("fold", False)]:
            with tempfile.TemporaryDirectory() as tree:
                file = Path(tree) / "include" / "monofold" / folder / "locate.cuh"
                file.parent.mkdir(parents=True)
                file.write_text("/// Where an item is.\nint warp_ends;\n")
                run = subprocess.run([sys.executable, CHECKER, tree], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 1 if is_there else 0, run.stdout + run.stderr)
                self.assertEqual("locate.cuh:2: `ends` is called extrema here" in run.stdout, is_there)

    def test_no_doc_comment_at_all(self):
        self.assertEqual(check("// plain")[0], 1)


if __name__ == "__main__":
    unittest.main()
