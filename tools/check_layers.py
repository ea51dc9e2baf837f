#!/usr/bin/env python3
"""Enforces the table 'Rooms and what each may include', and the file rules.

usage: check_layers.py [TREE]     prints one line a violation: path:line: what is wrong
"""

import re
import sys
from pathlib import Path

BELOW_LEVEL = {"platform", "fold", "shape", "plan"}
BELOW_API = BELOW_LEVEL | {"level", "engine"}
PUBLIC = {"api", "fold", "platform"}  # level is public too, but only kernel authors' rooms need it

# room: (folder, rooms that it may include besides itself). `api` is the root of include/monofold.
ROOMS = {
    "platform": ("include/monofold/platform", set()),
    "fold": ("include/monofold/fold", {"platform"}),
    "shape": ("include/monofold/shape", {"platform"}),
    "plan": ("include/monofold/plan", {"platform", "shape", "fold"}),
    "level": ("include/monofold/level", BELOW_LEVEL),
    "engine": ("include/monofold/engine", BELOW_LEVEL | {"level"}),
    "api": ("include/monofold", BELOW_API),
    "emulation": ("emulation", {"platform"}),
    "trace": ("trace", {"emulation"}),
    "runtime": ("runtime", BELOW_API | {"api"}),
    # What needs MPI; the tool includes the table of what it loads from there.
    "mpi": ("mpi", BELOW_API | {"api"}),
    "cli": ("cli", PUBLIC | {"runtime", "ladder", "mpi", "plan"}),
    "python": ("python", PUBLIC | {"runtime"}),
    "bench": ("bench", PUBLIC | {"level", "plan", "runtime"}),
    "ladder": ("ladder", PUBLIC | {"level", "plan"}),
    "traced": ("ladder/traced", PUBLIC | {"level", "plan", "ladder", "emulation", "trace"}),
    "tests": ("tests", BELOW_API | {"api", "emulation", "trace", "runtime", "cli", "bench", "ladder", "mpi"}),
    "tools": ("tools", set()),
    "docs": ("docs", set()),
    "site": ("docs/site", PUBLIC),  # what its page of exact sums runs
}
# A scope includes only narrower ones: those to its left. A file belongs to the scope that its name
# starts with (block, block_scan).
SCOPES = [["slot_array", "core"],
          ["slot_array", "shuffle", "thread", "lanes", "warp", "block", "cluster", "grid"]]
# Engines do not see each other, but for these. An engine is a folder, or files whose names start so.
ENGINES = {"cpu": set(), "gpu": set(), "emulated": set(), "gpus": {"cpu", "gpu"},
           "mpi": {"cpu", "gpu", "gpus"}}

# The kernels of the GPU engine, a folder a family. A family sees itself and what lies beside these
# folders; only the dispatch sees families. Segments are folded by the parts of two others.
FAMILIES = re.compile(r"include/monofold/engine/gpu/(\w+)/")
SEES_FAMILIES = {"include/monofold/engine/gpu/dispatch.cuh", "include/monofold/group_by.cuh",
                 "include/monofold/reduce_axis.cuh", "include/monofold/reduce_segments.cuh"}
SEEN_BY_FAMILY = {"segment": {"tree", "exact"}, "key": {"segment"}}

PRINTING = "iostream|ostream|cstdio|stdio.h|print|syncstream|fmt/.*"
THREADS = "thread|pthread.h|mutex|shared_mutex|condition_variable|future|semaphore|barrier|latch|tbb/.*"
ALLOCATION = "vector|list|forward_list|deque|map|set|unordered_map|unordered_set|memory|new"
FILES = "fstream|filesystem|unistd.h|fcntl.h|sys/.*"
TRANSPORT = "mpi.h|nccl.h"
DEVICE = "cuda.*|cub/.*|thrust/.*|hip/.*"
PURE = "|".join([PRINTING, THREADS, ALLOCATION, FILES, TRANSPORT, DEVICE])
# room: headers that are not for it (regular expression, whole name)
FORBIDDEN = {
    "platform": "|".join([PRINTING, THREADS, FILES, TRANSPORT]),
    "fold": PURE,
    "shape": PURE,
    "plan": PURE,
    "level": "|".join([PRINTING, ALLOCATION, FILES, TRANSPORT, "cub/.*|thrust/.*"]),
    "engine": PRINTING + "|cub/.*|thrust/.*",
    "api": PRINTING + "|" + TRANSPORT,
    "runtime": PRINTING + "|" + TRANSPORT,
    "cli": TRANSPORT,
}
# file: headers that are for it all the same
EXCEPTIONS = {
    "include/monofold/monofold_mpi.h": "mpi.h",  # its callers have a communicator
    "include/monofold/fold/top.hpp": "vector",  # k is chosen at run time, so the state is too
    # Sorting is no reduction; the toolkit has it.
    "include/monofold/engine/gpu/key/sort_pairs.cuh": "cub/device/device_radix_sort.cuh",
}
# file: a room that it may include though its own room may not
DOORS = {
    "include/monofold/engine/gpu/launch.cuh": "emulation",  # where kernels are started
    "ladder/rung_runner.cuh": "emulation",  # what a rung that went wrong leaves behind
}
NO_ROOM_NAMES = {"utils", "util", "common", "helpers", "helper", "misc"}
MAX_LINES = 400
HEADERS = {".hpp", ".cuh"}
SOURCES = HEADERS | {".h", ".cpp", ".cu", ".c", ".py"}
MAX_KERNEL_LINES = 50
KERNEL = re.compile(r"(\s*)(?:static |inline )*__global__\b")
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def room_of(path):
    """The room whose folder holds `path` (relative, posix), the deepest folder first."""
    for room, (folder, _) in sorted(ROOMS.items(), key=lambda item: -len(item[1][0])):
        if path.startswith(folder + "/"):
            return room
    return None


def unit_of(path, names):
    """Which of `names` the file name starts with: gpu_launch.cuh belongs to gpu."""
    stem = Path(path).stem
    fits = [name for name in names if stem == name or stem.startswith(name + "_")]
    return max(fits, key=len, default=None)


def engine_of(path):
    """The engine that a file of engine/ belongs to, or None."""
    folder = Path(path).parts[3]
    return folder if folder in ENGINES else unit_of(path, ENGINES)


def check_include(path, target, room, other):
    """Why `path` in `room` may not include the tree's file `target` in room `other`, or None."""
    if Path(path).suffix == ".hpp" and target.endswith(".cuh"):
        return "a .hpp never includes a .cuh"
    if other != room and other not in ROOMS[room][1] and other != DOORS.get(path):
        return f"{room}/ may not include {other}/"
    if "/detail/" in target:
        own = path.split("/")[1] if room == "tests" else room
        if own != other and not (room == "tests" and own == "oracle" and other == "tests"):
            return f"detail/ is private to {other}/"
    if room == other == "level":
        for scopes in SCOPES:
            here, there = unit_of(path, scopes), unit_of(target, scopes)
            if here and there and scopes.index(there) > scopes.index(here):
                return f"scope {here} may only include narrower scopes, not {there}"
    if room == other == "engine":
        here, there = engine_of(path), engine_of(target)
        if here and there and here != there and there not in ENGINES[here]:
            return f"engine {here} may not include engine {there}"
    family, own = FAMILIES.match(target), FAMILIES.match(path)
    if family and path not in SEES_FAMILIES and room != "tests":
        if not own or family[1] not in {own[1]} | SEEN_BY_FAMILY.get(own[1], set()):
            return f"engine/gpu/{family[1]}/ is seen by the dispatch alone"
    return None


def resolve(tree, path, name):
    """The tree's file that `#include "name"` in `path` means, relative to the tree, or None."""
    for base in [tree / Path(path).parent, tree / "include", tree]:
        found = (base / name).resolve()
        if found.is_file() and found.is_relative_to(tree):
            return found.relative_to(tree).as_posix()
    return None


def kernels_of(lines):
    """Yields (line, number of lines) for each kernel: from its __global__ to the brace that closes it."""
    for first, line in enumerate(lines):
        match = KERNEL.match(line)
        if not match:
            continue
        last = next((i for i in range(first, len(lines)) if lines[i].endswith(("{", "}", ";"))), first)
        if lines[last].endswith("{"):  # no declaration, and no body on one line
            last = next((i for i in range(last, len(lines)) if lines[i] == match[1] + "}"), last)
        yield first + 1, last - first + 1


def check_file(tree, path, edges):
    """Yields (line, violation) for one file, and adds its includes in the tree to `edges`."""
    lines = (tree / path).read_text(encoding="utf-8").splitlines()
    room = room_of(path)
    if len(lines) > MAX_LINES:
        yield MAX_LINES, f"{len(lines)} lines; at most {MAX_LINES}"
    for line, num_lines in kernels_of(lines):
        if num_lines > MAX_KERNEL_LINES:
            yield line, f"a kernel of {num_lines} lines; at most {MAX_KERNEL_LINES}"
    for part in Path(path).with_suffix("").parts:
        if NO_ROOM_NAMES & set(re.split(r"[_\-.]", part)):
            yield 1, f"'{part}': a function lives in the room whose question it answers"
    if "/" not in path:
        return
    if room is None:
        yield 1, f"'{path.split('/')[0]}/' is not in the table of rooms"
        return
    inside = Path(path).relative_to(ROOMS[room][0])
    if room == "api" and len(inside.parts) > 1 and inside.parts[0] != "detail":
        yield 1, f"'include/monofold/{inside.parts[0]}/' is not in the table of rooms"
        return
    if inside.suffix in HEADERS:
        named = f"{inside.with_suffix('')}" if room == "api" else f"{room}/{inside.with_suffix('')}"
        # Highway includes -inl files once for each instruction set: they guard themselves.
        once = 0 if inside.stem.endswith("-inl") else 1
        # Tests have rooms of their own.
        first = lines[once] if len(lines) > once else ""
        titles = (named, str(inside.with_suffix(""))) if room == "tests" else (named,)
        if lines[:once] != ["#pragma once"][:once]:
            yield 1, "a header starts with #pragma once"
        elif not first.startswith(tuple(f"/// {title}: " for title in titles)):
            yield once + 1, f"this line must be '/// {named}: what it answers.'"
    if room == "level" and not any(unit_of(path, scopes) for scopes in SCOPES):
        yield 1, "a file of level/ is named for its scope"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match or inside.suffix == ".py":
            continue
        bracket, name = match.groups()
        target = resolve(tree, path, name) if bracket == '"' or "monofold" in name else None
        if target is None:
            if re.fullmatch(FORBIDDEN.get(room, "(?!)"), name) and name != EXCEPTIONS.get(path):
                yield number, f"{room}/ may not include <{name}>"
            elif name.startswith("monofold/") or bracket == '"' and room != "tests":
                yield number, f'"{name}" is not in the tree (third-party headers take <>)'
            continue
        other = room_of(target)
        edges.setdefault(path, []).append((number, target))
        if problem := other and check_include(path, target, room, other):
            yield number, f"{problem} ({target})"


def cycles(edges):
    """Yields (path, line, violation) for every include that closes a cycle."""
    done, walk = set(), []

    def visit(path):
        walk.append(path)
        for number, target in edges.get(path, []):
            if target in walk:
                yield path, number, "include cycle: " + " -> ".join(
                    [*walk[walk.index(target):], target])
            elif target not in done:
                yield from visit(target)
        walk.pop()
        done.add(path)

    for path in sorted(edges):
        if path not in done:
            yield from visit(path)


def sources_of(tree):
    """Every source file of the tree; build folders and hidden folders are not part of it."""
    for file in sorted(tree.rglob("*")):
        path = file.relative_to(tree)
        outside = path.parts[0].startswith(("build", ".")) or "__pycache__" in path.parts
        if file.suffix in SOURCES and file.is_file() and not outside:
            yield path.as_posix()


def main():
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    edges, violations, num_files = {}, [], 0
    for path in sources_of(tree):
        num_files += 1
        violations += [(path, line, what) for line, what in check_file(tree, path, edges)]
    violations += cycles(edges)
    for path, line, what in violations:
        print(f"{path}:{line}: {what}")
    print(f"{num_files} files, {len(violations)} violations")
    return 1 if violations or not num_files else 0


if __name__ == "__main__":
    sys.exit(main())
