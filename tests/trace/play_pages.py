#!/usr/bin/env python3
"""Plays pages of traces in a browser, headless. ./dev pages runs it; it needs Chromium, its driver and Selenium.

usage: play_pages.py TOOL [SCREENSHOTS]     the tool; a folder for pictures of every page at its end
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

TOOL = sys.argv[1] if len(sys.argv) > 1 else "monofold"
PICTURES = Path(sys.argv[2]) if len(sys.argv) > 2 else None
WIDTHS = [(1280, 900), (390, 844)]
# The words of the tool, and what stands at the end.
PAGES = {
    "warp_shared_halving": (["warp_shared_halving"], "The result is 158: right."),
    "warp_shuffle": (["warp_shuffle"], "The result is 158: right."),
    "block_shared": (["block_shared"], "The result is 320, 312: right."),
    "grid_two_launch": (["grid_two_launch"], "The result is 1293: right."),
    "grid_last_block": (["grid_last_block"], "The result is 1293: right."),
    "engine": (["engine"], "The result is 1293: right."),
    "top_k": (["top_k", "--n", "64"], "right."),
    "letters": (["warp_shared_halving", "warp_shared_adjacent", "--op", "letters"],
                "The result is abcdefghijklmnopqrstuvwxyzABCDEF: right."),
    "matmul": (["block_warps", "--op", "matmul", "--n", "64"], "right."),
    "race": (["warp_shared_halving", "warp_shared_halving", "--mistake"],
             "Both accesses: thread 16 writes it in step 2 (line 14); thread 0 reads it in step 3 (line 17)."),
    "branch": (["block_shared", "--mistake"], "Stopped: __syncthreads is reached by 32 of 64 threads"),
    "over_input": (["grid_stride_two_launch", "--mistake"], "The result is 1887: wrong. 1293 is right. "
                   "Items 16 to 31 are missing. Items 128 to 255 are in it more than once."),
    "slow": (["grid_ordered_two_launch", "grid_ordered_two_launch", "--mistake"], "The result is 2262: right."),
    "refused": (["top_k", "top_k", "--mistake"], "There is no result: the call is refused."),
    "outside": (["block_global_inplace", "--mistake"], "Stopped: reads 8 bytes at byte 800"),
}
# All that a reader sees, and where: two equal states give equal texts.
SEEN = """
const out = [];
for (const e of document.querySelectorAll(".cell, .line, .caption, .verdict, .whole, .counters dd, .meets, .tree path, .arrow")) {
  if (getComputedStyle(e).visibility === "hidden") continue;  // another launch's board
  const box = e.getBoundingClientRect();
  out.push([e.getAttribute("class"), e.tagName === "path" ? e.getAttribute("d") : e.textContent,
            Math.round(box.x), Math.round(box.y + scrollY), Math.round(box.width)].join("|"));
}
return out.join("\\n");
"""
HEIGHT = "return document.documentElement.scrollHeight;"
OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"
# What a screen reader gets no name for, and texts of too little contrast with what is behind them.
NAMELESS = """
return [...document.querySelectorAll("button, input, select, [role=grid], [role=gridcell], section, .source")]
  .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label"))).length;
"""
CONTRAST = """
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (e) => {
  for (let at = e; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$/.test(color) && color !== "transparent") return light(color);
  }
  return 1;
};
let least = 21;
for (const e of document.querySelectorAll(".value, .label, .caption, .title, dt, dd, .comment, .number, .keys, .verdict, .whole, .brand")) {
  if (!e.textContent.trim()) continue;
  const [a, b] = [light(getComputedStyle(e).color), behind(e)].sort((x, y) => y - x);
  least = Math.min(least, (a + 0.05) / (b + 0.05));
}
return least;
"""


def open_browser():
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class Pages(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, (words, _) in PAGES.items():
            subprocess.run([TOOL, "ladder", *words, "--trace", f"{cls.folder.name}/{name}.html"], check=True,
                           stdout=subprocess.DEVNULL)
        cls.browser = open_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def open(self, name, size=WIDTHS[0]):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        self.browser.get(f"file://{self.folder.name}/{name}.html")

    def by_id(self, name):
        return self.browser.find_element(By.ID, name)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def seen(self):
        return self.script(SEEN)

    def steps(self):
        return int(self.by_id("step").get_attribute("max"))

    def step_to(self, step):
        self.script("const s = document.getElementById('step'); s.value = arguments[0];"
                    "s.dispatchEvent(new Event('input'));", step)

    def endings(self):
        return " ".join(e.text for e in self.browser.find_elements(By.CLASS_NAME, "verdict"))

    def check_console(self):
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])

    def test_plays_to_the_end(self):
        for name in PAGES:
            with self.subTest(name):
                self.open(name)
                self.assertNotIn("right", self.endings())
                self.script("document.getElementById('speed').value = '60';")
                if self.steps() > 60:
                    self.step_to(self.steps() - 20)
                self.by_id("play").click()
                WebDriverWait(self.browser, 20).until(lambda _: self.by_id("play").text == "Play")
                self.assertEqual(self.by_id("count").text, f"{self.steps()} / {self.steps()}")
                self.assertIn(PAGES[name][1], self.endings())
                self.assertIn(PAGES[name][1], self.by_id("said").get_attribute("textContent"))
                self.check_console()

    def test_back_and_forth_gives_the_same_picture(self):
        for name in PAGES:
            with self.subTest(name):
                self.open(name)
                steps = self.steps()
                stride = max(1, steps // 12)
                forth = {}
                for step in range(0, steps + 1, stride):
                    self.step_to(step)
                    forth[step] = self.seen()
                self.assertGreater(len(set(forth.values())), len(forth) // 2)
                for step in sorted(forth, reverse=True):
                    self.step_to(step)
                    self.assertEqual(self.seen(), forth[step], step)
                self.check_console()

    def test_nothing_moves(self):
        """Cells stay where they are and the page keeps its height; nothing is wider than the window."""
        for size in WIDTHS:
            for name in PAGES:
                with self.subTest(name):
                    self.open(name, size)
                    places = "return [...document.querySelectorAll('.cell')].map((e) => e.offsetTop * 10000 + e.offsetLeft).join();"
                    first, height = self.script(places), self.script(HEIGHT)
                    for step in range(0, self.steps() + 1, max(1, self.steps() // 8)):
                        self.step_to(step)
                        self.assertEqual(self.script(places), first)
                        self.assertEqual(self.script(HEIGHT), height)
                    self.step_to(self.steps())
                    self.assertEqual(self.script(HEIGHT), height)
                    self.assertLessEqual(self.script(OVERFLOW), 0)
                    if PICTURES:
                        PICTURES.mkdir(parents=True, exist_ok=True)
                        self.browser.save_screenshot(str(PICTURES / f"{name}-{size[0]}.png"))

    def test_keys_and_clicks(self):
        self.open("block_shared")
        body = self.browser.find_element(By.TAG_NAME, "body")
        body.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
        self.assertTrue(self.by_id("count").text.startswith("1 / "))
        body.send_keys(Keys.END)
        self.assertIn("right.", self.endings())
        body.send_keys(Keys.HOME)
        self.assertTrue(self.by_id("count").text.startswith("0 / "))
        body.send_keys(" ")
        self.assertEqual(self.by_id("play").text, "Pause")
        body.send_keys(" ")
        self.assertEqual(self.by_id("play").text, "Play")
        self.step_to(6)
        cell = self.browser.find_element(By.CSS_SELECTOR, ".shared .cell")
        cell.click()
        details = self.browser.find_element(By.CLASS_NAME, "details")
        self.assertRegex(details.text, r"^cells\[0\] is \d+, written by thread 0 of block 0 in step \d+ \(line \d+\);"
                                       r" in it: items? 0")
        cell.send_keys(Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertTrue(details.text.startswith("cells[1] is "))
        self.assertTrue(self.by_id("count").text.startswith("6 / "))
        self.browser.find_element(By.CSS_SELECTOR, ".warp .cell").click()
        self.assertTrue(details.text.startswith("Thread 0 of block 0 (warp 0, lane 0): the last value"))
        self.check_console()

    def test_the_line_that_runs_is_in_view(self):
        self.open("grid_last_block")
        for step in range(1, self.steps() + 1, 3):
            self.step_to(step)
            inside = self.script("""
                const pane = document.querySelector('.source').getBoundingClientRect();
                const lines = [...document.querySelectorAll('.line.running')].map((e) => e.getBoundingClientRect());
                return lines.length > 0 && lines.some((b) => b.top >= pane.top - 2 && b.bottom <= pane.bottom + 2);""")
            self.assertTrue(inside, step)

    def test_names_and_contrast(self):
        for name in PAGES:
            with self.subTest(name):
                for click_theme in (False, True):
                    self.open(name)
                    if click_theme:
                        self.by_id("theme").click()
                    self.step_to(self.steps())
                    self.assertEqual(self.script(NAMELESS), 0)
                    self.assertGreaterEqual(self.script(CONTRAST), 4.5)

    def test_loads_nothing(self):
        self.open("engine")
        self.assertEqual(self.script("return performance.getEntriesByType('resource').filter((e) => !e.name.startsWith('data:')).length;"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
