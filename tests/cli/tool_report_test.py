#!/usr/bin/env python3
"""ladder --report: the page has the rows and the drawing of every rung, and links that lead somewhere."""

import json
import os
import re
import unittest
from html.parser import HTMLParser
from pathlib import Path

from tool import TREE, ToolTest
from tool_ladder_test import EVERY

VOID = {"meta", "link", "wbr"}


class Page(HTMLParser):
    """What a page has; raises where an element is closed that is not the last open one."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs[name] for name in ("href", "src") if name in attrs]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> in line {self.getpos()[0]}")

    def handle_data(self, data):
        self.text += data


def speed(row):
    return f"{row['gbps']:.0f}" if row["gbps"] >= 100 else f"{row['gbps']:.3g}"


class Report(ToolTest):

    def setUp(self):
        super().setUp()
        engines = json.loads(self.output("info", "--json"))["engines"]
        if any(engine["available"] for engine in engines if engine["name"] == "gpu"):
            self.skipTest("there is a GPU: rows are measured")

    def test_recorded_rows(self):
        text = self.output("ladder", "--report", "-")
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertLess(len(text), 100_000)
        self.assertIn("Recorded, not measured here.", page.text)
        self.assertIn("The ladder on NVIDIA H200", page.text)
        rows = [json.loads(line) for line in Path(TREE, "bench/golden/h200/ladder.jsonl").read_text().splitlines()]
        self.assertEqual([row["name"] for row in rows], EVERY)
        sections = dict(re.findall(r'<section class="rung" id="(\w+)">(.*?)</section>', text, re.DOTALL))
        for row in rows:
            line = re.search(fr'<a href="#{row["name"]}">.*?</tr>', text)[0]
            self.assertIn(f'<td class="number">{speed(row)}</td>', line)
            share = f"{100 * row['share']:.1f}"
            self.assertIn(f"{speed(row)} GB/s, {share} % of the read limit", sections[row["name"]])
            self.assertEqual(f"--share: {share}%" in line, row["level"] != "warp")
            self.assertEqual('class="row kept' in text[:text.index(line)].rsplit("<tr", 1)[1], row["order"] == "kept")
            self.assertIn(f"monofold ladder {row['name']} --trace {row['name']}.html", sections[row["name"]])
            for word in ("bytes", "limit", "mistake", "next"):
                self.assertIn(f"<dt>{word}</dt>", sections[row["name"]])
        self.assertIn("lane     0   1  ...  15", sections["warp_shared_halving"])

    def test_links(self):
        code, out, err = self.run_tool("ladder", "--report", "a.html")
        self.assertEqual(code, 0, err)
        text = Path(self.folder, "a.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(len(set(page.ids)), len(page.ids))
        files = [link for link in page.links if not link.startswith(("#", "data:"))]
        for link in page.links:
            if link.startswith("#"):
                self.assertIn(link[1:], page.ids)
        if "a-traces" in out:
            self.assertEqual((err, files), ("", [f"a-traces/{name}.html" for name in EVERY]))
            for link in files:
                self.assertLess(Path(self.folder, link).stat().st_size, 400_000)
        else:
            self.assertNotEqual(os.environ.get("MONOFOLD_HAS_EMULATED"), "1", out)
            self.assertRegex(err, "^monofold: no traces: .*; ./dev build emulated builds it\n$")
            self.assertEqual(files, [])

    def test_bad_input(self):
        def refused(code, why, *words):
            self.check_error(code, why, "ladder", "--report", *words)
        refused(1, "no/a.html: cannot write: No such file or directory", "no/a.html")
        refused(2, "--report: times of the emulated device say nothing of a GPU", "a.html", "--device", "emulated")
        for flags in (["--only", "engine"], ["--json"], ["--explain", "engine"]):
            refused(2, f"--report shows every rung: leave {flags[0]} out", "a.html", *flags)
        refused(2, "--report makes traces of every rung: leave --trace out", "a.html", "--trace", "b.html")
        why = self.run_tool("ladder", "--device", "gpu")[2].strip().removeprefix("monofold: --device gpu: ")
        refused(5, f"--report: {why}; recorded rows are of sums of int32: leave --n, --op and --dtype out", "a.html",
                "--n", 1000)
        refused(5, f"--device gpu: {why}", "a.html", "--device", "gpu")
        self.assertFalse(Path(self.folder, "a.html").exists())


if __name__ == "__main__":
    unittest.main()
