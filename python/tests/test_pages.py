"""The page of the package, run; and the names that it and the stubs give."""

import inspect
import re
from pathlib import Path

import monofold as mf
import monofold.plain
import numpy as np
import pytest

PYTHON = Path(__file__).parent.parent


def run_blocks(page, names):
    """Runs the Python of a page; how many blocks there are."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)  # noqa: S102
    return len(blocks)


def test_blocks_of_the_page_run(capsys):
    assert run_blocks(PYTHON / "README.md", {}) >= 4 and "mean" in capsys.readouterr().out


PAGE = (PYTHON / "recipes.md").read_text()
RECIPES = re.findall(r"^## (.*?)\n.*?^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("recipe", [block for _, block in RECIPES], ids=[title for title, _ in RECIPES])
def test_recipes_run(recipe):
    for library in ("dask.array", "polars", "torch", "xarray"):
        if f"import {library}" in recipe:
            pytest.importorskip(library)
    exec(compile(recipe, "recipes.md", "exec"), {})  # noqa: S102


def test_there_are_fourteen_recipes():
    assert len(RECIPES) == 14


def test_block_of_the_tree_s_page_runs():
    assert run_blocks(PYTHON.parent / "README.md", {"x": np.ones((3, 4))}) == 1


def test_page_of_the_package_stands_alone():
    """Where the package index shows it there is nothing beside it that a relative link could lead to."""
    page = (PYTHON / "README.md").read_text()
    assert [link for link in re.findall(r"\]\(([^)]*)\)", page) if not link.startswith("https://")] == []
    named = set(re.findall(r"`([\w/]+\.md)`", page))
    assert len(named) >= 3 and all((PYTHON.parent / name).is_file() for name in named)


def test_page_names_every_operation():
    listed = re.search(r"`(sum mean .*?)`", (PYTHON / "README.md").read_text(), re.DOTALL)[1].split()
    operations = {name for name in mf.__all__ if isinstance(getattr(mf, name), mf.Operation)} | {"stats"}
    assert set(listed) == operations


def test_docstrings_say_what_calls_take():
    for name in mf.__all__:
        if isinstance(operation := getattr(mf, name), mf.Operation):
            told = re.findall(r"^(\w+) : ", operation.__doc__, re.MULTILINE)
            assert told == list(inspect.signature(operation).parameters)
            x = [np.ones(3, float if name in ("logsumexp", "softmax_denominator") else int)] * (2 if "y" in told else 1)
            given = {"axis": None, "nan": "omit", "where": True, "keepdims": False, "dtype": None, "out": None}
            given |= {"k": 1, "correction": 1, "ord": 1, "global_index": True}
            operation(*x, **{option: given[option] for option in told if option not in ("x", "y")})
            assert "Returns" in operation.__doc__


@pytest.mark.parametrize("module", (mf, monofold.plain), ids=lambda module: module.__name__)
def test_stubs_name_what_there_is(module):
    file = Path(module.__file__).with_suffix(".pyi")
    stub = set(re.findall(r"^(?:class |def |from \. import )?(\w+)", file.read_text(), re.MULTILINE))
    assert set(module.__all__) <= stub and (file.parent / "py.typed").exists()
    for name in module.__all__:
        assert hasattr(module, name)
