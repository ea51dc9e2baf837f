#!/usr/bin/env python3
"""Every `identifier` in a doc comment (///) of include/ exists in the tree's code, which has no word of a list.

usage: check_names.py [TREE]      prints one line a name: path:line: what is missing

A name is every word of two letters or more between backticks that could be an identifier. It exists
when it is a word of some source or build file outside comments; a path must be a file of the tree,
and so must each file of a `tested by` line. Names of the standard library (std::...) are not
looked up.

Words that had one sense here and another one in the field have been renamed: WORDS says to what, so that they stay out.
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

# folder: {what no identifier of its code may have: the word for it}. A word is an identifier, or consecutive parts of
# one between its underscores; comments and literals may have it.
GPU = "include/monofold/engine/gpu"
EXTREMA = {"ends": "extrema", "Ends": "Extrema"}
WORDS = {
    ".": {
        "mail_room": "mailbox_storage", "hand_on": "store_total", "ask_for_line": "prefetch",
        "climb": "run_rungs", "climber": "rung_runner", "climbers": "rung_runners",
        "adopt": "from_device_bytes", "nothing_beside": "no_companion",
        "level_run": "bin_accumulator", "part_run": "part_accumulator", "exact_run": "exact_accumulator",
        "exact_runs": "exact_loops", "digits_run": "add_by_digits", "product_run": "product_accumulator",
        "fair_run": "wide_tiles_in_a_row", "patience": "wide_tiles_in_a_row", "hopeless": "skip_bins",
        "rank_in_line": "thread_rank", "rival": "best_elsewhere", "merit": "score",
    },
    GPU: {"leave": "store", "beside": "companion, or what it counts", "hand": "store", "meet": "join_blocks",
          "meeting": "top_bounds"},
    f"{GPU}/exact": EXTREMA,
    f"{GPU}/tree": EXTREMA,
    f"{GPU}/segment/exact_cells.cuh": {"top": "max_exponent"},
    "runtime/member.hpp": {"lead": "enable_prefetch", "moved": "with_index_offset"},
    "runtime/member_of.hpp": {"lead": "enable_prefetch", "moved": "with_index_offset"},
    "runtime/summary_fold.hpp": EXTREMA,
    "runtime/summary_loops.cpp": EXTREMA,
    "runtime/simd_extrema-inl.hpp": EXTREMA,
}


def files_of(tree, folder, wanted):
    for file in sorted((tree / folder).rglob("*")):
        parts = file.relative_to(tree).parts
        if parts[0].startswith(("build", ".")) or not file.is_file():
            continue
        if file.suffix in wanted or file.name in wanted:
            yield file


def code_of(text, literals):
    """The text without comments, whose lines stay; with its literals, or without."""
    def rest(match):
        return match[0] if literals and match[0][0] in "\"'" else " " + "\n" * match[0].count("\n")
    return LITERAL_OR_COMMENT.sub(rest, text)


def words_of(tree):
    """Every word of code: comments are left out, literals stay."""
    words = set(KEYWORDS)
    for file in files_of(tree, ".", CODE):
        words.update(WORD.findall(code_of(file.read_text(encoding="utf-8"), literals=True)))
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


def renamed_words(tree):
    """Yields (path, line, problem) for each line of code with a word that has been renamed."""
    for file in files_of(tree, ".", CODE):
        path = file.relative_to(tree).as_posix()
        words = {}
        for folder, own in WORDS.items():
            if folder in (".", path) or path.startswith(folder + "/"):
                words.update(own)
        wanted = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(words)})(?![A-Za-z0-9])")
        code = code_of(file.read_text(encoding="utf-8"), literals=False)
        for number, line in enumerate(code.splitlines(), 1):
            if "#" not in line and (found := wanted.search(line)):
                yield path, number, f"`{found[0]}` is called {words[found[0]]} here"


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
    for path, number, problem in renamed_words(tree):
        print(f"{path}:{number}: {problem}")
        violations += 1
    print(f"{num_lines} lines of doc comments, {violations} violations")
    return 1 if violations or not num_lines else 0


if __name__ == "__main__":
    sys.exit(main())
