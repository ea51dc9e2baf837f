#!/usr/bin/env python3
"""Looks at the built site in a browser, from disk. ./dev site runs it; it needs Chromium, its driver and Selenium.

usage: look_at_site.py TOOL SITE [SCREENSHOTS]     the tool; the site's folder; a folder for pictures of pages
"""

import json
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

sys.path.append(str(Path(__file__).resolve().parents[1] / "trace"))
ARGUMENTS = sys.argv[1:]
sys.argv = sys.argv[:1]  # play_pages reads its own
from play_pages import CONTRAST, OVERFLOW, WIDTHS, open_browser  # noqa: E402

TOOL = str(Path(ARGUMENTS[0]).resolve())
SITE = Path(ARGUMENTS[1]).resolve()
PICTURES = Path(ARGUMENTS[2]) if len(ARGUMENTS) > 2 else None
PAGES = {
    "front": "index.html",
    "ladder": "docs/ladder.html#grid_last_block",
    "measurements": "measurements.html",
    "trace": "measurements-traces/grid_last_block.html",
    "mistake": "measurements-traces/block_shared-mistake.html",
    "bins": "docs/site/bins.html",
    "exact": "docs/exact.html",
    "benchmarks": "docs/benchmarks.html",
    "reference": "docs/reference.html",
    "source": "source/ladder/rungs/warp_shuffle.cuh.html",
}
TEXTS = ".md-typeset p, .md-typeset li, .md-typeset td, .md-typeset th, .md-typeset h1, .md-nav__link, .rung p, dd, dt"
LOADED = "return performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !/^(file|data|about):/.test(n));"
NAMED = {"button", "link", "slider", "textbox", "searchbox", "combobox", "checkbox", "radio", "image"}
# What has the focus, and what is wrong with it: a radio button of the theme is shown by its label.
FOCUSED = """
const e = document.activeElement;
if (!e || e === document.body) return null;
const seen = e.matches(".md-option") ? e.nextElementSibling : e;
const own = getComputedStyle(seen), box = seen.getBoundingClientRect();
const is_framed = own.outlineStyle !== "none" || own.boxShadow !== "none" || e.matches("input, textarea, .md-skip");
const wrong = own.visibility !== "visible" || box.width < 1 || box.right < 1 || box.left >= innerWidth ? "not to be seen"
  : is_framed ? "" : "without a frame";
return {wrong, text: e.outerHTML.slice(0, 150)};
"""
# Sums that show something: what cancels, is far apart, overflows on the way, is subnormal or no number.
SUMS = ["", "0", "-0 -0", "1 -1 -0", "1e16 0.1 1 -1e16 0.1", "1e100 1 -1e100", "5e-324 5e-324 1e-310", "nan 1", "inf 1",
        "-inf inf", "1.7976931348623157e308 1.7976931348623157e308 -1.7976931348623157e308",
        "1.7976931348623157e308 1.7976931348623157e308", "1e308 1e-308 -1e308", "2.2250738585072014e-308 -5e-324",
        "9007199254740992 1", "9007199254740992 1 5e-324", "9007199254740994 1", "-9007199254740994 -1 -1e-300"]


def random_sums(count):
    """Texts of a few doubles of any exponent, some of which cancel."""
    made = random.Random(19)
    for _ in range(count):
        middle, spread = made.randrange(-1000, 1000), made.choice([1, 40, 2000])
        numbers = []
        for _ in range(made.randrange(1, 40)):
            exponent = max(-1074, min(1000, middle + made.randrange(-spread, spread + 1)))
            numbers.append(made.choice([-1, 1]) * made.random() * 2.0**exponent)
        numbers += [-x for x in numbers if made.random() < 0.5]
        made.shuffle(numbers)
        yield " ".join(map(repr, numbers))


def thousands():
    """A thousand numbers each: for bins, for the table, and of any bits."""
    made = random.Random(21)
    yield [made.uniform(-1, 1) for _ in range(1000)]
    yield [made.uniform(-1, 1) * 2.0**made.randrange(-1000, 1000) for _ in range(1000)]
    bits = [made.getrandbits(64) for _ in range(1000)]
    yield [x for x in struct.unpack("<1000d", struct.pack("<1000Q", *bits)) if math.isfinite(x)]


class Site(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.browser = open_browser()
        # Else the first scheme would be remembered.
        cls.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "if (location.protocol === 'file:') localStorage.clear();"})

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def open(self, page, size=WIDTHS[0], scheme="light"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get("about:blank")  # else a page with another anchor is not loaded again
        self.browser.get(f"file://{SITE}/{page}")

    def picture(self, name):
        if PICTURES:
            PICTURES.mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(PICTURES / f"{name}.png"))

    def check_console(self):
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])

    def test_pages(self):
        """At two widths, light and dark: nothing is wider than the window, pale, missing, or loaded from elsewhere."""
        for name, page in PAGES.items():
            for size in WIDTHS:
                for scheme in ("light", "dark"):
                    with self.subTest(name, width=size[0], scheme=scheme):
                        self.open(page, size, scheme)
                        self.assertLessEqual(self.script(OVERFLOW), 0)
                        self.assertEqual(self.script(LOADED), [])
                        self.assertEqual(self.script("return [...document.images].filter((i) => !i.naturalWidth).length;"), 0)
                        self.picture(f"{name}-{size[0]}-{scheme}")
                        texts = CONTRAST.replace(re.search(r'All\("([^"]+)"\)', CONTRAST)[1], TEXTS)
                        self.assertGreaterEqual(self.script(texts), 4.5)
                        self.check_console()

    def test_keys_and_names(self):
        """What Tab reaches is in the window and framed; what may be pressed or typed in has a name."""
        for page in ("index.html", "docs/ladder.html", "docs/site/bins.html"):
            for size in WIDTHS:
                with self.subTest(page, width=size[0]):
                    self.open(page, size)
                    nodes = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
                    roles = [(node["role"]["value"], node.get("name", {}).get("value", "").strip())
                             for node in nodes if not node["ignored"] and node["role"]["value"] in NAMED]
                    self.assertGreater(len(roles), 20)
                    self.assertEqual([role for role, name in roles if not name], [])
                    stops = 0
                    while stops < 25:
                        self.browser.switch_to.active_element.send_keys(Keys.TAB)
                        stop = self.script(FOCUSED)
                        if stop is None:
                            break
                        stops += 1
                        self.assertEqual(stop["wrong"], "", stop["text"])
                    self.assertGreater(stops, 8)
                    self.check_console()

    def test_the_menu_of_a_narrow_page_by_keys(self):
        self.open("docs/ladder.html", WIDTHS[1])
        opens = self.browser.find_element(By.CSS_SELECTOR, "label.md-header__button[for=__drawer]")
        link = self.browser.find_element(By.CSS_SELECTOR, ".md-sidebar--primary .md-nav__list a.md-nav__link")
        for _ in range(5):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            if self.browser.switch_to.active_element == opens:
                break
        self.assertEqual(self.browser.switch_to.active_element, opens)
        self.assertFalse(link.is_displayed())
        opens.send_keys(Keys.ENTER)
        WebDriverWait(self.browser, 5).until(lambda _: link.is_displayed())
        self.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
        WebDriverWait(self.browser, 5).until(lambda _: not link.is_displayed())
        self.assertEqual(self.browser.switch_to.active_element, opens)

    def test_search_from_disk(self):
        for size in WIDTHS:
            with self.subTest(width=size[0]):
                self.open("index.html", size)
                if size[0] < 960:
                    self.browser.find_element(By.CSS_SELECTOR, "label.md-header__button[for=__search]").click()
                field = self.browser.find_element(By.CSS_SELECTOR, ".md-search__input")
                WebDriverWait(self.browser, 10).until(lambda _: field.is_displayed())
                field.click()
                field.send_keys("subnormal")
                results = WebDriverWait(self.browser, 20).until(
                    lambda b: b.find_elements(By.CSS_SELECTOR, ".md-search-result__link"))
                links = [link.get_attribute("href") for link in results]
                self.assertTrue(any("/docs/exact/" in link for link in links), links)
                self.assertFalse(any("/source/" in link for link in links), links)
                self.picture(f"search-{size[0]}")
                self.script("arguments[0].click();", results[0])
                WebDriverWait(self.browser, 10).until(lambda b: "/docs/" in b.current_url)
                self.check_console()

    def test_trace_in_the_ladder(self):
        self.open("docs/ladder.html")
        traces = self.browser.find_elements(By.CSS_SELECTOR, "details.trace")
        self.assertEqual(len(traces), 30)
        self.script("arguments[0].open = true; arguments[0].scrollIntoView();", traces[4])
        frame = traces[4].find_element(By.TAG_NAME, "iframe")
        self.browser.switch_to.frame(frame)
        WebDriverWait(self.browser, 10).until(lambda b: b.find_elements(By.ID, "next"))
        self.browser.find_element(By.ID, "next").click()
        self.assertRegex(self.browser.find_element(By.ID, "count").text, r"^1 / \d+$")
        self.assertIn("warp_shuffle", self.browser.find_element(By.TAG_NAME, "h2").text)
        self.browser.switch_to.default_content()
        self.picture("ladder-with-trace")
        self.check_console()

    def open_bins(self):
        self.open("docs/site/bins.html")
        WebDriverWait(self.browser, 10).until(lambda b: b.find_element(By.ID, "answer").text)

    def type(self, text):
        """The page's answer, and what it has of the state: limbs and counts."""
        self.script("const e = document.getElementById('numbers'); e.value = arguments[0];"
                    "e.dispatchEvent(new Event('input'));", text)
        self.assertEqual(self.browser.find_element(By.ID, "refused").text, "")
        state = self.script("return document.getElementById('typed').dataset.state;")
        return self.browser.find_element(By.ID, "answer").text, bytes.fromhex(state)

    def check_sum(self, text, folder):
        """The page's answer and state are the tool's, bit for bit."""
        answer, state = self.type(text)
        saved = Path(folder, "a.state")
        raw = Path(folder, "a.raw")
        raw.write_bytes(b"".join(struct.pack("<d", float(word)) for word in text.split()))
        done = subprocess.run([TOOL, "sum", raw, "--format", "raw", "--dtype", "f64", "--json",
                               "--save-state", saved], capture_output=True, text=True, check=True)
        wanted = float(json.loads(done.stdout)["value"])
        self.assertEqual(struct.pack("<d", float(answer)), struct.pack("<d", wanted), (answer, wanted))
        self.assertEqual(len(state), (34 + 5) * 8)
        if text:  # a state of nothing has no number
            self.assertTrue(state in saved.read_bytes())
        else:
            self.assertEqual(state, bytes(39 * 8))
        said = self.browser.find_element(By.ID, "said").text
        self.assertIn(f"So far {answer}, rounded once." if text else "Nothing has entered.", said)
        return wanted

    def test_bins_are_the_library_s(self):
        self.open_bins()
        with tempfile.TemporaryDirectory() as folder:
            for text in [*SUMS, *random_sums(60)]:
                with self.subTest(text[:80]):
                    self.check_sum(text, folder)
            for numbers in thousands():
                with self.subTest(numbers[0]):
                    wanted = float(sum(map(Fraction, numbers)))
                    self.assertEqual(self.check_sum(" ".join(map(repr, numbers)), folder), wanted)
        self.check_console()

    def test_bins_step_by_step(self):
        self.open_bins()
        self.type("1e16 0.1 1 -1e16 0.1")
        by_id = lambda name: self.browser.find_element(By.ID, name)
        self.assertEqual((by_id("answer").text, by_id("naive").text), ("1.2", "0.1"))
        seen = {}
        by_id("first").click()
        for step in range(5):
            seen[step] = by_id("bins").text + by_id("number").text
            by_id("next").click()
        self.assertEqual(by_id("count").text, "5 of 5")
        found = [tuple(map(int, bin)) for bin in re.findall(r"1\.5 · 2\^(-?\d+) 2\^(-?\d+)", by_id("bins").text)]
        self.assertEqual(len(found), 4)
        # From above 1e16 (2^54) down to the last bit of 0.1; 1024 deposits a lane, so 42 binades apart.
        self.assertTrue(found[0][0] >= 54 + 11 and found[3][1] <= -56, found)
        self.assertEqual([e - found[0][0] for e, _ in found], [0, -42, -84, -126])
        self.assertEqual([e - unit for e, unit in found], [52] * 4)
        self.assertEqual(len(set(seen.values())), 5)
        for step in (4, 3, 2, 1, 0):
            by_id("back").click()
            self.assertEqual(by_id("bins").text + by_id("number").text, seen[step])
        field = by_id("numbers")
        field.send_keys(" 1x")
        self.assertEqual(by_id("refused").text, "“1x” is not a number.")
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        self.type(" ".join(["1"] * 1000))
        field.send_keys(" 1")
        self.assertEqual(by_id("refused").text, "Up to 1000 numbers; found 1001.")
        self.check_console()

    def test_table_step_by_step(self):
        """What no bins hold enters cells: 1e100 lies from 2^329 to 2^333, and leaves again by a cell of its own."""
        self.open_bins()
        self.type("1e100 1 -1e100 nan")
        rows = lambda: [row.text for row in self.browser.find_elements(By.CSS_SELECTOR, "#bins tbody tr")]

        def shown(step):
            self.browser.find_element(By.ID, "first").click()
            for _ in range(step):
                self.browser.find_element(By.ID, "next").click()
            return rows()

        big = int(1e100) // 2**277
        self.assertEqual(shown(0), ["+ 2^-3 to 2^1 2^-55 0", "+ 2^329 to 2^333 2^277 0", "− 2^329 to 2^333 2^277 0"])
        self.assertEqual(shown(1)[1], f"+ 2^329 to 2^333 2^277 1e+100 {big}")
        self.assertEqual(shown(2)[:2], [f"+ 2^-3 to 2^1 2^-55 1 {2**55}", f"+ 2^329 to 2^333 2^277 {big}"])
        self.assertEqual(shown(3)[2], f"− 2^329 to 2^333 2^277 -1e+100 {big}")
        self.assertIn("So far 1, rounded once.", self.browser.find_element(By.ID, "said").text)
        shown(4)
        self.assertIn("Counted beside it: 4 numbers, 1 NaN.", self.browser.find_element(By.ID, "number").text)
        self.check_console()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
