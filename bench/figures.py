"""What scripts of results share: where results, pages and pictures are, and how axes look."""

import json
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
# Okabe and Ito's colours, which people with any colour vision tell apart.
OURS, PEER, LIMIT = "#0072B2", "#E69F00", "#999999"


def pyplot_of(script):
    """matplotlib, or the end of the script."""
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"{script} needs matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def commit():
    """The commit of the tree as rows of programs have it, with "-dirty" where the tree has changes."""
    made = subprocess.run("git describe --always --dirty --abbrev=12", shell=True, cwd=TREE, capture_output=True,
                          text=True)
    return made.stdout.strip() or "unknown"


def processor():
    """What the kernel calls this machine's processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(": ")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def rows_in(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def golden_files(suite):
    """The machines' golden files of a suite, in the order in which pages show them."""
    return sorted((TREE / "bench" / "golden").glob(f"*/{suite}.jsonl"), reverse=True)


def golden_of(suite):
    """The first machine's golden file of a suite, or None."""
    return next(iter(golden_files(suite)), None)


def line(name, values):
    """A row of a table of markdown."""
    return "| " + " | ".join([name, *values]) + " |"


def head(name, values):
    values = list(values)
    return [line(name, values), "|---" * (len(values) + 1) + "|"]


def golden_part(suite, part_of):
    """What `part_of` makes of each machine's golden file of a suite, as text."""
    out = [part for file in golden_files(suite) for part in part_of(file)]
    return "\n".join(["", *(out or ["No rows yet.", ""])])


def print_or_write(usage, page, text):
    """Prints a text, or with --write puts it between the page's two marks of the script."""
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(usage)
    if not sys.argv[1:]:
        print(text)
        return
    begin, end = (f"<!-- bench/{Path(sys.argv[0]).name}: {which} -->\n" for which in ("begin", "end"))
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + text + end + rest.split(end)[1], encoding="utf-8")


def asked(suite, picture, usage):
    """Results and picture from the command line, where it has them."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else golden_of(suite)
    if source is None:
        sys.exit(usage)
    return source, Path(sys.argv[2]) if len(sys.argv) > 2 else TREE / "docs/figures" / picture


def open_axes(axes):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def save(figure, picture):
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=150)
    print(picture)
