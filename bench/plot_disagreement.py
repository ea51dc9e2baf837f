#!/usr/bin/env python3
"""Draws what libraries say the sum of the same numbers is. Needs matplotlib.

usage: plot_disagreement.py [RESULTS.jsonl [PICTURE.png]]
       (the only golden file; docs/figures/disagreement.png)
"""

import collections

import figures

STYLES = [("#E69F00", "o"), ("#CC79A7", "s"), ("#009E73", "^"), ("#D55E00", "D"), ("#56B4E9", "v")]
HALF_AN_ULP = 2.0**-54  # the least that rounding to double may cost, relative to a power of two


def draw_errors(axes, rows):
    lines = collections.defaultdict(list)
    for row in rows:
        lines[row["library"]].append((row["n"], row["relative_error"]))
    peers = [name for name in lines if name != "monofold"]
    for name, (colour, marker) in zip(peers, STYLES):
        places, errors = zip(*lines[name])
        axes.plot(places, [max(error, HALF_AN_ULP) for error in errors], color=colour, marker=marker,
                  markersize=4, linewidth=1, label=name)
    places, errors = zip(*lines["monofold"])
    axes.plot(places, [max(error, HALF_AN_ULP) for error in errors], color=figures.OURS, marker="*",
              linewidth=1.6, label="monofold (exact, rounded once)")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("how many float32, uniform in [0, 1)", fontsize=8)
    axes.set_ylabel("relative error of the sum", fontsize=8)
    axes.set_title("The same numbers, several libraries", fontsize=9, loc="left")
    axes.legend(fontsize=6.5, frameon=False, loc="upper left")


def draw_orders(axes, rows):
    fsum = rows[0]["fsum"]
    values = collections.defaultdict(list)
    for row in rows:
        values[row["library"]].append(row["value"] - fsum)
    peer = next(name for name in values if name != "monofold")
    unit = 1e-9
    axes.hist([value / unit for value in values[peer]], bins=40, color=STYLES[0][0],
              label=f"{peer}: {len(set(values[peer]))} results")
    axes.axvline(values["monofold"][0] / unit, color=figures.OURS, linewidth=2,
                 label=f"monofold: {len(set(values['monofold']))} result")
    axes.set_xlabel(f"sum, less the exact one, {fsum:.3g} (units of 1e-9)", fontsize=8)
    axes.set_ylabel("how many orders", fontsize=8)
    axes.set_title(f"The same million float64 in {len(values[peer])} orders", fontsize=9, loc="left")
    axes.legend(fontsize=6.5, frameon=False)


def main():
    pyplot = figures.pyplot_of("plot_disagreement.py")
    source, picture = figures.asked("disagreement", "disagreement.png", __doc__)
    rows = figures.rows_in(source)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4))
    draw_errors(left, [row for row in rows if row["question"] == "error"])
    draw_orders(right, [row for row in rows if row["question"] == "orders"])
    for axes in (left, right):
        axes.tick_params(labelsize=7)
        figures.open_axes(axes)
    figure.tight_layout()
    figures.save(figure, picture)


if __name__ == "__main__":
    main()
