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
           "norminf dot nan mean_square").split()
BITS = ["and", "or", "xor"]
OPTIONS = {"top": ["-k", "2"], "bottom": ["-k", "20"], "var": ["--ddof", "1"]}
NAN, INF = float("nan"), float("inf")
# The smallest and the largest positive number of a type.
ENDS = {"float64": (2.0**-1074, (2 - 2.0**-52) * 2.0**1023), "float32": (2.0**-149, (2 - 2.0**-23) * 2.0**127),
        "bfloat16": (2.0**-133, (2 - 2.0**-7) * 2.0**127), "float16": (2.0**-24, 65504.0),
        "int8": (-2**7, 2**7 - 1), "int64": (-2**63, 2**63 - 1), "uint64": (0, 2**64 - 1), "bool": (0, 1)}
SPREADS = [90, 60, 60, 14]  # of exponents, by type
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


def numbers(count, spread):
    """Numbers of 8 bits, exponents over `spread` bits; of spread 0: factors near 1."""
    seed, items = 1, []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        part = (seed >> 33) % 65 - 32
        items.append(1 + part / 128 if spread == 0 else (4 * part + 1) * 2.0**-((seed >> 45) % spread))
    return items


def generated(dtype, count, spread):
    return packed(dtype, numbers(count, spread))


def logits(count):
    """Numbers of 8 bits whose exponentials are near each other, far apart and 0 beside the others."""
    return [item * (1.0, 2.0**4, 2.0**6)[i % 3] for i, item in enumerate(numbers(count, 3))]


def with_nans(items, every):
    """The same, but NaN at index 1 and at each `every` behind it."""
    return [NAN if i % every == 1 else item for i, item in enumerate(items)]


def case(name, dtype, words, *files, first_index=0):
    """A state: its name, the words of the tool, and the items of its file, or of both for dot."""
    return {"name": name, "dtype": dtype, "words": words, "files": files, "first_index": first_index}


def every_operation():
    for dtype in FLOATS + INTEGERS:
        items = item_sets(dtype)["numbers"]
        for op in NUMBERS + (BITS if dtype in INTEGERS else ["logsumexp"]):
            files = [packed(dtype, items)] + [packed(dtype, items[::-1])] * (op == "dot")
            yield case(f"{op}.{dtype}.numbers", dtype, [op, *OPTIONS.get(op, [])], *files)


def hard_items():
    for dtype in FLOATS + INTEGERS:
        tests = "minmax,argmax,top,any,all,nonzero" + (",and,or,xor" if dtype in INTEGERS else "")
        requests = {"sum": ["sum"], "stats": ["stats"], "norms": ["norm1,norm2,norminf"],
                    "tests": [tests, "-k", "2"]}
        if dtype in FLOATS:
            requests["held"] = ["prod,mean,norm1,norminf,minmax"]
            requests["exponentials"] = ["logsumexp,max"]
        for kind, items in item_sets(dtype).items():
            if kind == "numbers":
                continue
            for title, words in requests.items():
                for rule in ["propagate", "omit", "raise"] if kind == "nans" else ["propagate"]:
                    name = f"{title}.{dtype}.{kind}" + (f".{rule}" if rule != "propagate" else "")
                    yield case(name, dtype, [*words, "--nan", rule], packed(dtype, items))
                    if title == "stats" and dtype in FLOATS and items:
                        yield case(f"plain_{name}", dtype, [*words, "--nan", rule, "--plain"], packed(dtype, items))
    for op in ["sum", "mean", "norm1", "dot"]:
        files = [packed("int64", [2**63 - 1, 5])] * (2 if op == "dot" else 1)
        yield case(f"{op}.int64.overflow", "int64", [op], *files)
    left, right = [INF, 0.0, -0.0, NAN], [0.0, -2.0, 3.0, 1.0]
    for rule, begin, end in [("propagate", 1, 3), ("omit", 0, 4), ("raise", 0, 4)]:
        files = [packed("float32", part[begin:end]) for part in (left, right)]
        yield case(f"dot.float32.zeros.{rule}", "float32", ["dot", "--nan", rule], *files)


def trees():
    """Cases of operations that keep the plan's tree: three tiles and five items."""
    for dtype, spread in zip(FLOATS, SPREADS):
        size = 4096 // len(packed(dtype, [0.0]))
        items = generated(dtype, 3 * size + 5, spread)
        for op in ["sum", "mean", "var", "std", "norm1", "norm2", "mean_square", "stats"]:
            yield case(f"{op}.{dtype}.plain", dtype, [op, "--plain"], items)
        yield case(f"prod.{dtype}.tiles", dtype, ["prod"], generated(dtype, 3 * size + 5, 0))
        yield case(f"logsumexp.{dtype}.tiles", dtype, ["logsumexp"], packed(dtype, logits(3 * size + 5)))
        held = with_nans(logits(1088 // len(packed(dtype, [0.0]))), 13)
        yield case(f"logsumexp.{dtype}.omit", dtype, ["logsumexp", "--nan", "omit"], packed(dtype, held))
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
    yield case("prod+argmin+top.float32.first_1000", "float32", ["prod,argmin,top", "-k", "2"],
               packed("float32", [2.0, -1.0]), first_index=1000)


def held_items():
    """Cases of operations that keep the plan's tree: fewer items than a tile, but more than it has slots."""
    plain, omit = ["--plain", "-k", "3"], ["--nan", "omit", "-k", "3"]
    for dtype, spread in zip(FLOATS, SPREADS):
        count = 1088 // len(packed(dtype, [0.0]))
        wide = numbers(count, spread)
        near = [-item if i % 7 == 0 else item for i, item in enumerate(numbers(count, 0))]
        far = [192.0 + 32 * item // 1 for item in numbers(count, 0)]  # their variance takes a second look
        gaps = [with_nans(items, 13) for items in (wide, near, far)]
        requests = {"stats,norm1,norm2,norminf,all,top": (plain, wide), "var": (plain, far),
                    "dot": (plain, wide), "prod": ([], near),
                    "sum,var,norm1,norm2,nonzero,min,nan": (plain + omit, gaps[0]), "mean,std": (plain + omit, gaps[2]),
                    "prod,mean,norm1,norm2,norminf,minmax,any,bottom": ([], near),
                    "prod,var,norm1,norm2,norminf,max,nonzero,top": (omit, gaps[1]),
                    "prod,sum,min,bottom,nan": (omit, gaps[1])}
        for i, (ops, (words, items)) in enumerate(requests.items()):
            if dtype == ("float16" if "--plain" in words else "bfloat16"):
                continue  # sums of float16 are exact here, and products as those of bfloat16
            half = len(packed(dtype, items)) // 2
            files = [packed(dtype, items)]
            files = [files[0][:half], files[0][half:]] if ops == "dot" else files
            yield case(f"held_{i}.{dtype}", dtype, [ops, *words], *files)


def hard_held_items():
    """Cases of trees too: single slots with many items, hard variances, and NaN of other bits."""
    for dtype in ["float64", "float16"]:
        size = len(packed(dtype, [0.0]))
        period = 512 // size  # of slots: items that are NaN leave them as they are
        items = [item if i % period == 3 else NAN for i, item in enumerate(numbers(7 * period, 9))]
        yield case(f"one_slot.{dtype}.plain.omit", dtype, ["var,norm2", "--plain", "--nan", "omit"],
                   packed(dtype, items))
        sign, quiet = 2**(8 * size - 1), {8: 0x7FF8 << 48, 2: 0x7E00}[size]
        bits = [quiet | 5, quiet, quiet | sign, quiet | sign | 1]
        for name, order in [("up", bits), ("down", bits[::-1])]:
            raw = b"".join(one.to_bytes(size, "little") for one in order) + packed(dtype, [1.5, INF, -INF])
            for i, words in enumerate([["prod,argmin,argmax"], ["prod,argmax,bottom", "-k", "6"],
                                       ["prod,argmin,top", "-k", "6"]]):
                yield case(f"other_nans_{i}.{dtype}.{name}", dtype, words, raw)
    middling = [48 + 128 * (item - 1) for item in numbers(90, 0)]  # of a variance above a 128th of the squares
    huge = 5.4e153  # squares whose sum is infinite, unlike that of their deviations
    for name, items in [("middling", middling), ("huge", [0.0, 2 * huge] * 2), ("infinite", [huge, -huge] * 4)]:
        yield case(f"var.float64.plain.{name}", "float64", ["var", "--plain"], packed("float64", items))
    yield case("var.float64.plain.omit.infinity", "float64", ["var", "--plain", "--nan", "omit"],
               packed("float64", [INF]))
    yield case("norm2.bfloat16.plain.narrow", "bfloat16", ["norm2", "--plain"], generated("bfloat16", 600, 27))


def ends_of_doubles():
    """Plain norm2 and mean_square, whose items are small, middle or large; the ends of the middle are its own."""
    wide = [1.1 * item * item * item for item in numbers(45, 0)]
    small = [item * 2.0**-480 for item in wide]
    middle = [2.0**-480, 3 * 2.0**-478, 1.1 * 2.0**-479]
    large = [item * 2.0**480 for item in wide]
    sets = {"small": [item for item in small if item < 2.0**-480], "middle": small + middle, "large": large + middle,
            "small_nan": [small[0], NAN], "large_nan": [large[0], NAN], "omit": with_nans(large + small, 3),
            "infinity": [INF, *large], "least": [2.0**-1074, 2.0**-600], "most": [2.0**1000, 2.0**700]}
    for kind, items in sets.items():
        words = ["--plain", *(["--nan", "omit"] if kind == "omit" else [])]
        yield case(f"norms.float64.plain.{kind}", "float64", ["norm2,norm1,norminf", *words], packed("float64", items))
        yield case(f"mean_square.float64.plain.{kind}", "float64", ["mean_square", *words], packed("float64", items))


def joined_states():
    """Nodes whose states are combined: NaN in some only, one of nothing but NaN, one behind a closed state."""
    far, near = [[start + 32 * item for item in numbers(3 * 2048 + 5, 0)] for start in (224.0, 0.0)]
    ones = numbers(3 * 2048 + 5, 0)
    exact = "prod,norm1,norminf,any,nan,bottom,argmin"
    for kind, words, items in [("exact", [f"{exact},norm2,max"], ones),
                               ("omit", [f"{exact},mean", "--nan", "omit"], ones[:4096] + with_nans(ones[4096:], 100)),
                               ("omit.late", ["prod,var,max,all,top", "--nan", "omit"], [*ones[:-5], *[NAN] * 5])]:
        yield case(f"joined.float16.{kind}", "float16", [*words, "-k", "2"], packed("float16", items))
    for dtype in ["float64", "float32"]:
        tile = 4096 // len(packed(dtype, [0.0]))
        first, last, none = far[:2 * tile], near[2 * tile:3 * tile], [NAN] * tile
        for kind, items in [("middle", [*first, *none, *far[:5]]), ("end", [*first, *last, NAN, NAN])]:
            yield case(f"joined.{dtype}.plain.omit.{kind}", dtype,
                       ["mean,var,norm1,norm2", "--plain", "--nan", "omit"], packed(dtype, items))
        for rest in range(3, 8):
            items = [*first, *last, *far[:rest]]
            yield case(f"joined.{dtype}.plain.{rest}", dtype, ["stats", "--plain"], packed(dtype, items))
            yield case(f"joined.{dtype}.plain.omit.{rest}", dtype, ["var", "--plain", "--nan", "omit"],
                       packed(dtype, with_nans(items, rest)))
    parts = [numbers(3, 60), numbers(4, 60), numbers(3 * 1024 + 9, 60)]
    for ops in ["stats", "norm2", "mean"]:
        names = [f"{ops}.float32.plain.part_{i}" for i in range(3)]
        for i, name in enumerate(names):
            yield case(name, "float32", [ops, "--plain"], packed("float32", parts[i]), first_index=7 * (i == 2))
        yield {"name": f"{ops}.float32.plain.closed", "merge": names}


def without_items():
    """No items, nothing but NaN, or too few for an answer."""
    zeros = "count,nan,sum,prod,norm1,norm2,norminf,any,all,nonzero"
    yield case("mean_square.float32.empty", "float32", ["mean_square"], b"")
    for plain in [[], ["--plain"]]:
        yield case("mean_square.float32.all_nan" + ".plain" * len(plain), "float32",
                   ["mean_square,norm2", *plain, "--nan", "omit"], packed("float32", [NAN] * 3))
    yield case("logsumexp.float64.empty", "float64", ["logsumexp"], b"")
    yield case("logsumexp.float64.all_nan", "float64", ["logsumexp", "--nan", "omit"], packed("float64", [NAN] * 3))
    for dtype in FLOATS + INTEGERS:
        yield case(f"zeros.{dtype}.empty", dtype, [zeros + (",and,or,xor" if dtype in INTEGERS else "")], b"")
    omit, two = ["--nan", "omit", "-k", "2"], [NAN, 1.5, NAN, -2.0, NAN]
    for dtype in ["float64", "float16"]:
        nothing = packed(dtype, [NAN] * 3)
        for i, ops in enumerate([zeros, "min", "max", "minmax", "mean,argmax,top", "top,var", "var,min,std"]):
            for plain in [[], ["--plain"]]:
                yield case(f"all_nan_{i}.{dtype}" + ".plain" * len(plain), dtype, [ops, *plain, *omit], nothing)
        yield case(f"dot.{dtype}.plain.all_nan", dtype, ["dot", "--plain", *omit], nothing, nothing)
        for ops in ["sum", "prod,sum"]:
            for plain in [[], ["--plain"]]:
                name = f"{ops.replace(',', '+')}.{dtype}" + ".plain" * len(plain)
                yield case(f"{name}.nan_and_minus_0", dtype, [ops, *plain, *omit], packed(dtype, [NAN, -0.0]))
        for plain in [[], ["--plain"]]:
            name = f"few.{dtype}" + ".plain" * len(plain)
            yield case(f"{name}.omit", dtype, ["var,std", "--ddof", "2", *plain, *omit], packed(dtype, two))
            yield case(name, dtype, ["std,var,top", "--ddof", "3", *plain], packed(dtype, two[1::2]))
        yield case(f"top.{dtype}.omit.few", dtype, ["top,sum", "--nan", "omit", "-k", "3"], packed(dtype, two))
        yield case(f"top.{dtype}.raise.few", dtype, ["top,sum,nan", "--nan", "raise"], packed(dtype, two))
    yield case("top.int8.few", "int8", ["top,bottom,std", "--ddof", "1"], packed("int8", [5]))
    yield case("top.int8.empty", "int8", ["var,top,mean,bottom"], b"")
    for rule in ["propagate", "omit"]:  # which changes the states of integers too, not the answers
        yield case(f"var+min+any.int8.{rule}", "int8", ["var,min,any", "--nan", rule], packed("int8", [3, -2]))
        yield case(f"top.int8.few.{rule}", "int8", ["top", "--nan", rule], packed("int8", [3, -2]))


def cases():
    return [*every_operation(), *hard_items(), *trees(), *held_items(), *hard_held_items(), *ends_of_doubles(),
            *joined_states(), *without_items()]


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
