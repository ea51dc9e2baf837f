"""Stubs and docstrings: they name what there is, parameter by parameter."""

import ast
import importlib
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import monofold as mf
import pytest

FOLDER = Path(mf.__file__).parent
MODULES = [path.stem for path in sorted(FOLDER.glob("*.pyi"))]
PROGRAM = """
import monofold as mf
import monofold.array_api as xp

total: float = mf.stats([1.0]).sum
best = mf.top_k([1.0, 2.0], 1, keepdims=True)
state: mf.State = mf.State(mf.all(mf.sum, mf.var(correction=1)), "float64").push([1.0]).copy()
receipt: bytes = state.digest()
mf.reduce([1.0], mf.sum, 0, dtype="float32", out=None)
xp.var([1.0], correction=0.5)
mf.State(mf.sum)  # wrong: no type of items
mf.segmented_reduce([1.0], mf.sum, 3.5)  # wrong: no offsets
"""


def stub_of(name):
    return ast.parse((FOLDER / f"{name}.pyi").read_text())


def module_of(name):
    try:
        return importlib.import_module("monofold" if name == "__init__" else f"monofold.{name}")
    except ImportError as missing:
        pytest.skip(str(missing))


def declared_in(tree):
    """What a stub declares by name: functions, classes and annotations."""
    found = {}
    for one in tree.body:
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            found[one.name] = one
        elif isinstance(one, ast.AnnAssign):
            found[one.target.id] = one
    return found


def parameters_of(arguments):
    """(name, whether there is a default) of each parameter."""
    places = [*arguments.posonlyargs, *arguments.args]
    defaults = [False] * (len(places) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    named = [(one.arg, default is not None) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return [(one.arg, has) for one, has in zip(places, defaults)] + named


def check_function(where, declared, real):
    wanted = [one for one in parameters_of(declared.args) if one[0] != "self"]
    found = [(one.name, one.default is not one.empty) for one in inspect.signature(real).parameters.values()
             if one.name != "self"]
    assert wanted == found, where
    document = inspect.getdoc(real) or ""
    for name, _ in wanted:
        assert any(name in line.split(" : ")[0].split(", ") for line in document.splitlines() if " : " in line), (
            where, name)
    if ast.unparse(declared.returns) != "None":
        assert "Returns\n-------\n" in document, where


@pytest.mark.parametrize("name", MODULES)
def test_a_stub_names_what_there_is(name):
    module, declared = module_of(name), declared_in(stub_of(name))
    public = {one for one in module.__all__ if not inspect.ismodule(getattr(module, one))}
    aliases = {"Nan", "Array", "Axis", "Fold", "__version__"}
    assert public == {one for one in declared if one[0] != "_" or one == "__version__"} - aliases
    for one in public:
        real, stub = getattr(module, one), declared[one]
        if isinstance(stub, ast.FunctionDef):
            check_function(one, stub, real)
        elif isinstance(stub, ast.ClassDef):
            for method in stub.body:
                if isinstance(method, ast.FunctionDef) and method.name[0] != "_":
                    assert hasattr(real, method.name), (one, method.name)
                    if not method.decorator_list:
                        check_function(f"{one}.{method.name}", method, getattr(real, method.name))
        else:
            document = inspect.getdoc(real)
            assert "Parameters\n----------\n" in document and "Returns\n-------\n" in document, one


def test_operations_take_what_their_stubs_say():
    declared = declared_in(stub_of("__init__"))
    for name, stub in declared.items():
        if isinstance(stub, ast.AnnAssign) and isinstance(getattr(mf, name, None), (mf.Operation, type(mf.stats))):
            of = stub.annotation.value.id if isinstance(stub.annotation, ast.Subscript) else stub.annotation.id
            [called] = [one for one in declared[of].body if getattr(one, "name", "") == "__call__"]
            said = {one for one, _ in parameters_of(called.args)} - {"self"}
            real = set(inspect.signature(getattr(mf, name)).parameters)
            assert real <= said or called.args.kwarg is not None, name
            assert said - real <= {"correction", "ord"}, name
            document = inspect.getdoc(getattr(mf, name))
            assert all(f"\n{one} : " in document for one in real), name


def test_a_program_is_checked(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "monofold").mkdir()
    for stub in FOLDER.glob("*.pyi"):  # without the package's own sources, which have no annotations
        shutil.copy(stub, tmp_path / "monofold")
    (tmp_path / "program.py").write_text(PROGRAM)
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "program.py"], cwd=tmp_path,
                           capture_output=True, text=True, timeout=300).stdout
    wrong = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line]
    assert [int(line.split(":")[1]) for line in found.splitlines() if "error:" in line] == wrong, found
