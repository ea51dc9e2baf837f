#!/usr/bin/env python3
"""Prints docs/reference.md: every fold, view, operation, option, call of C and status, from their own lists.

usage: reference.py [TREE] > OTHER && mv OTHER docs/reference.md

Read are the man page (which the tool prints from its lists of operations and options), the marked
pieces of tests/docs/reference_test.cpp, monofold.h, groups.h, and platform/status.hpp. The table of folds is kept as it
stands on the page: test_docs makes it from the headers (tests/docs/reference_test.cpp).
"""

import re
import sys
import textwrap
from pathlib import Path

WIDTH = 120
# The folds of the headers whose names are not those of the tool's operations.
FOLDS = {"prod": "product", "var": "variance(ddof)", "std": "standard_deviation(ddof)",
         "minmax": "extrema", "top": "top(k)", "bottom": "bottom(k)", "any": "any_of",
         "all": "all_of", "norminf": "norm_inf", "and": "bit_and", "or": "bit_or",
         "xor": "bit_xor", "nan": None}

PAGE = """# Reference

This page lists every call, fold, view, operation and option. [Contracts](contracts.md) says what answers mean (NaN,
ties, overflow, accuracy). `tools/reference.py` makes the page from the lists that the code itself reads; do not edit
it.

## Calls

```cpp
{calls}```

| engine | header | runs on |
|---|---|---|
| `mf::cpu`, `mf::cpu(threads)` | `monofold/monofold.hpp` | all cores, or at most so many threads |
| `mf::gpu`, `mf::gpu(stream)` | `monofold/monofold.cuh` | the current CUDA device, its default stream or that one |
| `mf::gpus({{0, 1}})`, `mf::gpus()` | `monofold/gpus.cuh` | several devices at once ([GPU](gpu.md#several-gpus)) |
| `mf::ranks(comm)` | `monofold/ranks.hpp` | the ranks of an MPI communicator ([ranks](ranks.md)) |
| `mf::emulated` | `monofold/emulated.cuh` | the [emulated device](emulated.md) |

This table says which call takes which engine:

{engines}
{tries}

Programs that link `monofold::emulated` have the emulated device as `mf::gpu` too, for all of its calls.

Every engine takes every fold and gives the same bits, with these limits: on a GPU, `top(k)` and `bottom(k)` take k up
to 1024 and a contiguous range, and not inside `all`; states have at most 8 KiB, of rows, columns and segments 1 KiB. A
GPU also has `reduce_into` (does not wait), `fold_into` (leaves the state) and `workspace_bytes`
([GPU](gpu.md#calls)).

## Folds

Items may be bool, int8 to int64, uint8 to uint64, `float16`, `bfloat16`, float and double. `exact` means that the
answer of floats is the exact value, rounded once, or that nothing is rounded at all. The last column is the size of the
state for doubles (for bits: uint32).

{folds}
`sum_to`, `mean_to`, `norm1_to`, `norm2_to`, `dot_to`, `sum_of_squares_to<Real>`, `mean_square_to<Real>`,
`variance<Real>(ddof)` and `standard_deviation<Real>(ddof)` round to double, float, `float16` or `bfloat16`.
`extrema_answer` has `min`, `max`, `argmin` and `argmax`; `top_answer` has `values` and `indices`, best first;
`softmax_scale` has `max` and `sum`. `all(a, b, ...)`, `fold | map(f)`, `fold | where(p)`, `fold | omit_nan`,
`fold | raise_nan`, `ordered(op)` and `commutative(op)` make folds of others ([folds of your own](folds.md)); for a GPU
their functions are marked `MONOFOLD_HD`, lambdas `MONOFOLD_HD_LAMBDA` (nvcc: `--extended-lambda`).

## Ranges and views

```cpp
{ranges}```

On a GPU, a range is contiguous device, managed or pinned memory, or a view of such memory. Views own nothing and are
copied; mark functions of a view that run on a GPU with `MONOFOLD_HD`.

`mf::rolling` of `monofold/rolling.hpp` gives one answer for each window, `mf::scan` of `monofold/scan.hpp` one for each
beginning, such as running sums ([windows](rolling.md)); `mf::group_by` and `mf::reduce_by_key` of
`monofold/group_by.hpp`, on a GPU of `monofold/group_by.cuh`, give one for each key ([groups](groups.md)).

## Data in pieces

```cpp
{running_state}```

Parts that start at multiples of `running_state::tile_items`, and were given their first index, merge to the bits of one
call. `left.push(mf::gpu, device_items)` appends items that a GPU reads (`monofold/running_state.cuh`) to any state, in
turn with items of the processor, with the same bits and the same saved bytes. `try_finish` gives a `result`; `load`
refuses damaged and foreign bytes with a reason. For exact sums and counts, `left.subtract(right)` subtracts items
again, and leaves the bytes of a state that never saw them. `left == right` compares those bytes.

## The tool: operations

`monofold OP[,OP...] [FILE...]`. Several operations read the data once. `stats` stands for
{stats}

| operation | what | answer | no items | in the headers |
|---|---|---|---|---|
{operations}
Element types: {types}

## The tool: options

The man page ([docs/man/monofold.1](man/monofold.1), `man -l docs/man/monofold.1`) also says which files are read and
what is printed. `cmake --install` installs it, with completions for bash and zsh; `monofold --man` and
`monofold --completion bash` print them. Commands take their own options, below, and those of the first list that
`monofold COMMAND --help` names.

{options}
A pipe or a text of any length takes less than 64 MiB, the program among them: 16 and 20 MiB with two cores. What `-k`,
`--by` and `--axis` need for their answers comes on top. With `--io map`, and with `auto` where it maps, a file that
shrinks is an error line because the tool handles the signal SIGBUS; `read` and `direct` need no handler for that.

{command_options}
## The C interface

`monofold/monofold.h` is the interface of libmonofold (the CMake target `monofold::runtime`). Types and operations are
chosen at run time; arrays lie in host memory or, where a call takes a `monofold_place`, in a GPU's. The header says
what each call promises.

| call | what it does |
|---|---|
{c_calls}
## Status codes

A status is `mf::status` in C++; in C it is `MONOFOLD_` and the name in capitals. `reduce` throws `mf::error`, whose
`code()` is the status.

| code | name | meaning |
|---|---|---|
{statuses}
The tool's exit codes: 0 fine, 1 internal or write error, 2 usage, 3 input missing or malformed, 4 no such result, 5 no
such device.
"""

# What each call of the headers that takes an engine answers, in the order of the page. The headers say which engines.
ENGINES = ("cpu", "gpu", "gpus", "ranks", "emulated")
CALLS = {
    "reduce": "one answer for a range",
    "reduce_into": "that answer, into memory of the device, without waiting",
    "fold_into": "its state, into memory of the device, without waiting",
    "reduce_to": "the answer of `reduce`, on one rank alone",
    "reduce_async": "the answer of `reduce`, for which one may wait later",
    "reduce_many": "one answer for each of several ranges",
    "reduce_many_async": "those, for which one may wait later",
    "reduce_axis": "one for each row, column or other index ([axes](axes.md))",
    "reduce_axis_into": "those, into memory of the caller",
    "fold_axis_into": "states of rows, into memory of the device",
    "reduce_segments": "one for each segment ([segments](axes.md#segments))",
    "reduce_segments_into": "those, into memory of the caller",
    "fold_segments_into": "states of segments, into memory of the device",
    "rolling": "one for each window ([windows](rolling.md))",
    "scan": "one for each beginning, as running sums have it",
    "group_by": "one for each key ([groups](groups.md))",
    "reduce_by_key": "one for each run of equal keys",
}


def plain(line):
    """A line of roff as markdown."""
    line = re.sub(r"\\fI(.*?)\\fP", r"\1", line)
    return line.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")


def sections(man):
    """{section: [(subsection, name, text)]} of the entries under .TP."""
    found, section, group, lines = {}, None, None, man.splitlines()
    for i, line in enumerate(lines):
        if line.startswith(".SH "):
            section, group = line[4:], None
        elif line.startswith(".SS "):
            group = plain(line[4:])
        elif line == ".TP":
            body = []
            for text in lines[i + 2:]:
                if re.match(r"\.(TP|SH|SS)", text):
                    break
                body.append(plain(text))
            found.setdefault(section, []).append((group, plain(lines[i + 1][3:]), " ".join(body)))
    return found


def operation_rows(entries):
    for group, name, text in entries:
        match = re.match(r"(.*?)\. Answer: (.*?)(?:; (empty: )?(.*?))?\. A NaN", text)
        if not match:
            continue  # stats
        what, answer, _, empty = match.groups()
        fold = FOLDS.get(name, name)
        whole = ", of whole numbers" if "whole numbers" in group else ""
        yield (f"| `{name}` | {what}{whole} | {answer} | {empty} | "
               f"{f'`{fold}`' if fold else ''} |\n")


def option_list(entries):
    """The options, by command."""
    out, last = "", "none yet"
    for group, name, text in entries:
        if group != last:
            out += ("" if group is None else f"\n**{group}**\n") + ("\n" if out else "")
            last = group
        item = f"- `{name}`: {text}"
        out += textwrap.fill(item, WIDTH, subsequent_indent="  ", break_on_hyphens=False,
                             break_long_words=False) + "\n"
    return out


def command_options(parts):
    """What commands take that the reduction does not, or means something else there."""
    known = {name: text for _, name, text in parts["OPTIONS"]}
    return [entry for entry in parts["OTHER COMMANDS"] if known.get(entry[1]) != entry[2]]


def call_rows(header):
    """The calls of the C interface, each with the first sentence of what stands above it."""
    found = re.findall(r"((?:^///.*\n)+)MONOFOLD_API [^;]*?\b(monofold_\w+)\(", header, re.MULTILINE)
    for comment, name in found:
        text = re.split(r"^$", re.sub(r"^/// ?", "", comment, flags=re.MULTILINE), flags=re.MULTILINE)[0]
        sentence = re.split(r"(?<=\.)\s|: |; ", " ".join(text.split()))[0].rstrip(".")
        yield f"| `{name}` | {sentence} |\n"


def status_rows(header):
    names = re.findall(r"^  (\w+) = (\d+),", header, re.MULTILINE)
    texts = dict(re.findall(r"case status::(\w+):\s*return \"(.*?)\";", header))
    for name, code in names:
        yield f"| {code} | `{name}` | {texts.get(name, 'internal error')} |\n"


def engines_of_calls(headers):
    """{call: engines} of the functions that headers declare outside of detail and do not delete."""
    found = {}
    for header in headers:
        public = re.sub(r"^namespace detail \{$.*?^\}  // namespace detail$", "", header, flags=re.DOTALL | re.MULTILINE)
        for name, engine, rest in re.findall(
                r"^(?:auto|void) (\w+)\([^;{]*?const (\w+)_engine(?:<\w+>)?&([^;{]*)", public, re.MULTILINE):
            if not rest.rstrip().endswith("= delete"):
                found.setdefault(name, set()).add(engine)
    return found


def engine_rows(found):
    calls = {name for name in found if not name.startswith("try_")}
    if calls != set(CALLS) or not set().union(*found.values()) <= set(ENGINES):
        sys.exit(f"CALLS and ENGINES of tools/reference.py are not those of the headers: {found}")
    yield "| call | answers | " + " | ".join(f"`mf::{name}`" for name in ENGINES) + " |\n"
    yield "|---|---|" + "---|" * len(ENGINES) + "\n"
    for call, what in CALLS.items():
        cells = ("yes" if engine in found[call] else "" for engine in ENGINES)
        yield f"| `{call}` | {what} | " + " | ".join(cells) + " |\n"


def pieces(source):
    """The marked pieces of a C++ file, as tests/docs/snippets_test.py reads them."""
    found = {}
    for match in re.finditer(r"^ *// \[(\w+)\]\n(.*?)^ *// \[/\1\]$", source, re.DOTALL | re.MULTILINE):
        found[match[1]] = textwrap.dedent(match[2])
    return found


def reference(tree):
    read = lambda name: (tree / name).read_text(encoding="utf-8")
    man = read("docs/man/monofold.1")
    parts = sections(man)
    folds = re.search(r"<!-- folds -->\n.*?<!-- end of folds -->\n", read("docs/reference.md"),
                      re.DOTALL)
    options = [(None, name, text) for _, name, text in parts["OPTIONS"]]
    general, commands = option_list(options + command_options(parts)).split("\n**", 1)
    types = plain(man.split(".SS Element types\n")[1].split("\n.SH")[0])
    stats = next(text for _, name, text in parts["OPERATIONS"] if name == "stats")
    found = engines_of_calls(file.read_text(encoding="utf-8") for file in sorted((tree / "include/monofold").glob("*.[hc]*")))
    tries = ", ".join(f"`try_{call}`" for call in CALLS if f"try_{call}" in found)
    return PAGE.format(
        engines="".join(engine_rows(found)),
        tries=textwrap.fill(f"{tries} give a `result` for each answer, where the others throw because one is missing.", WIDTH, break_on_hyphens=False),
        **pieces(read("tests/docs/reference_test.cpp")), folds=folds[0],
        operations="".join(operation_rows(parts["OPERATIONS"])),
        options=general,
        command_options="**" + commands,
        c_calls="".join(call_rows("\n".join(read(f"include/monofold/{name}.h") for name in ("monofold", "groups")))),
        types="\n".join(textwrap.wrap(types, WIDTH - 15)), stats=stats,
        statuses="".join(status_rows(read("include/monofold/platform/status.hpp"))))


if __name__ == "__main__":
    sys.stdout.write(reference(Path(sys.argv[1] if len(sys.argv) > 1 else
                                    Path(__file__).resolve().parents[1])))
