#!/usr/bin/env python3
"""Builds the site: the tool writes the ladder's measurements and traces, clang compiles what the page of bins runs,
then MkDocs makes the pages.

usage: build.py TOOL SITE       SITE is a folder, which is made anew
"""

import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# For WebAssembly: what throws where a caller is wrong is left out, since nobody would catch it.
COMPILE = ["clang++", "--target=wasm32-wasi", "-std=c++20", "-Os", "-ffp-contract=off", "-fno-rtti",
           "-fignore-exceptions", "-I", HERE.parents[1] / "include", HERE / "bins.cpp", "-nostartfiles",
           "-Wl,--no-entry,--strip-all,--stack-first", "-o"]


def play_mistakes(tool, folder):
    """The mistakes that can be played, beside the right run: NAME-mistake.html; else why not, as NAME-mistake.txt. How
    many are played."""
    count = 0
    for trace in sorted(folder.glob("*.html")):
        page = trace.with_name(f"{trace.stem}-mistake.html")
        words = [tool, "ladder", trace.stem, trace.stem, "--mistake", "--trace", str(page)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            count += 1
        elif "cannot be played: " in done.stderr:
            page.with_suffix(".txt").write_text(done.stderr.split("cannot be played: ")[1].strip(), encoding="utf-8")
        else:
            sys.exit(f"build.py: {' '.join(words)}: {done.stderr}")
    return count


def compile_library(script):
    """The page's part of the library as a script: pages from disk may fetch nothing, so its bytes are in there."""
    program = script.with_suffix(".wasm")
    subprocess.run([*COMPILE, program], check=True)
    text = base64.b64encode(program.read_bytes()).decode()
    script.write_text(f'const binsLibrary = "{text}";\n', encoding="utf-8")
    print(f"{program.stat().st_size} bytes of WebAssembly")
    program.unlink()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool, site = sys.argv[1], Path(sys.argv[2]).resolve()
    made = site.with_name(site.name + "-made")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    subprocess.run([tool, "ladder", "--report", str(made / "measurements.html")], check=True)
    print(f"{play_mistakes(tool, made / 'measurements-traces')} mistakes")
    compile_library(made / "bins_library.js")
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
