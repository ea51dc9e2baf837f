#!/usr/bin/env python3
"""Compares the states of two builds of the tool byte for byte, over every operation and type of items.

usage: compare_states.py OLD_TOOL NEW_TOOL [TILES...]     says each difference; fails if there is one
       compare_states.py --digests TOOL [TOOL...]         prints tests/golden_states/digests.json

OLD_TOOL reads files in its usual way, NEW_TOOL with several numbers of threads, in every --io mode and
from a pipe; exit codes and answers are compared too. Files have TILES tiles and five items (9 and 259).
Of several tools with --digests, the first one that has an operation makes its states.
tests/cli/golden_states_test.py compares the states of the tool with digests.json.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from golden_states import BITS, ENDS, FLOATS, INF, NAN, NUMBERS, OPTIONS, SPREADS, numbers, packed, with_nans

SIZES = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
         "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
FRACTION_BITS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}
TREES = ["prod", "logsumexp", "softmax_denominator"]
PLAIN = ["sum", "mean", "var", "std", "norm1", "norm2", "mean_square", "dot", "stats", "sum,var,norm1,norm2,top"]
TOGETHER = ["stats", "minmax,argmax,top,bottom,any,all,nonzero", "norm1,norm2,norminf,mean", "sum,min,nan",
            "var,norm1,norminf,argmin"]
RULES = ["propagate", "omit", "raise"]
GOLDEN_TILES = 9  # more than two of the blocks of four tiles that the loops take
# How NEW_TOOL reads: the last one has its file on standard input.
WAYS = [["--threads", "1"], ["--threads", "2", "--io", "map"], ["--threads", "3", "--io", "read"],
        ["--threads", "5", "--io", "direct"], ["--threads", "7", "-"]]


def noise(name, count, size):
    """Integers of `size` bytes, every bit by chance, the same in each run."""
    raw = hashlib.shake_256(name.encode()).digest(count * size)
    return [int.from_bytes(raw[i:i + size], "little") for i in range(0, len(raw), size)]


def joined(items, size):
    return b"".join(item.to_bytes(size, "little") for item in items)


def far_floats(dtype, count):
    """Finite numbers with every exponent and both signs, as bits."""
    fraction, size = FRACTION_BITS[dtype], SIZES[dtype]
    top = 2**(8 * size - 1) - 2**fraction  # the bits of infinity
    return [bits - 2**fraction if bits & top == top else bits for bits in noise(f"far {dtype}", count, size)]


def special_floats(dtype):
    """{bits}: both zeros, both ends of the type, subnormal numbers, infinities; NaN last."""
    fraction, size = FRACTION_BITS[dtype], SIZES[dtype]
    sign, top = 2**(8 * size - 1), 2**(8 * size - 1) - 2**fraction
    finite = [0, sign, 1, sign + 1, 2**fraction - 1, sign + 2**fraction, top - 1, sign + top - 1]
    return finite, [top, sign + top, top + 2**(fraction - 1)]


def float_inputs(dtype, count):
    """(kind, bytes of the items, NaN rules, whether folds that round see no NaN that they made themselves)."""
    size, spread = SIZES[dtype], SPREADS[FLOATS.index(dtype)]
    far = far_floats(dtype, count)
    finite, others = special_floats(dtype)
    mixed = list(far)
    for i, bits in enumerate(finite + others):
        mixed[count // 3 + i::count // 5] = [bits] * len(mixed[count // 3 + i::count // 5])
    signed = numbers(count, spread)
    yield "near", packed(dtype, numbers(count, 0)), RULES[:1], True
    yield "signed", packed(dtype, signed), RULES[:1], True
    yield "gaps", packed(dtype, [*signed[:count // 2], *with_nans(signed[count // 2:], 101)]), RULES, True
    yield "far", joined(far, size), RULES[:1], False
    yield "mixed", joined(mixed, size), RULES, False
    yield "few", joined(far[:29] + finite, size), RULES[:1], False
    yield "minus_zeros", packed(dtype, [-0.0] * count), RULES[:1], True


def integer_inputs(dtype, count):
    size = SIZES[dtype]
    if dtype == "bool":
        items = [item & 1 for item in noise("bool", count, 1)]
        sets = {"wide": items, "few": items[:37], "most": [1] * count, "least": [0] * count}
    else:
        mask = 2**(8 * size) - 1
        least, most = (-2**(8 * size - 1), 2**(8 * size - 1) - 1) if dtype[0] == "i" else (0, mask)
        wide = noise(dtype, count, size)
        near = [((item & 7) - 3 * (least < 0)) & mask for item in wide]
        sets = {"wide": wide, "near": near, "few": [*wide[:33], least & mask, most, 0, 1],
                "most": [most] * count, "least": [least & mask] * count}
    for kind, items in sets.items():
        yield kind, joined(items, size), RULES[:1], True


def requests(dtype, kind, rules, rounds):
    """The words of every operation, alone and together, that is asked of such items."""
    for rule in rules:
        nan = ["--nan", rule] * (rule != "propagate")
        first = ["--first-index", "7"] * (kind == "few")
        more = ["logsumexp", "softmax_denominator"] if dtype in FLOATS else BITS
        for ops in NUMBERS + more + TOGETHER:
            if ops not in TREES or rounds:
                yield [ops, *OPTIONS.get(ops, []), *nan, *first]
        for ops in PLAIN if dtype in FLOATS and rounds else []:
            yield [ops, "--plain", *OPTIONS.get(ops, []), *nan, *first]


def inputs(tiles):
    """(type, kind, bytes, words of every request) of each set of items."""
    for dtype, size in SIZES.items():
        count = tiles * 4096 // size + 5
        for kind, content, rules, rounds in (float_inputs if dtype in FLOATS else integer_inputs)(dtype, count):
            yield dtype, kind, content, list(requests(dtype, kind, rules, rounds))


class Folder:
    """Where the files of one set of items lie, and for a moment the states that tools make of them."""

    def __init__(self, path, dtype, content):
        self.path, self.dtype, self.content, size = Path(path), dtype, content, SIZES[dtype]
        (self.path / "items").write_bytes(content)
        turned = b"".join(content[i:i + size] for i in range(len(content) - size, -1, -size))
        (self.path / "turned").write_bytes(turned)

    def run(self, tool, words, way=()):
        """Exit code, answer and state; None: the tool does not have such an operation."""
        piped = "-" in way
        files = ["-" if piped else "items"] + ["turned"] * (words[0] == "dot")
        options = ["--dtype", self.dtype, "--format", "raw", "--device", "cpu", "--quiet"]
        state = hashlib.sha256(repr((tool, words, way)).encode()).hexdigest()
        done = subprocess.run([tool, *words, *files, *options, *way[:len(way) - piped], "--save-state", state],
                              cwd=self.path, input=self.content if piped else b"", capture_output=True, check=False,
                              timeout=120)
        if done.returncode == 2 and b"unknown operation" in done.stderr:
            return None
        if done.returncode not in (0, 4):  # 4: there is no answer, and yet a state
            raise RuntimeError(f"{words} of {self.dtype}: {done.stderr.decode()}")
        saved = (self.path / state).read_bytes()
        os.remove(self.path / state)
        return done.returncode, done.stdout.decode(), saved


def on_each(tiles, call):
    """What `call` gives for the folder and the words of each request, by type and kind, on all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for dtype, kind, content, words in inputs(tiles):
            with tempfile.TemporaryDirectory(prefix="monofold_") as path:
                folder = Folder(path, dtype, content)
                yield f"{dtype}.{kind}", words, list(threads.map(lambda one, where=folder: call(where, one), words))


def digests(tools):
    """{type.kind: {words: the first 16 digits of the SHA-256 of the state}}."""
    def digest(folder, words):
        found = next(filter(None, (folder.run(tool, words) for tool in tools)))
        return hashlib.sha256(found[2]).hexdigest()[:16]

    return {name: dict(zip(map(" ".join, words), found)) for name, words, found in on_each(GOLDEN_TILES, digest)}


def compare(old, new, tiles):
    """How many states were compared, how many OLD cannot make, and what differs, in words."""
    compared, absent, different = 0, 0, []

    def both(folder, words):
        wanted = folder.run(old, words)
        return wanted and [(way, folder.run(new, words, way) == wanted) for way in WAYS]

    for name, words, found in on_each(tiles, both):
        for one, results in zip(words, found):
            absent += results is None
            compared += len(results or [])
            different += [" ".join([name, *one, *way]) for way, same in results or [] if not same]
    return compared, absent, different


def main():
    if sys.argv[1] == "--digests":
        rows = [f" {json.dumps(name)}: {json.dumps(row)}" for name, row in digests(sys.argv[2:]).items()]
        print("{\n" + ",\n".join(rows) + "\n}")
        return 0
    failed = False
    for tiles in map(int, sys.argv[3:] or [GOLDEN_TILES, 259]):
        compared, absent, different = compare(*map(os.path.abspath, sys.argv[1:3]), tiles)
        print(f"{tiles} tiles: {compared} states compared, {len(different)} differ; {absent} that OLD_TOOL cannot make")
        print("".join(f"  {line}\n" for line in different), end="", flush=True)
        failed |= bool(different)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
