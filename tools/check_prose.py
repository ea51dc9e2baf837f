#!/usr/bin/env python3
"""Every page of markdown has lines of at most 120 characters, and its relative links lead somewhere; no comment or
docstring of a source begins with "Of": its subject comes first.

usage: check_prose.py [TREE]      prints one line a violation: path:line: what is wrong

A link to a heading (page.md#heading) needs that heading. Tables of docs/ladder.md, which the tool prints, may have
longer lines: a row of a table is one line.
"""

import re
import sys
from pathlib import Path

WIDTH = 120
README_LINES = 120  # what a newcomer reads in ten minutes
LONG_TABLES = {"docs/ladder.md"}
SOURCES = {".hpp", ".cuh", ".cu", ".cpp", ".h", ".c", ".py"}
COMMENT = re.compile(r"\s*(//|#)")
INVERTED = re.compile(r'(?:^|.*\s)(//+|/\*+|#:?|""")\s*Of ')
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def files_of(tree, suffixes):
    for file in sorted(file for file in tree.rglob("*.*") if file.suffix in suffixes):
        if not file.relative_to(tree).parts[0].startswith(("build", ".")):
            yield file


def anchor(heading):
    """The name by which a heading is linked to."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.lower())
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def prose_of(text):
    """The text without its blocks of code, line by line the same length."""
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


def anchors_of(page):
    prose = prose_of(page.read_text(encoding="utf-8"))
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", prose, re.MULTILINE)}


def check_link(tree, page, target):
    """Why a link leads nowhere, or None."""
    path, _, heading = target.partition("#")
    to = page if not path else (page.parent / path).resolve()
    if not to.exists():
        return f"there is no {path}"
    if not to.is_relative_to(tree):
        return f"{path} is outside the tree"
    if heading and (to.suffix != ".md" or heading not in anchors_of(to)):
        return f"{path or page.name} has no heading #{heading}"
    return None


def check_page(tree, page):
    """Yields (line, violation)."""
    text = page.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        may_be_long = line.startswith("|") and page.relative_to(tree).as_posix() in LONG_TABLES
        if len(line) > WIDTH and not may_be_long:
            yield number, f"{len(line)} characters, more than {WIDTH}"
    if page == tree / "README.md" and text.count("\n") > README_LINES:
        yield README_LINES + 1, f"{text.count(chr(10))} lines, more than {README_LINES}"
    prose = prose_of(text)
    for link in LINK.finditer(prose):
        if re.match(r"[a-z]+:", link[1]):
            continue  # of the web: not looked up
        if problem := check_link(tree, page, link[1]):
            yield prose.count("\n", 0, link.start()) + 1, problem


def check_source(file):
    """Yields (line, violation)."""
    previous = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if INVERTED.match(line) and not (COMMENT.match(line) and COMMENT.match(previous)):
            yield number, 'begins with "Of"'
        previous = line


def main():
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    num_pages = num_violations = 0
    for file in files_of(tree, SOURCES | {".md"}):
        is_page = file.suffix == ".md"
        num_pages += is_page
        for line, problem in check_page(tree, file) if is_page else check_source(file):
            print(f"{file.relative_to(tree)}:{line}: {problem}")
            num_violations += 1
    print(f"{num_pages} pages, {num_violations} violations")
    return 1 if num_violations or not num_pages else 0


if __name__ == "__main__":
    sys.exit(main())
