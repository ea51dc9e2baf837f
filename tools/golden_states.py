#!/usr/bin/env python3
"""Makes the states of tests/golden_states, and answers.json with what the tool answers from them.

usage: golden_states.py TOOL FOLDER

docs/format.md says what the bytes mean. tests/cli/golden_states_test.py makes the files again: a change
of their bytes is a change of the format.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FLOATS = ["float64", "float32", "bfloat16", "float16"]
INTEGERS = ["int8", "uint64", "bool"]
NUMBERS = ("count sum prod mean var std min max minmax argmin argmax top bottom any all nonzero norm1 norm2 "
           "norminf dot nan").split()
BITS = ["and", "or", "xor"]
OPTIONS = {"top": ["-k", "2"], "bottom": ["-k", "20"], "var": ["--ddof", "1"]}
NAN, INF = float("nan"), float("inf")
# The smallest and the largest positive number of a type.
ENDS = {"float64": (2.0**-1074, (2 - 2.0**-52) * 2.0**1023), "float32": (2.0**-149, (2 - 2.0**-23) * 2.0**127),
        "bfloat16": (2.0**-133, (2 - 2.0**-7) * 2.0**127), "float16": (2.0**-24, 65504.0),
        "int8": (-2**7, 2**7 - 1), "int64": (-2**63, 2**63 - 1), "uint64": (0, 2**64 - 1), "bool": (0, 1)}
CODES = {"float64": "d", "float32": "f", "float16": "e", "int8": "b", "int64": "q", "uint64": "Q", "bool": "?"}


def packed(dtype, values):
    """Items as bytes; of bfloat16 the upper halves of float32, which must be exact."""
    if dtype != "bfloat16":
        return struct.pack(f"<{len(values)}{CODES[dtype]}", *values)
    halves = [struct.pack("<f", value) for value in values]
    assert all(half[:2] == b"\0\0" for half in halves)
    return b"".join(half[2:] for half in halves)


def item_sets(dtype):
    """{name: items}, each a hard case."""
    least, most = ENDS[dtype]
    if dtype in FLOATS:
        return {"numbers": [1.5, -0.0, 2.25, least, -3.0, 0.0, 2.25, -0.375, -3 * least],
                "extremes": [most, -1.0, most, least], "infinities": [INF, -2.0, INF],
                "opposites": [INF, 1.0, -INF], "minus_zeros": [-0.0] * 3, "empty": [],
                "nans": [1.5, NAN, INF, -2.0, NAN]}
    if dtype == "bool":
        return {"numbers": [True, False, True, True], "extremes": [False] * 3, "empty": []}
    return {"numbers": [3, 0, 5, 2 if least == 0 else -2, 5, most // 2], "extremes": [most, least, most, 1],
            "empty": []}


def generated(dtype, count, spread):
    """Items of 8 bits, exponents over `spread` bits; of spread 0: factors near 1."""
    seed, items = 1, []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        part = (seed >> 33) % 65 - 32
        items.append(1 + part / 128 if spread == 0 else (4 * part + 1) * 2.0**-((seed >> 45) % spread))
    return packed(dtype, items)


def case(name, dtype, words, *files, first_index=0):
    """A state: its name, the words of the tool, and the items of its file, or of both for dot."""
    return {"name": name, "dtype": dtype, "words": words, "files": files, "first_index": first_index}


def every_operation():
    for dtype in FLOATS + INTEGERS:
        items = item_sets(dtype)["numbers"]
        for op in NUMBERS + (BITS if dtype in INTEGERS else []):
            files = [packed(dtype, items)] + [packed(dtype, items[::-1])] * (op == "dot")
            yield case(f"{op}.{dtype}.numbers", dtype, [op, *OPTIONS.get(op, [])], *files)


def hard_items():
    for dtype in FLOATS + INTEGERS:
        tests = "minmax,argmax,top,any,all,nonzero" + (",and,or,xor" if dtype in INTEGERS else "")
        requests = {"sum": ["sum"], "stats": ["stats"], "norms": ["norm1,norm2,norminf"],
                    "tests": [tests, "-k", "2"]}
        for kind, items in item_sets(dtype).items():
            if kind == "numbers":
                continue
            for title, words in requests.items():
                for rule in ["propagate", "omit", "raise"] if kind == "nans" else ["propagate"]:
                    name = f"{title}.{dtype}.{kind}" + (f".{rule}" if rule != "propagate" else "")
                    yield case(name, dtype, [*words, "--nan", rule], packed(dtype, items))
    for op in ["sum", "mean", "norm1", "dot"]:
        files = [packed("int64", [2**63 - 1, 5])] * (2 if op == "dot" else 1)
        yield case(f"{op}.int64.overflow", "int64", [op], *files)
    left, right = [INF, 0.0, -0.0, NAN], [0.0, -2.0, 3.0, 1.0]
    for rule, begin, end in [("propagate", 1, 3), ("omit", 0, 4), ("raise", 0, 4)]:
        files = [packed("float32", part[begin:end]) for part in (left, right)]
        yield case(f"dot.float32.zeros.{rule}", "float32", ["dot", "--nan", rule], *files)


def trees():
    """Of operations that keep the plan's tree: three tiles and five items."""
    for dtype, spread in zip(FLOATS, [90, 60, 60, 14]):
        size = 4096 // len(packed(dtype, [0.0]))
        items = generated(dtype, 3 * size + 5, spread)
        for op in ["sum", "mean", "var", "std", "norm1", "norm2", "stats"]:
            yield case(f"{op}.{dtype}.plain", dtype, [op, "--plain"], items)
        yield case(f"prod.{dtype}.tiles", dtype, ["prod"], generated(dtype, 3 * size + 5, 0))
        half = 3 * 2048 + 5 * len(packed(dtype, [0.0]))  # a tile of pairs has half as many
        yield case(f"dot.{dtype}.plain", dtype, ["dot", "--plain"], items[:half], items[-half:])
        yield case(f"sum.{dtype}.plain.first_7", dtype, ["sum", "--plain"], items, first_index=7)
        yield case(f"sum.{dtype}.plain.tile_1", dtype, ["sum", "--plain"], items, first_index=size)
        few = packed(dtype, [1.5, NAN, -2.0])
        yield case(f"sum+var.{dtype}.plain.omit", dtype, ["sum,var", "--plain", "--nan", "omit"], items[:4096] + few)
        yield case(f"dot.{dtype}.plain.omit", dtype, ["dot", "--plain", "--nan", "omit"],
                   *[packed(dtype, [2.0, NAN, -0.5])] * 2)
        yield {"name": f"stats.{dtype}.plain.merged", "merge": [f"stats.{dtype}.plain"] * 2}
    yield case("sum+prod.float16.tiles", "float16", ["sum,prod"], generated("float16", 3 * 2048 + 5, 0))
    yield case("argmin.float32.first_1000", "float32", ["argmin"], packed("float32", [2.0, -1.0]), first_index=1000)


def cases():
    return [*every_operation(), *hard_items(), *trees()]


def run(tool, words, folder):
    done = subprocess.run([tool, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def answers_of(tool, folder, name):
    """What merge prints of a state, without what differs from run to run."""
    code, out, err = run(tool, ["merge", f"{name}.state", "--json"], folder)
    if code != 0:
        return {"exit": code, "error": err.strip().removeprefix("monofold: ")}
    row = json.loads(out)
    return {key: value for key, value in row.items() if key not in ("file", "engine", "seconds", "bytes")}


def make_state(tool, folder, one):
    with tempfile.TemporaryDirectory(prefix="monofold_") as inputs:
        if "merge" in one:
            words = ["merge", *[f"{name}.state" for name in one["merge"]]]
        else:
            files = [str(Path(inputs) / f"{i}.raw") for i in range(len(one["files"]))]
            for name, content in zip(files, one["files"]):
                Path(name).write_bytes(content)
            words = [*one["words"], *files, "--dtype", one["dtype"], "--format", "raw", "--device", "cpu",
                     "--quiet", "--first-index", one["first_index"]]
        code, _, err = run(tool, [*words, "--save-state", f"{one['name']}.state"], folder)
    if code not in (0, 4):  # 4: there is no answer, and yet a state
        raise RuntimeError(f"{one['name']}: {err}")


def main():
    tool, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    answers = {}
    for one in cases():
        make_state(tool, folder, one)
        answers[one["name"]] = answers_of(tool, folder, one["name"])
    lines = [f" {json.dumps(name)}: {json.dumps(answers[name])}" for name in sorted(answers)]
    (folder / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
