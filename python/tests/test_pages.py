"""The page of the package, run; and the names that it and the stubs give."""

import re
from pathlib import Path

import monofold as mf
import monofold.plain
import pytest

PYTHON = Path(__file__).parent.parent


def test_blocks_of_the_page_run(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", (PYTHON / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    names = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102
    assert len(blocks) >= 4 and "mean" in capsys.readouterr().out


def test_page_names_every_operation():
    listed = re.search(r"`(sum mean .*?)`", (PYTHON / "README.md").read_text(), re.DOTALL)[1].split()
    operations = {name for name in mf.__all__ if isinstance(getattr(mf, name), mf.Operation)} | {"stats"}
    assert set(listed) == operations


@pytest.mark.parametrize("module", (mf, monofold.plain), ids=lambda module: module.__name__)
def test_stubs_name_what_there_is(module):
    file = Path(module.__file__).with_suffix(".pyi")
    stub = set(re.findall(r"^(?:class |def |from \. import )?(\w+)", file.read_text(), re.MULTILINE))
    assert set(module.__all__) <= stub and (file.parent / "py.typed").exists()
    for name in module.__all__:
        assert hasattr(module, name)
