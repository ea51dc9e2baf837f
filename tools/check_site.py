#!/usr/bin/env python3
"""Every link of the built site leads to a file and an anchor that are there; pages load nothing from elsewhere.

usage: check_site.py SITE      prints one line a violation: page: what is wrong

Pages have at most 400 KB, and so has each file that they load. Links to other sites are not looked up.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

MOST_BYTES = 400_000
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
NOT_LOADED = {"canonical", "next", "prev", "edit", "alternate"}  # what a link of a head may be


class Page(HTMLParser):
    """The names of a page, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.names |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        for name in ("href", "src"):
            link = attrs.get(name)
            if not link or link.startswith("data:"):
                continue
            is_load = (tag, name) in LOADS and attrs.get("rel") not in NOT_LOADED
            (self.loads if is_load else self.links).append(link)


def problems(page, found, pages, site):
    """What is wrong with a page, a line each."""
    if (size := page.stat().st_size) > MOST_BYTES:
        yield f"{size} bytes, more than {MOST_BYTES}"
    for link in found.links + found.loads:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in found.loads:
                yield f"loads {link}"
            continue
        path = unquote(parts.path)
        to = page if not path else (page.parent / path).resolve()
        if path.startswith("/") or not to.is_relative_to(site):
            yield f"{link} leads out of the site"
        elif not to.is_file():
            yield f"there is no {link}"
        elif parts.fragment and unquote(parts.fragment) not in pages[to].names | {"__top"}:
            yield f"{link} has no such anchor"
        elif link in found.loads and to.stat().st_size > MOST_BYTES:
            yield f"loads {link}, {to.stat().st_size} bytes"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = Path(sys.argv[1]).resolve()
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    num_links = num_violations = 0
    for page, found in pages.items():
        num_links += len(found.links) + len(found.loads)
        if page.name == "404.html":
            continue  # a server's: its links begin at the server's root
        for problem in problems(page, found, pages, site):
            print(f"{page.relative_to(site)}: {problem}")
            num_violations += 1
    for style in sorted(site.rglob("*.css")):
        for link in re.findall(r"url\((?:['\"]?)((?:https?:)?//[^)]+)\)", style.read_text(encoding="utf-8")):
            print(f"{style.relative_to(site)}: loads {link}")
            num_violations += 1
    print(f"{len(pages)} pages, {num_links} links, {num_violations} violations")
    return 1 if num_violations or num_links < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
