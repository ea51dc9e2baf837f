"""What the site is made of: the tree's own pages, the sources that they link to, and what the tool wrote for it.

Links stay as they are in the tree. One to a source or to a folder becomes a link to a page that shows it. The rungs'
traces, which MONOFOLD_SITE_MADE names the folder of, are put under each rung of the ladder's page.
"""

import os
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.structure.files import File, InclusionLevel

TREE = Path(__file__).resolve().parents[2]
MADE = Path(os.environ["MONOFOLD_SITE_MADE"])
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LANGUAGES = {".cuh": "cuda", ".cu": "cuda", ".hpp": "cpp", ".cpp": "cpp", ".h": "c", ".py": "python", ".c": "c"}
PICTURES = {".png", ".svg"}
MOST_COLOURED = 40_000  # characters: colours make a page ten times as large
MOST_SHOWN = 200_000  # of rows of benchmarks the first
shown = {}  # the page of each source and folder: its address in the site


def pages():
    """The pages of the tree, from its root."""
    found = [*TREE.glob("*.md"), *TREE.glob("docs/**/*.md"), *TREE.glob("python/*.md")]
    return sorted(path.relative_to(TREE).as_posix() for path in found)


def outside_fences(text, change):
    """The text with `change` applied to what is not a block of code."""
    out, at = "", 0
    for block in FENCE.finditer(text):
        out += change(text[at:block.start()]) + block[0]
        at = block.end()
    return out + change(text[at:])


def target_of(page, link):
    """The file or folder of the tree that a link of a page leads to; None: it leads elsewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    path = normpath(PurePosixPath(page).parent / link)
    return path if not path.startswith("..") and (TREE / path).exists() else None


def source_page(path):
    """A page with a file of the tree."""
    text = (TREE / path).read_text(encoding="utf-8")
    language = LANGUAGES.get(PurePosixPath(path).suffix, "text") if len(text) < MOST_COLOURED else "text"
    note = ""
    if len(text) > MOST_SHOWN:
        lines = text.count("\n")
        text = text[:text.rindex("\n", 0, MOST_SHOWN)]
        note = f", the first {text.count(chr(10)) + 1} of {lines} lines"
    fence = "`" * 6
    return f"# {PurePosixPath(path).name}\n\n`{path}`{note}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def folder_page(path):
    """A page with the files of a folder."""
    files = sorted(file.relative_to(TREE).as_posix() for file in (TREE / path).iterdir() if file.is_file())
    here = f"source/{path}"
    lines = [f"- [{PurePosixPath(file).name}]({relpath(add_target(file), here)})" for file in files]
    return f"# {path}\n\n" + "\n".join(lines) + "\n"


def add_target(path):
    """The address of the page of a file or folder, which is made where it is no page itself."""
    if path.endswith(".md") or PurePosixPath(path).suffix in PICTURES:
        return path
    if path not in shown:
        is_folder = (TREE / path).is_dir()
        seen = re.sub(r"(^|/)\.", r"\1", path)  # files whose names begin with a dot are left out of sites
        address = f"source/{seen}/index.md" if is_folder else f"source/{seen}.md"
        shown[path] = (address, "")
        text = folder_page(path) if is_folder else source_page(path)
        shown[path] = (address, "---\nsearch: {exclude: true}\n---\n" + text)
    return shown[path][0]


def with_links(text, page):
    """The text with its links to sources and folders as links to their pages."""
    def changed(link):
        path = target_of(page, link[2])
        if path is None:
            return link[0]
        return link[1] + relpath(add_target(path), PurePosixPath(page).parent) + link[3]
    return outside_fences(text, lambda prose: LINK.sub(changed, prose))


def with_blank_lines(text):
    """Lists and tables begin behind a blank line, which the generator needs and GitHub does not."""
    head = r"(^(?![-*|#>\n ])[^\n]+\n)"
    return outside_fences(text, lambda prose: re.sub(head + r"(?=[-*] |\|)", r"\1\n", prose, flags=re.MULTILINE))


def with_traces(text):
    """The ladder's page with the trace of each rung, and of its mistake, under it."""
    def traced(line):
        name, folder = line[1], "../measurements-traces"
        own = f"{folder}/{name}.html"
        wrong = f"{folder}/{name}-mistake.html"
        links = [f'<a href="{own}">on a page of its own</a>']
        why_not = MADE / "measurements-traces" / f"{name}-mistake.txt"
        if why_not.exists():
            links.append(f'its mistake is not played: {why_not.read_text(encoding="utf-8")}')
        else:
            links.append(f'<a href="{wrong}">its mistake, beside the right run</a>')
        return (f'{line[0]}\n\n<details class="trace"><summary>Play it, step by step</summary><p>'
                f'{", ".join(links)}</p>\n<iframe loading="lazy" src="{own}" title="{name}, step by step"></iframe>'
                "</details>\n")
    return re.sub(r"^- \*\*Code\*\*: \[ladder/rungs/(\w+)\.cuh\].*$", traced, text, flags=re.MULTILINE)


def on_files(files, config):
    for path in pages():
        files.append(File.generated(config, path, abs_src_path=str(TREE / path)))
        with_links((TREE / path).read_text(encoding="utf-8"), path)  # for what it needs
    for path in TREE.glob("docs/figures/*"):
        files.append(File.generated(config, path.relative_to(TREE).as_posix(), abs_src_path=str(path)))
    for address, text in shown.values():
        files.append(File.generated(config, address, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
    library = MADE / "bins_library.js"
    files.append(File.generated(config, f"docs/site/{library.name}", abs_src_path=str(library)))
    for path in MADE.rglob("*.html"):
        files.append(File.generated(config, path.relative_to(MADE).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    path = page.file.src_uri
    if path.startswith("source/"):
        return markdown
    if path in ("README.md", "docs/benchmarks.md"):
        page.meta["hide"] = ["navigation"]  # a page alone in its part: code and tables have the room
    if path == "docs/ladder.md":
        markdown = with_traces(markdown)
    return with_blank_lines(with_links(markdown, path))


def on_post_page(output, page, config):
    """Icons stand in what has a name: none is read aloud."""
    return output.replace('<svg xmlns="http://www.w3.org/2000/svg" viewBox', '<svg aria-hidden="true" viewBox')


def on_post_build(config):
    """Search from disk reads the index as a script."""
    index = Path(config.site_dir, "search", "search_index.json")
    index.with_suffix(".js").write_text("var __index = " + index.read_text(encoding="utf-8"), encoding="utf-8")
