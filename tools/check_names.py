#!/usr/bin/env python3
"""Every `identifier` in a doc comment (///) of include/ exists in the tree's code.

usage: check_names.py [TREE]      prints one line a name: path:line: what is missing

A name is every word of two letters or more between backticks that could be an identifier. It exists
when it is a word of some source or build file outside comments; a path must be a file of the tree,
and so must each file of a `tested by` line. Names of the standard library (std::...) are not
looked up.
"""

import re
import sys
from pathlib import Path

CODE = {".hpp", ".cuh", ".h", ".cpp", ".cu", ".c"}
BUILD = {"CMakeLists.txt", ".cmake", ".json"}
# String and character literals first, so that a // inside one does not start a comment.
LITERAL_OR_COMMENT = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]+")
PATH = re.compile(r"[\w.\-/]+/[\w.\-]+\.(?:hpp|cuh|h|cpp|cu|c|py|md|json)")
KEYWORDS = {"long", "short", "signed", "unsigned", "goto", "volatile", "register", "union", "xor"}


def files_of(tree, folder, wanted):
    for file in sorted((tree / folder).rglob("*")):
        parts = file.relative_to(tree).parts
        if parts[0].startswith(("build", ".")) or not file.is_file():
            continue
        if file.suffix in wanted or file.name in wanted:
            yield file


def words_of(tree):
    """Every word of code: comments are left out, literals stay."""
    words = set(KEYWORDS)
    for file in files_of(tree, ".", CODE):
        text = file.read_text(encoding="utf-8")
        text = LITERAL_OR_COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " ", text)
        words.update(WORD.findall(text))
    for file in files_of(tree, ".", BUILD):
        words.update(WORD.findall(file.read_text(encoding="utf-8")))
    return words


def check_line(tree, comment, words):
    """Yields what the text of one doc comment line names that does not exist."""
    tested_by = re.match(r"\s*tested by\s+(.*)", comment)
    spans = re.findall(r"`([^`]+)`", comment)
    for path in PATH.findall(" ".join(spans + ([tested_by[1]] if tested_by else []))):
        if not any((tree / base / path).is_file() for base in ("", "include", "include/monofold")):
            yield f"there is no file {path}"
    for span in spans:
        span = re.sub(r"\bstd(::\w+)+", " ", PATH.sub(" ", span))
        for name in WORD.findall(span):
            if name not in words:
                yield f"`{name}` is nowhere in the code"


def main():
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    words = words_of(tree)
    violations = num_lines = 0
    for file in files_of(tree, "include", CODE):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            comment = re.match(r"\s*///(.*)", line)
            if not comment:
                continue
            num_lines += 1
            for problem in check_line(tree, comment[1], words):
                print(f"{file.relative_to(tree)}:{number}: {problem}")
                violations += 1
    print(f"{num_lines} lines of doc comments, {violations} violations")
    return 1 if violations or not num_lines else 0


if __name__ == "__main__":
    sys.exit(main())
