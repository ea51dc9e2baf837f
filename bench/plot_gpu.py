#!/usr/bin/env python3
"""Draws bandwidth over size on a GPU: ours, CUB, the fastest read kernel. Needs matplotlib.

usage: plot_gpu.py [RESULTS.jsonl [PICTURE.png]]     (the only golden file; docs/figures/gpu_reduce.png)
"""

import json
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
OURS, PEER, LIMIT = "#0072B2", "#E69F00", "#999999"
PANELS = [("plain_sum", "float32"), ("plain_sum", "float64"), ("plain_sum", "bfloat16"),
          ("sum", "int8"), ("sum", "int32"), ("sum", "int64")]


def main():
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_gpu.py needs matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    golden = sorted((TREE / "bench" / "golden").glob("*/reduce_gpu.jsonl"))
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else golden[0] if golden else None
    if source is None:
        sys.exit(__doc__)
    picture = Path(sys.argv[2]) if len(sys.argv) > 2 else TREE / "docs/figures/gpu_reduce.png"
    with open(source, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]

    figure, axes = pyplot.subplots(2, 3, figsize=(11, 6), sharex=True, sharey=True)
    for place, (op, dtype) in zip(axes.flat, PANELS):
        found = [row for row in rows if row["op"] == op and row["dtype"] == dtype]
        ours = sorted((r["bytes"], r["gbps"]) for r in found if r["path"] == "gpu")
        peers = sorted((r["bytes"], r["gbps"]) for r in found if r["path"].startswith("cub"))
        limit = sorted((r["bytes"], r["read_limit_gbps"]) for r in found if r["path"] == "gpu")
        if not ours:
            continue
        peer = next(r["path"] for r in found if r["path"].startswith("cub"))
        place.plot(*zip(*limit), color=LIMIT, linewidth=1, label="fastest read kernel")
        place.plot(*zip(*peers), color=PEER, marker="s", markersize=4, linewidth=1.2,
                   label=peer.upper())
        place.plot(*zip(*ours), color=OURS, marker="o", markersize=4, linewidth=1.6,
                   label="monofold")
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        place.set_title(f"{op}, {dtype}", fontsize=9, loc="left")
        ticks = [2**e for e in range(10, 35, 4)]
        place.set_xticks(ticks, ["1K", "16K", "256K", "4M", "64M", "1G", "16G"], fontsize=7)
        place.tick_params(axis="y", labelsize=7)
        place.grid(True, which="major", color="#eeeeee")
        for side in ("top", "right"):
            place.spines[side].set_visible(False)
    for place in axes[:, 0]:
        place.set_ylabel("GB/s of items", fontsize=8)
    for place in axes[-1, :]:
        place.set_xlabel("bytes (up to 32 MiB from the second-level cache)", fontsize=8)
    axes.flat[0].legend(fontsize=8, frameon=False)
    row = rows[0]
    figure.suptitle(f"{row['instruction_set']}: device time of replayed graphs, medians", fontsize=10)
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=150)
    print(picture)


if __name__ == "__main__":
    main()
