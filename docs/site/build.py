#!/usr/bin/env python3
"""Builds the site: the tool writes the ladder's measurements and traces, then MkDocs makes the pages.

usage: build.py TOOL SITE       SITE is a folder, which is made anew
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def play_mistakes(tool, folder):
    """The mistakes that can be played, beside the right run: NAME-mistake.html. How many."""
    count = 0
    for trace in sorted(folder.glob("*.html")):
        page = trace.with_name(f"{trace.stem}-mistake.html")
        words = [tool, "ladder", trace.stem, trace.stem, "--mistake", "--trace", str(page)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            count += 1
        elif "cannot be played" not in done.stderr:
            sys.exit(f"build.py: {' '.join(words)}: {done.stderr}")
    return count


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool, site = sys.argv[1], Path(sys.argv[2]).resolve()
    made = site.with_name(site.name + "-made")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    subprocess.run([tool, "ladder", "--report", str(made / "measurements.html")], check=True)
    print(f"{play_mistakes(tool, made / 'measurements-traces')} mistakes")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", str(HERE / "mkdocs.yml"),
             "--site-dir", str(site)]
    environment = {**os.environ, "MONOFOLD_SITE_MADE": str(made), "NO_MKDOCS_2_WARNING": "1"}
    if subprocess.run(words, env=environment, check=False).returncode != 0:
        sys.exit("build.py: see the warnings of MkDocs above")
    for name in site.rglob("*.map"):
        name.unlink()  # for who works on the theme
    shutil.rmtree(site / "assets" / "javascripts" / "lunr")  # other languages


if __name__ == "__main__":
    main()
