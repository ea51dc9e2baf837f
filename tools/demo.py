#!/usr/bin/env python3
"""Makes numbers, reduces them every way with the tool, prints a table. Run by ./dev demo."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(ROOT, "build", "bin", "monofold")
FOLDER = os.path.join(ROOT, "build", "demo")
OPERATIONS = ("count sum prod mean var std min max minmax argmin argmax top bottom any all nonzero "
              "norm1 norm2 norminf and or xor stats").split()
FLOATS_HAVE_NO = {"and", "or", "xor"}


def tool(*arguments):
    """The tool's standard output; stops with its message where it fails."""
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{TOOL} {' '.join(arguments)}: exit {done.returncode}")
    return done.stdout


def read_gbps():
    """How fast this machine reads memory, all cores, in GB/s."""
    row = tool("bench", "--ops", "count", "--dtype", "f64", "--size", "512M", "--json").splitlines()[0]
    return json.loads(row)["gbps"]


def shown(row, operation):
    """The answer, short enough for a table."""
    if operation == "stats":
        return f"mean {row['mean']:.6g}, std {row['std']:.6g}"
    if operation == "minmax":
        return f"{row['min']:.6g} {row['max']:.6g}"
    if "values" in row:
        return f"{row['values'][0]}, ... ({len(row['values'])} items)"
    return json.dumps(row["value"])


def reduce_all(name, path, operations, limit):
    print(f"\n{name}: {os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB\n")
    print(f"{'operation':<10} {'value':<34} {'ms':>8} {'GB/s':>7} {'of read':>8}")
    for operation in operations:
        rows = [json.loads(tool(operation, path, "--json")) for _ in range(3)]
        best = min(rows, key=lambda row: row["seconds"])
        gbps = best["bytes"] / best["seconds"] / 1e9
        speed = f"{gbps:7.1f} {gbps / limit:8.0%}"
        if operation == "count":  # known from the header: no item is read
            speed = f"{'-':>7} {'-':>8}"
        print(f"{operation:<10} {shown(best, operation):<34} {best['seconds'] * 1e3:8.1f} {speed}")


def show_ladder():
    """Every technique of parallel reduction: on a GPU, else on the emulated device at a small n."""
    print("\nThe ladder (docs/ladder.md):\n", flush=True)
    done = subprocess.run([TOOL, "ladder"], capture_output=True, text=True, check=False)
    print(done.stdout if done.returncode == 0 else done.stderr.strip())


def main():
    count = sys.argv[1] if len(sys.argv) > 1 else "100M"
    os.makedirs(FOLDER, exist_ok=True)
    files = {"int32": os.path.join(FOLDER, f"integers-{count}.npy"),
             "float64": os.path.join(FOLDER, f"uniform-{count}.npy")}
    for name, path in files.items():
        if not os.path.exists(path):
            print(f"making {path}", file=sys.stderr)
            kind = "integers" if name == "int32" else "uniform"
            tool("generate", path + ".part", "--count", count, "--dtype", name, "--distribution", kind)
            os.replace(path + ".part", path)
    limit = read_gbps()
    print(f"{tool('info').strip()}\n\nmemory is read at {limit:.1f} GB/s; files lie in the page cache")
    reduce_all("int32, whole numbers 0 to 100", files["int32"], OPERATIONS, limit)
    reduce_all("float64, uniform in [0, 1)", files["float64"],
               [op for op in OPERATIONS if op not in FLOATS_HAVE_NO], limit)
    show_ladder()
    tool_name = os.path.relpath(TOOL)
    print(f"""
Next:
  {tool_name} stats YOUR.npy            statistics of a file of yours, in one pass
  {tool_name} mean --column NAME a.csv  a column of a CSV file
  {tool_name} verify                    the same bits, whatever the threads and chunks
  {tool_name} ladder --explain engine   how a rung works
  {tool_name} --help""")


if __name__ == "__main__":
    main()
